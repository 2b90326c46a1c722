//! What a number alone does not tell.

use ioalign_core::comparison::{Estimate, Metric, Verdict};

pub(super) const PLACEBO_MOVED: &str =
    "the baseline differs from its own duplicate: something other than the arms decides here";
pub(super) const PLACEBO_MOVED_UNDER_LOAD: &str = "under full load the baseline differs from its \
     own duplicate: something other than the arms decides here";
const MEDIAN_AGAINST_MEAN: &str = "median and mean disagree: the times of a batch are not of one \
     kind, and neither number tells all";
const LOAD_TURNS_THE_SIGN: &str =
    "latency of single batches and throughput under load point in opposite directions";

/// Notes on estimates of one arm that contradict each other.
pub(super) fn disagreements(estimates: &mut [Estimate]) {
    let of = |metric| estimates.iter().find(|estimate| estimate.metric == metric);
    let median = of(Metric::LatencyMedian);
    let apart = median
        .zip(of(Metric::LatencyMean))
        .is_some_and(|(median, mean)| apart(median, mean));
    let turns = median
        .zip(of(Metric::Throughput))
        .is_some_and(|(latency, load)| opposite(latency.verdict, load.verdict));
    for estimate in estimates {
        match estimate.metric {
            Metric::LatencyMedian | Metric::LatencyMean if apart => {
                note(estimate, MEDIAN_AGAINST_MEAN);
            }
            _ => {}
        }
        match estimate.metric {
            Metric::LatencyMedian | Metric::Throughput if turns => {
                note(estimate, LOAD_TURNS_THE_SIGN);
            }
            _ => {}
        }
    }
}

/// No number of the cell is a result.
pub(super) fn invalid(estimates: &mut [Estimate], why: &str) {
    for estimate in estimates {
        estimate.verdict = Verdict::Invalid;
        note(estimate, why);
    }
}

fn note(estimate: &mut Estimate, text: &str) {
    match &mut estimate.note {
        Some(before) => {
            before.push_str("; ");
            before.push_str(text);
        }
        None => estimate.note = Some(text.to_owned()),
    }
}

/// Whether the intervals have nothing in common.
fn apart(a: &Estimate, b: &Estimate) -> bool {
    let below = |a: &Estimate, b: &Estimate| {
        let ends = a.ratio_high.zip(b.ratio_low);
        ends.is_some_and(|(high, low)| high < low)
    };
    below(a, b) || below(b, a)
}

fn opposite(a: Verdict, b: Verdict) -> bool {
    matches!(
        (a, b),
        (Verdict::Slower, Verdict::Faster) | (Verdict::Faster, Verdict::Slower)
    )
}
