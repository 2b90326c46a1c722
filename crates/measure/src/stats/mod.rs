//! The arithmetic of a comparison: nothing here knows of devices, clocks or reports.
//!
//! All differences are logarithms of ratios, so that twice as slow and twice as fast are equally far
//! from no difference. Intervals are *anytime-valid*: they hold at any round, so that an experiment may
//! stop as soon as its answer is certain. Formulas and sources: `docs/measure-method.md`.

mod clip;
mod contrast;
mod gate;
mod guard;
mod interval;
mod ladder;
mod means;
mod moments;
mod quantile;
mod ratios;
mod scales;
mod sequence;
mod share;
mod student;

pub use clip::Clip;
pub use contrast::{Contrast, paired};
pub use gate::{FEWEST_SESSIONS, Gate, GateAnswer, GateQuestion, GateState, SessionLevels, level};
pub use guard::Guard;
pub use interval::{LogInterval, Series, decide, rounds_wanted};
pub use ladder::Ladder;
pub use means::MeanRatio;
pub use moments::Moments;
pub use quantile::{median, percentile_of_times};
pub use ratios::LogRatios;
pub use scales::{LONG, Scales};
pub use sequence::Boundary;
pub use share::Shares;

/// A count or a time as a number to calculate with.
#[expect(
    clippy::cast_precision_loss,
    reason = "rounds and nanoseconds: far below 2^53, or estimates"
)]
pub const fn real(count: u64) -> f64 {
    count as f64
}
