//! Caveats that a number alone does not show.

use ioalign_core::comparison::{ArmLevel, Estimate, EstimateVerdict, Metric};

pub(super) const PLACEBO_MOVED: &str =
    "the baseline differs from its own duplicate: something other than the arms decides here";
pub(super) const PLACEBO_MOVED_UNDER_LOAD: &str = "under full load the baseline differs from its \
     own duplicate: something other than the arms decides here";
const MEDIAN_AGAINST_MEAN: &str = "median and mean disagree: the times of a batch are not of one \
     kind, and neither number says all";
const LOAD_TURNS_THE_SIGN: &str =
    "latency of single batches and throughput under load point in opposite directions";

const LEVELS_AGAINST: &str = "the arms' own numbers point the other way. They hold whatever the machine did \
     during the run; the difference compares neighbours in time, and is the one that counts";

/// Notes on estimates whose sign is not that of the arms in absolute numbers. Values within `rope`, or within
/// half a per cent, have no sign.
pub(super) fn against_levels(estimates: &mut [Estimate], levels: &[ArmLevel], rope: f64) {
    const LEAST: f64 = 0.005;
    let least = rope.max(LEAST);
    for estimate in estimates {
        let value = |arm: &str| {
            let level = levels.iter().find(|level| level.arm == arm)?;
            level.of(estimate.metric)
        };
        let both = value(&estimate.arm).zip(value(&estimate.baseline));
        let seen = both.map(|(arm, baseline)| (arm / baseline).ln());
        let estimated = estimate.ratio.filter(|ratio| *ratio > 0.0).map(f64::ln);
        let Some((seen, estimated)) = seen.zip(estimated) else {
            continue;
        };
        let matters = seen.abs() > least || estimated.abs() > least;
        if matters && seen * estimated < 0.0 && estimate.verdict != EstimateVerdict::Invalid {
            note(estimate, LEVELS_AGAINST);
        }
    }
}

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
        estimate.verdict = EstimateVerdict::Invalid;
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

fn opposite(a: EstimateVerdict, b: EstimateVerdict) -> bool {
    matches!(
        (a, b),
        (EstimateVerdict::Slower, EstimateVerdict::Faster)
            | (EstimateVerdict::Faster, EstimateVerdict::Slower)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 15,255 I/Os a second beside 18,975, and a throughput that is less by 27 %.
    #[test]
    fn numbers_of_opposite_signs_get_a_sentence() {
        let level = |arm: &str, iops| ArmLevel {
            arm: arm.to_owned(),
            iops: Some(iops),
            ..ArmLevel::default()
        };
        let noted = |baseline, arm, ratio| {
            let mut estimate = Estimate {
                metric: Metric::Throughput,
                arm: "+512".to_owned(),
                baseline: "aligned".to_owned(),
                ratio: Some(ratio),
                ..Estimate::default()
            };
            let levels = [level("aligned", baseline), level("+512", arm)];
            against_levels(std::slice::from_mut(&mut estimate), &levels, 0.0);
            estimate.note
        };
        let note = noted(15_255.0, 18_975.0, 0.73).unwrap();
        assert!(note.contains("point the other way"), "{note}");
        assert_eq!(noted(18_975.0, 15_255.0, 0.73), None);
        // Neither is a difference that matters.
        assert_eq!(noted(15_255.0, 15_270.0, 0.999), None);
    }
}
