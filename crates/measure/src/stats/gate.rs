//! A run of now against sessions of earlier days: is it slower than they were?
//!
//! Sessions differ, whatever the length of each: a machine has a state of its own each time. So the level of a session is
//! one draw, and what the recorded sessions say of the next one is a prediction interval, not one of a mean. Rounds of
//! the new session show its own level at any time (a confidence sequence); what they cannot show is how far an unchanged
//! machine strays from session to session. Both errors add up to the allowance: `docs/measure-method.md`.

use super::{Boundary, Ladder, real, student};

/// Of the allowance on either side, what belongs to the new session's level. The rest is the prediction's: there it costs
/// width that no time takes away.
const LEVEL_SHARE: f64 = 0.2;
/// Rounds after which the level is known best: a minute of seconds.
const TIGHTEST: f64 = 60.0;
/// Below this part of the prediction's width, the level's has no say any more.
const NEGLIGIBLE: f64 = 0.1;
/// A spread has to be known from this many sessions.
pub const FEWEST_SESSIONS: usize = 5;

/// The recorded sessions: a logarithm of time per I/O each.
#[derive(Clone, Debug, PartialEq)]
pub struct SessionLevels {
    mean: f64,
    most: f64,
    deviation: f64,
    count: usize,
}

/// What a gate asks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GateQuestion {
    /// The least slowdown that has to be found, as the logarithm of a ratio.
    pub slower: f64,
    /// The error that is allowed on either side.
    pub alpha: f64,
}

/// An answer, at any moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GateAnswer {
    /// A slowdown as large as asked for can be excluded.
    Pass,
    /// It is certainly slower than before.
    Fail,
    /// Neither.
    Undecided,
}

/// How the new session stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GateState {
    /// Time per I/O against the mean of the sessions, as a logarithm.
    pub at: f64,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// The width of either side that stays however long the session is.
    pub floor: f64,
    /// Whether the level is slower than that of every session.
    pub slowest: bool,
}

/// A new session against the recorded ones.
#[derive(Clone, Debug)]
pub struct Gate {
    levels: SessionLevels,
    question: GateQuestion,
    floor: f64,
    rounds: Ladder<1>,
}

/// The level of a session: the mean of its rounds; `None` without any.
pub fn level(rounds: &[f64]) -> Option<f64> {
    let sum: f64 = rounds.iter().sum();
    (!rounds.is_empty()).then(|| sum / real(rounds.len() as u64))
}

impl SessionLevels {
    /// Of these levels; `None` where they are too few to say how far sessions stray.
    pub fn new(levels: &[f64]) -> Option<Self> {
        let mean = level(levels).filter(|_| levels.len() >= FEWEST_SESSIONS)?;
        let squares: f64 = levels.iter().map(|one| (one - mean).powi(2)).sum();
        Some(Self {
            mean,
            most: levels.iter().copied().fold(f64::NEG_INFINITY, f64::max),
            deviation: (squares / real(levels.len() as u64 - 1)).sqrt(),
            count: levels.len(),
        })
    }

    /// How far the next session may lie from their mean, with this error on either side.
    pub fn reach(&self, alpha: f64) -> f64 {
        let count = real(self.count as u64);
        let freedom = u32::try_from(self.count - 1).unwrap_or(u32::MAX);
        let t = student::quantile(1.0 - alpha, freedom);
        t * self.deviation * (1.0 + count.recip()).sqrt()
    }

    /// Their mean.
    pub const fn mean(&self) -> f64 {
        self.mean
    }

    /// Standard deviation from session to session.
    pub const fn deviation(&self) -> f64 {
        self.deviation
    }
}

impl Gate {
    /// A session of which nothing is known yet.
    pub fn new(levels: SessionLevels, question: GateQuestion) -> Self {
        Self {
            floor: levels.reach(question.alpha * (1.0 - LEVEL_SHARE)),
            levels,
            question,
            rounds: Ladder::default(),
        }
    }

    /// One round: the logarithm of its time per I/O.
    pub fn add(&mut self, round: f64) {
        if round.is_finite() {
            self.rounds.add([round]);
        }
    }

    /// Rounds so far.
    pub fn rounds(&self) -> u64 {
        self.rounds.count()
    }

