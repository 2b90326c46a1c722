//! Words and numbers of comparisons, the same in every format.

use ioalign_core::Bytes;
use ioalign_core::comparison::{
    Before, Cell, Comparison, ComparisonSubject, EstimateVerdict, Metric,
};
use ioalign_core::machine::Machine;

use crate::text::page::Style;
use crate::words::numbers::{thousands, three};

/// The value of the levels of an earlier run beside those of this one.
pub(crate) const fn levels_of_two_times(before: &Before) -> &'static str {
    if before.interleaved {
        "Levels of two times are no evidence of a change: the machine may have been busier at one of \
         them. The old layout is an arm of this run, and the estimates of `now` against `before` say \
         what the change gives."
    } else {
        "Levels of two times are no evidence of a change: the machine may have been busier at one of them."
    }
}

/// Why an earlier run gives no answer; `None` where the old layout was measured again, or none was named.
pub(crate) fn no_answer(comparison: &Comparison) -> Option<String> {
    let before = comparison.before.as_ref().filter(|one| !one.interleaved)?;
    let now = comparison.arms.first().and_then(|arm| arm.start_bytes);
    let why = match before.start_bytes.zip(now) {
        Some(_) => "the target's start on its disk has not moved",
        None => "where the target starts on its disk is not known",
    };
    Some(format!(
        "undecided: nothing says whether it differs from {}: {why}, so there is no old layout to measure again",
        before.document
    ))
}

/// The metric as JSON names it.
pub const fn key(metric: Metric) -> &'static str {
    match metric {
        Metric::LatencyMedian => "latency_median",
        Metric::LatencyMean => "latency_mean",
        Metric::LatencyP99 => "latency_p99",
        Metric::Throughput => "throughput",
        Metric::CpuPerIo => "cpu_per_io",
    }
}

/// The metric in words.
pub const fn metric(metric: Metric) -> &'static str {
    match metric {
        Metric::LatencyMedian => "median latency",
        Metric::LatencyMean => "mean latency",
        Metric::LatencyP99 => "99 % latency",
        Metric::Throughput => "throughput",
        Metric::CpuPerIo => "processor an I/O",
    }
}

/// The title of a page or a picture.
pub fn title(comparison: &Comparison) -> String {
    match comparison.subject {
        ComparisonSubject::Alignment => format!("What misalignment costs on {}", comparison.target),
        ComparisonSubject::PageWrites => {
            format!("What whole pages cost on {}", comparison.target)
        }
    }
}

/// The machine that something was measured on, in a line.
pub fn machine(machine: &Machine, dot: &str) -> String {
    let load = machine.load_average.map(|load| format!("load {load:.1}"));
    let facts = [
        machine.platform.clone(),
        crate::machine::processors(machine),
        machine.kernel.clone(),
        load.unwrap_or_default(),
    ];
    let known: Vec<_> = facts.into_iter().filter(|fact| !fact.is_empty()).collect();
    known.join(dot)
}

/// The I/O of a cell: `4 KiB random write`.
pub fn cell(cell: &Cell) -> String {
    format!(
        "{} {} {}",
        Bytes::new(cell.block_bytes),
        cell.pattern,
        op(&cell.op)
    )
}

/// The same in fewer columns: `128 KiB seq write`.
pub fn short_cell(of: &Cell) -> String {
    cell(of)
        .replace("sequential", "seq")
        .replace("random", "rand")
}

/// The same, with how many are in flight where that is wanted: `128 KiB seq write ×16`.
pub(crate) fn numbered_cell(cell: &Cell, depths: bool) -> String {
    let name = short_cell(cell);
    if depths {
        format!("{name} ×{}", cell.in_flight())
    } else {
        name
    }
}

/// Whether the number in flight distinguishes cells.
pub(crate) fn depths_differ(cells: &[Cell]) -> bool {
    let depth = |cell: &Cell| (cell.queue_depth, cell.workers);
    cells.windows(2).any(|pair| match pair {
        [a, b] => depth(a) != depth(b),
        _ => false,
    })
}

/// `read`, `write`; of a mix `70 % read`.
pub fn op(op: &str) -> String {
    match op.strip_prefix("read-") {
        Some(percent) => format!("{percent} % read"),
        None => op.to_owned(),
    }
}

/// `reads`, `writes`; of a mix `70 % reads`.
pub fn ops(op: &str) -> String {
    format!("{}s", self::op(op))
}

