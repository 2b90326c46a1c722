//! One row an estimate: what a spreadsheet or a data frame takes without a script.

use ioalign_core::comparison::{Cell, Comparison, Estimate};
use ioalign_core::csv;

const HEAD: &str = "target,block_bytes,op,pattern,queue_depth,workers,arm,offset_bytes,metric,value,baseline,\
baseline_value,ratio,ratio_low,ratio_high,confidence,rounds,verdict,placebo_ratio,placebo_low,placebo_high,placebo_moved,note";

/// The table, by RFC 4180 but for line ends, which are those of Unix.
pub fn render(comparison: &Comparison) -> String {
    let mut out = format!("{HEAD}\n");
    for cell in &comparison.cells {
        for estimate in &cell.estimates {
            out.push_str(&row(comparison, cell, estimate).join(","));
            out.push('\n');
        }
    }
    out
}

fn row(comparison: &Comparison, cell: &Cell, estimate: &Estimate) -> Vec<String> {
    let arm = comparison.arms.iter().find(|arm| arm.name == estimate.arm);
    let target = arm.and_then(|arm| arm.target.as_ref());
    let value = |arm: &str| {
        let level = cell.level(arm);
        number(level.and_then(|level| level.of(estimate.metric)))
    };
    let placebo = &cell.placebo;
    vec![
        quoted(target.unwrap_or(&comparison.target)),
        cell.block_bytes.to_string(),
        quoted(&cell.op),
        quoted(&cell.pattern),
        cell.queue_depth.to_string(),
        cell.workers.to_string(),
        quoted(&estimate.arm),
        arm.map_or_else(String::new, |arm| arm.offset_bytes.to_string()),
        super::words::key(estimate.metric).to_owned(),
        value(&estimate.arm),
        quoted(&estimate.baseline),
        value(&estimate.baseline),
        number(estimate.ratio),
        number(estimate.ratio_low),
        number(estimate.ratio_high),
        estimate.confidence.to_string(),
        estimate.rounds.to_string(),
        estimate.verdict.word().to_owned(),
        number(placebo.ratio),
        number(placebo.ratio_low),
        number(placebo.ratio_high),
        placebo.moved.to_string(),
        quoted(estimate.note.as_deref().unwrap_or_default()),
    ]
}

fn number(value: Option<f64>) -> String {
    value.map_or_else(String::new, |value| value.to_string())
}

/// Names come from the command line and from documents of others.
fn quoted(text: &str) -> String {
    csv::cell(&crate::words::clean::clean(text)).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_in_their_field() {
        assert_eq!(quoted("/dev/sda"), "/dev/sda");
        assert_eq!(quoted("+512"), "+512");
        assert_eq!(quoted("a,\"b\""), "\"a,\"\"b\"\"\"");
        for formula in ["=1+1", "+1+cmd|x!A", "-2+3", "@SUM(A1)"] {
            assert_eq!(quoted(formula), format!("'{formula}"));
        }
    }
}