    /// How it stands; `None` before the tenth round.
    pub fn state(&self) -> Option<GateState> {
        let half = self.half()?;
        let floor = self.floor;
        let [own] = self.rounds.mean();
        let at = own - self.levels.mean;
        Some(GateState {
            at,
            low: at - half - floor,
            high: at + half + floor,
            floor,
            slowest: own > self.levels.most,
        })
    }

    /// What can be said now. A slowdown has to be past the prediction, and past every session that was recorded: if
    /// nothing has changed the new one is as likely the slowest as any other, whatever the law of sessions.
    pub fn answer(&self) -> GateAnswer {
        match self.state() {
            Some(state) if state.high < self.question.slower => GateAnswer::Pass,
            Some(state) if state.low > 0.0 && state.slowest => GateAnswer::Fail,
            _ => GateAnswer::Undecided,
        }
    }

    /// Whether more rounds cannot change the answer much: it is clear on either side, or what is left is the spread of
    /// sessions. A slowdown that is certain and may still be less than asked for is measured on.
    pub fn is_over(&self) -> bool {
        let Some(state) = self.state() else {
            return false;
        };
        let is_large = state.low > self.question.slower && state.slowest;
        let is_known = self
            .half()
            .is_some_and(|half| half <= NEGLIGIBLE * state.floor);
        state.high < self.question.slower || is_large || is_known
    }

    /// How far the lower end stays below the estimate, however long the session is.
    pub const fn floor(&self) -> f64 {
        self.floor
    }

    /// Of the new session's level, at any time. The boundary has two sides.
    fn half(&self) -> Option<f64> {
        let alpha = 2.0 * self.question.alpha * LEVEL_SHARE;
        self.rounds
            .half_width([1.0], Boundary::tightest_at(TIGHTEST, alpha))
    }
}

#[cfg(test)]
mod tests {
    use ioalign_core::gate_document::FEWEST_SECONDS;

    use super::*;

    const ASKED: GateQuestion = GateQuestion {
        slower: 0.02,
        alpha: 0.05,
    };

    fn gate(spread: f64) -> Gate {
        let levels = [-1.0, -0.5, 0.0, 0.5, 1.0].map(|step| 3.0 + step * spread);
        Gate::new(SessionLevels::new(&levels).unwrap(), ASKED)
    }

    fn after(mut gate: Gate, level: f64, rounds: u32) -> Gate {
        (0..rounds).for_each(|at| gate.add(level + if at % 2 == 0 { 1e-4 } else { -1e-4 }));
        gate
    }

    #[test]
    fn four_sessions_do_not_say_how_far_they_stray() {
        assert_eq!(SessionLevels::new(&[1.0; 4]), None);
        let reach = SessionLevels::new(&[1.0, 1.0, 1.0, 1.0, 2.0])
            .unwrap()
            .reach(0.05);
        // t(0.95, 4) = 2.132, s = 0.4472, sqrt(1 + 1/5) = 1.0954.
        assert!((reach - 1.0444).abs() < 1e-3, "{reach}");
    }

    #[test]
    fn sessions_that_agree_make_an_answer() {
        let calm = || gate(0.001);
        assert_eq!(after(calm(), 3.0, 9).answer(), GateAnswer::Undecided);
        let fewest = u32::try_from(FEWEST_SECONDS).unwrap();
        assert_eq!(after(calm(), 3.0, fewest - 1).state(), None);
        assert!(after(calm(), 3.0, fewest).state().is_some());
        let passed = after(calm(), 3.0, 60);
        assert_eq!(
            (passed.answer(), passed.is_over()),
            (GateAnswer::Pass, true)
        );
        let failed = after(calm(), 3.03, 60);
        assert_eq!(
            (failed.answer(), failed.is_over()),
            (GateAnswer::Fail, true)
        );
    }

    #[test]
    fn sessions_that_stray_make_none_and_take_no_time() {
        let wild = after(gate(0.02), 3.02, 60);
        assert_eq!(
            (wild.answer(), wild.is_over()),
            (GateAnswer::Undecided, true)
        );
    }

    #[test]
    fn less_than_asked_for_is_no_failure() {
        let little = after(gate(0.001), 3.006, 60);
        assert!(little.state().unwrap().low > 0.0);
        assert_eq!(little.answer(), GateAnswer::Pass);
    }
}