/// How many are in flight: `16 in flight`, `4 workers, 16 in flight each`.
pub fn load(queue_depth: u32, workers: u32) -> String {
    match workers {
        0 | 1 => format!("{queue_depth} in flight"),
        _ => format!("{workers} workers, {queue_depth} in flight each"),
    }
}

/// From here on a factor says more than a percentage.
const MANY: f64 = 20.0;

/// A ratio as what it adds or takes: `+528 %`, `-0.34 %`; past twenty times as a factor.
pub fn difference(ratio: f64) -> String {
    if ratio >= MANY {
        return format!("{}×", three(ratio));
    }
    signed((ratio - 1.0) * 100.0) + " %"
}

/// Both ends of an interval of ratios: `+409 to +659 %`.
pub fn interval(low: Option<f64>, high: Option<f64>) -> String {
    let (Some(low), Some(high)) = (low, high) else {
        return "-".to_owned();
    };
    if high >= MANY {
        return format!("{} to {}×", three(low), three(high));
    }
    let ends = [low, high].map(|ratio| signed((ratio - 1.0) * 100.0));
    format!("{} to {} %", ends[0], ends[1])
}

/// A gain or a saving of the summary: `12 %`, `0.4 %`.
pub fn share(ratio: f64) -> String {
    let text = signed(ratio * 100.0);
    format!("{} %", text.strip_prefix('+').unwrap_or(&text))
}

/// A difference of the summary with its sign: `+519 %`, `-84 %`.
pub(crate) fn signed_share(ratio: f64) -> String {
    format!("{} %", signed(ratio * 100.0))
}

/// The cause of a gain, as the end of a title.
pub(crate) fn gained_by(comparison: &Comparison) -> String {
    let baseline = comparison.arms.first().map_or("", |arm| arm.name.as_str());
    match baseline {
        _ if comparison.is_of_a_change() => "since the change".to_owned(),
        "aligned" => "by alignment".to_owned(),
        name => format!("with {name}"),
    }
}

/// Two digits that mean something, and the sign.
fn signed(percent: f64) -> String {
    let text = match percent.abs() {
        v if v < 0.005 => return "0".to_owned(),
        v if v < 0.995 => format!("{percent:+.2}"),
        v if v < 9.95 => format!("{percent:+.1}"),
        _ => format!("{percent:+.0}"),
    };
    match text.strip_suffix(".0") {
        Some(whole) => whole.to_owned(),
        None => text,
    }
}

/// A rate: above a hundred a whole number with commas.
pub fn rate(value: f64) -> String {
    if value < 100.0 {
        return three(value);
    }
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // rates stay below 1e12
    thousands(value.round() as u64)
}

/// The colour of a verdict; the word is always there.
pub(crate) const fn style(verdict: EstimateVerdict) -> Style {
    match verdict {
        EstimateVerdict::Slower => Style::Bad,
        EstimateVerdict::Faster | EstimateVerdict::NoDifference => Style::Good,
        EstimateVerdict::Undecided => Style::Dim,
        EstimateVerdict::Invalid => Style::Odd,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_are_short_and_signed() {
        assert_eq!(difference(6.29), "+529 %");
        assert_eq!(difference(0.65), "-35 %");
        assert_eq!(difference(1.088), "+8.8 %");
        assert_eq!(difference(1.0034), "+0.34 %");
        assert_eq!(difference(0.99999), "0 %");
        assert_eq!(difference(22.04), "22×");
        assert_eq!(interval(Some(5.09), Some(7.59)), "+409 to +659 %");
        assert_eq!(interval(Some(0.998), Some(1.001)), "-0.20 to +0.10 %");
        assert_eq!(interval(Some(9.5), Some(22.5)), "9.5 to 22.5×");
        assert_eq!(interval(None, Some(1.0)), "-");
        assert_eq!(share(0.62), "62 %");
        assert_eq!(share(-0.02), "-2 %");
    }

    #[test]
    fn cells_have_names() {
        let one = Cell {
            block_bytes: 131_072,
            op: "read-70".to_owned(),
            pattern: "sequential".to_owned(),
            ..Cell::default()
        };
        assert_eq!(cell(&one), "128 KiB sequential 70 % read");
        assert_eq!(short_cell(&one), "128 KiB seq 70 % read");
        assert_eq!(load(16, 1), "16 in flight");
        assert_eq!(load(16, 4), "4 workers, 16 in flight each");
    }
}
