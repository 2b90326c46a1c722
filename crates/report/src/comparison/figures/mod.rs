//! The figures of a comparison: what alignment gives by block size, for each operation, and what was
//! reached without it and with it. Drawn without a script, in the colours of the page around them.
//!
//! Series differ in colour, in hatching or dashes, and in the shape of their marks: any one of them is
//! enough. An interval that leaves the plot ends in an arrow. A cell without a result has a sign and
//! never a bar: `?` undecided, `×` invalid.

mod chart;
mod data;
mod gain;
mod level;
mod quantity;
mod scale;

use ioalign_core::comparison::{Arm, Comparison};

use super::words;
pub use chart::WIDTH;
use data::FigureView;

/// Style sheet of the figures; its colours are variables of the page around them.
pub const STYLE: &str = include_str!("style.css");
/// The meaning of the signs.
pub const LEGEND: [&str; 2] = [
    "Whiskers are intervals; one that ends in an arrow continues outside.",
    "= no difference. ? undecided, therefore no bar. × invalid, not a result.",
];

/// An arm on the grid is called aligned, as in the names of arms.
const BLOCK: u64 = 4096;

/// Figures of more arms and loads than this are left to the table.
const MOST_SETS: usize = 12;

/// A drawing with its title.
pub struct Figure {
    /// Its description.
    pub title: String,
    /// The id of its title element.
    id: String,
    /// In user units; all are [`WIDTH`] wide.
    pub height: f64,
    body: String,
}

/// The figures of one arm and one load.
pub struct Set {
    /// Which, where there are several.
    pub heading: Option<String>,
    /// In the order of their numbers.
    pub figures: Vec<Figure>,
    /// The reason why it cannot be drawn, in a sentence.
    pub missing: Option<&'static str>,
}

/// All sets, and how many more there would be.
pub fn sets(comparison: &Comparison) -> (Vec<Set>, usize) {
    let views = FigureView::all(comparison);
    let several = views.len() > 1;
    let more = views.len().saturating_sub(MOST_SETS);
    let shown = views.iter().take(MOST_SETS).enumerate();
    let sets = shown.map(|(number, view)| set(view, &format!("f{number}"), several));
    (sets.collect(), more)
}

fn set(view: &FigureView<'_>, prefix: &str, several: bool) -> Set {
    let mut figures = Vec::new();
    let ops = view.ops();
    for (number, op) in ops.iter().enumerate() {
        let by = words::gained_by(view.comparison);
        let title = format!("{} {by}, {}", view.quantity.gain(), words::ops(op));
        figures.push(gain::draw(view, op, &title, &format!("{prefix}g{number}")));
    }
    figures.extend(levels(view, prefix));
    Set {
        heading: several.then(|| view.heading()),
        figures,
        missing: missing(&ops),
    }
}

/// Without alignment and with it, on one scale so that they can be compared by eye.
fn levels(view: &FigureView<'_>, prefix: &str) -> Vec<Figure> {
    let what = view.quantity.level();
    let Some(arm) = view.arm else {
        let title = format!("{what} of each arm");
        return level::draw(view, &[(title, None)], prefix);
    };
    let mut wanted: Vec<_> = [Some(arm), view.baseline()].into_iter().flatten().collect();
    wanted.sort_by_key(|arm| arm.offset_bytes == 0);
    let wanted: Vec<_> = wanted
        .into_iter()
        .map(|arm| (format!("{what}, {}", standing(view, arm)), Some(arm)))
        .collect();
    level::draw(view, &wanted, prefix)
}

/// `unaligned (+512)`, `aligned`, `/dev/sdb`.
fn standing(view: &FigureView<'_>, arm: &Arm) -> String {
    let several_targets = view.comparison.arms.iter().any(|one| one.target.is_some());
    if several_targets {
        return arm.name.clone();
    }
    // An offset of 0 in a partition at sector 63 is none of the aligned ones.
    let is_aligned = match arm.start_bytes {
        Some(start) => start.is_multiple_of(BLOCK),
        None => arm.offset_bytes == 0,
    };
    match (is_aligned, arm.name.as_str()) {
        (true, "aligned") => "aligned".to_owned(),
        (true, name) => format!("aligned ({name})"),
        (false, name) => format!("unaligned ({name})"),
    }
}

fn missing(ops: &[String]) -> Option<&'static str> {
    let is = |op: &str| matches!(ops, [only] if only == op);
    if is("read") {
        Some("Writes were not measured, so there is no figure of them.")
    } else if is("write") {
        Some("Reads were not measured, so there is no figure of them.")
    } else {
        None
    }
}
