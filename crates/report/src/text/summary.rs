//! The table of many targets: a folder of ten thousand images, worst first.

use super::page::{Page, Span, Style};
use super::verdict;
use crate::model::{Report, Target};
use crate::words::clean::columns;
use crate::words::headline::brief;
use crate::words::numbers::{count, duration};
use crate::words::shorten_middle;
use crate::{order, view};

/// Widths of the columns that do not stretch.
const VERDICT: usize = 10;
const FORMAT: usize = 8;

/// The rows that fit, what was left out, and the counts.
pub fn table(page: &mut Page<'_>, report: &Report) {
    let all = order::targets(&report.targets);
    let rows = shown(&all, page.options().max_rows);
    if !rows.is_empty() {
        head(page);
        for target in &rows {
            row(page, target);
        }
    }
    left_out(page, all.get(rows.len()..).unwrap_or_default());
    page.blank();
    counts_line(page, report);
}

/// All where they fit; otherwise those with something to say, as many as fit.
fn shown<'a>(all: &[&'a Target], most: usize) -> Vec<&'a Target> {
    if all.len() <= most {
        return all.to_vec();
    }
    let worth = all.iter().filter(|target| order::state(target) != "ok");
    worth.take(most).copied().collect()
}

/// Columns for the target and for what was found.
fn widths(page: &Page<'_>) -> (usize, usize) {
    let room = page.width().saturating_sub(VERDICT + FORMAT + 6);
    (room - room / 2, room / 2)
}

fn head(page: &mut Page<'_>) {
    let (name, said) = widths(page);
    let text = format!(
        "{:<VERDICT$}  {:<name$}  {:<FORMAT$}  {:<said$}",
        "verdict", "target", "format", "first finding"
    );
    page.line(&[Span::new(Style::Dim, text.trim_end())]);
}

fn row(page: &mut Page<'_>, target: &Target) {
    let (name, said) = widths(page);
    let finding = match (&target.error, order::findings(target).first()) {
        (Some(error), _) => error.message.clone(),
        (None, Some(first)) => brief(target, first),
        (None, None) => String::new(),
    };
    let text = format!(
        "  {}  {}  {}",
        cell(page, &target.name, name),
        cell(page, &view::format_of(target), FORMAT),
        cell(page, &finding, said)
    );
    let state = format!("{:<VERDICT$}", order::state(target));
    page.line(&[
        Span::new(verdict::style(target), state),
        Span::plain(text.trim_end()),
    ]);
}

/// Cleaned, shortened in the middle, and filled up with spaces.
fn cell(page: &Page<'_>, text: &str, width: usize) -> String {
    let text = shorten_middle(&page.safe(text), width, page.glyphs().ellipsis);
    let fill = width.saturating_sub(columns(&text));
    text + &" ".repeat(fill)
}

/// `… and 9,876 more ok`.
fn left_out(page: &mut Page<'_>, rest: &[&Target]) {
    let mut counts: Vec<(&str, usize)> = Vec::new();
    for target in rest {
        let state = order::state(target);
        match counts.iter_mut().find(|(known, _)| *known == state) {
            Some((_, n)) => *n += 1,
            None => counts.push((state, 1)),
        }
    }
    if counts.is_empty() {
        return;
    }
    let list: Vec<_> = counts
        .iter()
        .map(|(state, n)| format!("{} more {state}", count(*n)))
        .collect();
    let text = format!("{} and {}", page.glyphs().ellipsis, list.join(", "));
    page.line(&[Span::new(Style::Dim, text)]);
}

/// `misaligned  10,000 targets: 3 misaligned, 9,997 ok (12.3 s)`.
pub(super) fn counts_line(page: &mut Page<'_>, report: &Report) {
    let list: Vec<_> = order::counts(&report.targets)
        .into_iter()
        .map(|(state, n)| format!("{} {state}", count(n)))
        .collect();
    let elapsed = report
        .targets
        .iter()
        .fold(0, |sum, target| u64::saturating_add(sum, target.elapsed_us));
    let took = match elapsed {
        0 => String::new(),
        us => format!(" ({} of work)", duration(us)),
    };
    let total = count(report.targets.len());
    let verdict = report.verdict();
    page.put(
        "",
        "",
        2,
        &[
            Span::new(Style::of(verdict), verdict.name()),
            Span::plain(format!("  {total} targets: {}{took}", list.join(", "))),
        ],
    );
}
