//! The target, and the answer in one sentence.

use ioalign_core::comparison::{Cell, Comparison, Estimate, EstimateVerdict, Metric};

use super::super::words;
use crate::text::page::{Style, TextPage, TextSpan};
use crate::words::numbers::{thousands, time};

/// The target, the machine and the time it took.
pub fn title(page: &mut TextPage, comparison: &Comparison) {
    let dot = page.glyphs().dot;
    let (arms, cells) = (comparison.arms.len(), comparison.cells.len());
    let took = time(comparison.duration_s * 1e6);
    let ios: u64 = comparison.cells.iter().map(|cell| cell.ios).sum();
    let facts = format!(
        "{dot}{}, {} in {took}{dot}{} I/Os",
        count(arms, "arm"),
        count(cells, "cell"),
        thousands(ios)
    );
    let name = TextSpan::new(Style::Strong, comparison.target.clone());
    page.put("", "", 2, &[name, TextSpan::new(Style::Dim, facts)]);
    let machine = words::machine(&comparison.machine, dot);
    if !machine.is_empty() {
        page.put("", "", 2, &[TextSpan::new(Style::Dim, machine)]);
    }
}

fn count(n: usize, what: &str) -> String {
    let ending = if n == 1 { "" } else { "s" };
    format!("{n} {what}{ending}")
}

/// One line: what differs most, or that nothing does.
pub fn answer(page: &mut TextPage, comparison: &Comparison) {
    let (style, mut text) = sentence(comparison);
    if let Some(why) = words::no_answer(comparison) {
        page.put("", "", 2, &[TextSpan::new(Style::Dim, why)]);
        text = format!("the arms of this run: {text}");
    }
    page.put("", "", 2, &[TextSpan::new(style, text)]);
    if let Some(why) = &comparison.partial {
        let text = format!("partial: {why}");
        page.put("", "", 2, &[TextSpan::new(Style::Warn, text)]);
    }
}

/// The answer, by medians and throughput: they decide, the other metrics are shown too.
fn sentence(comparison: &Comparison) -> (Style, String) {
    let known = || {
        let cells = comparison.cells.iter();
        cells.flat_map(|cell| cell.estimates.iter().map(move |one| (cell, one)))
    };
    let of = |verdict: EstimateVerdict| known().filter(move |(_, one)| one.verdict == verdict);
    let worst = of(EstimateVerdict::Slower).max_by(|a, b| distance(a.1).total_cmp(&distance(b.1)));
    if let Some((cell, one)) = worst {
        return (Style::Bad, certain(cell, one));
    }
    let best = of(EstimateVerdict::Faster).max_by(|a, b| distance(a.1).total_cmp(&distance(b.1)));
    if let Some((cell, one)) = best {
        return (Style::Warn, certain(cell, one));
    }
    let invalid = of(EstimateVerdict::Invalid).count();
    match (
        known().count(),
        invalid,
        of(EstimateVerdict::NoDifference).count(),
    ) {
        (0, ..) => (Style::Odd, "nothing was measured".to_owned()),
        (all, invalid, _) if all == invalid => (
            Style::Odd,
            "invalid: identical arms differed, so no difference can be determined here".to_owned(),
        ),
        (.., 0) => (Style::Dim, open(comparison)),
        _ => (Style::Good, same(comparison)),
    }
}

/// How far from 1, whichever way.
fn distance(one: &Estimate) -> f64 {
    let ratio = one.ratio.filter(|ratio| *ratio > 0.0);
    // A deciding metric is preferred to a tail that is known only to a factor.
    let weight = match one.metric {
        Metric::LatencyMedian | Metric::Throughput => 1e6,
        _ => 1.0,
    };
    ratio.map_or(0.0, |ratio| ratio.ln().abs()) * weight
}

fn certain(cell: &Cell, one: &Estimate) -> String {
    let difference = one.ratio.map_or_else(String::new, words::difference);
    format!(
        "{}: {}: {} {difference} ({}) against {}, at {}, {}",
        one.verdict.word(),
        one.arm,
        words::metric(one.metric),
        words::interval(one.ratio_low, one.ratio_high),
        one.baseline,
        words::cell(cell),
        words::load(cell.queue_depth, cell.workers),
    )
}

/// The bound that holds for every cell that was decided.
fn same(comparison: &Comparison) -> String {
    let estimates = comparison.cells.iter().flat_map(|cell| &cell.estimates);
    let decided = estimates.filter(|one| one.verdict == EstimateVerdict::NoDifference);
    let bound = words::share(bound(decided).unwrap_or(0.0));
    format!("no-difference: none larger than {bound} where it was decided")
}

/// Nothing is certain but that a difference is no larger than this.
fn open(comparison: &Comparison) -> String {
    let estimates = comparison.cells.iter().flat_map(|cell| &cell.estimates);
    let medians = estimates.filter(|one| one.metric == Metric::LatencyMedian);
    match bound(medians).filter(|bound| *bound < 1.0) {
        Some(bound) => format!(
            "undecided: if median latency differs, then by less than {}; more time would narrow that",
            words::share(bound)
        ),
        None => "undecided: more time would narrow the intervals".to_owned(),
    }
}

/// How far from 1 any interval reaches; `None` where there is none, or one has no ends.
fn bound<'a>(mut estimates: impl Iterator<Item = &'a Estimate>) -> Option<f64> {
    estimates.try_fold(None, |farthest: Option<f64>, one| {
        let far = [one.ratio_low?, one.ratio_high?].map(|end| (end - 1.0).abs());
        let far = far.into_iter().fold(farthest.unwrap_or(0.0), f64::max);
        Some(Some(far))
    })?
}

/// Notes for the reader.
pub fn notes(page: &mut TextPage, comparison: &Comparison) {
    if !comparison.notes.is_empty() {
        page.blank();
    }
    for note in &comparison.notes {
        page.put(
            "",
            "",
            2,
            &[TextSpan::new(Style::Dim, format!("note: {note}"))],
        );
    }
}
