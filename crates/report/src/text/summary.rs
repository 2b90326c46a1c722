//! The table of many targets: a folder of ten thousand images, worst first.

use super::page::{Style, TextPage, TextSpan};
use super::verdict;
use crate::model::{Report, Target};
use crate::words::clean::columns;
use crate::words::clean::shorten_end;
use crate::words::headline::said;
use crate::words::numbers::count;
use crate::words::shorten_middle;
use crate::{order, view};

/// Widths of the columns that do not stretch.
const VERDICT: usize = 10;
const FORMAT: usize = 8;

/// The rows that fit, what was left out, and the counts.
pub fn table(page: &mut TextPage<'_>, report: &Report) {
    let all = order::targets(&report.targets);
    let rows = shown(&all, page.options().max_rows);
    if !rows.is_empty() {
        let rows: Vec<_> = rows
            .iter()
            .map(|target| SummaryRow::of(page, target))
            .collect();
        let widths = widths(page, &rows);
        head(page, widths);
        for row in &rows {
            put(page, row, widths);
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

/// A row of the table: the columns that stretch are cut when it is put.
struct SummaryRow<'a> {
    target: &'a Target,
    format: String,
    said: String,
}

impl<'a> SummaryRow<'a> {
    fn of(page: &TextPage<'_>, target: &'a Target) -> Self {
        Self {
            target,
            format: page.safe(&view::format_of(target)),
            said: page.safe(&said(target)),
        }
    }
}

/// Widths of the columns target, format and first finding: the names get what the others leave.
fn widths(page: &TextPage<'_>, rows: &[SummaryRow<'_>]) -> [usize; 3] {
    let widest = |texts: &mut dyn Iterator<Item = &String>, least: &str| {
        let widest = texts.map(|text| columns(text)).max().unwrap_or(0);
        widest.max(columns(least))
    };
    let format = widest(&mut rows.iter().map(|row| &row.format), "format").min(FORMAT);
    let room = page.width().saturating_sub(VERDICT + format + 6);
    let said = widest(&mut rows.iter().map(|row| &row.said), "first finding");
    let said = said.min(room - room * 2 / 5);
    [room.saturating_sub(said), format, said]
}

fn head(page: &mut TextPage<'_>, [name, format, said]: [usize; 3]) {
    let titles = [
        ("target", name),
        ("format", format),
        ("first finding", said),
    ];
    let cells = titles.map(|(title, width)| {
        let title = shorten_end(title, width, page.glyphs().ellipsis);
        format!("{title:<width$}")
    });
    let text = format!("{:<VERDICT$}  {}", "verdict", cells.join("  "));
    page.line(&[TextSpan::new(Style::Dim, text.trim_end())]);
}

fn put(page: &mut TextPage<'_>, row: &SummaryRow<'_>, [name, format, said]: [usize; 3]) {
    let ellipsis = page.glyphs().ellipsis;
    let target = shorten_middle(&page.safe(&row.target.name), name, ellipsis);
    let text = format!(
        "  {}  {}  {}",
        filled(target, name),
        filled(shorten_end(&row.format, format, ellipsis), format),
        shorten_end(&row.said, said, ellipsis)
    );
    let state = format!("{:<VERDICT$}", order::state(row.target));
    page.line(&[
        TextSpan::new(verdict::style(row.target), state),
        TextSpan::plain(text.trim_end()),
    ]);
}

fn filled(text: String, width: usize) -> String {
    let fill = width.saturating_sub(columns(&text));
    text + &" ".repeat(fill)
}

/// `… and 9,876 more ok`.
fn left_out(page: &mut TextPage<'_>, rest: &[&Target]) {
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
    page.line(&[TextSpan::new(Style::Dim, text)]);
}

/// `misaligned  10,000 targets: 3 misaligned, 9,997 ok`.
pub(super) fn counts_line(page: &mut TextPage<'_>, report: &Report) {
    let list: Vec<_> = order::counts(&report.targets)
        .into_iter()
        .map(|(state, n)| format!("{} {state}", count(n)))
        .collect();
    let total = count(report.targets.len());
    let text = format!("  {total} targets: {}", list.join(", "));
    let verdict = report.verdict();
    let room = page.width().saturating_sub(columns(verdict.name()));
    let text = shorten_end(&page.safe(&text), room, page.glyphs().ellipsis);
    page.line(&[
        TextSpan::new(Style::of(verdict), verdict.name()),
        TextSpan::plain(text),
    ]);
}
