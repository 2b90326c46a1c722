//! A comparison as one self-contained page: no script, no network, printable, in light and dark.
//!
//! It opens with the machine that it was taken on. Then come the answer, the table of least, average and
//! most, the figures, and every cell. A cell whose placebo moved is named and has no number.

mod amplification;
mod badge;
mod before;
mod cells;
mod summary;

use ioalign_core::comparison::Comparison;

use super::figures::{self, LEGEND, Set};
use super::words;
use crate::html::{self, document};
use crate::svg::escape;
use crate::words::numbers::{count, time, trimmed};

/// What the figures and tables of a page of a comparison look like.
pub(crate) const STYLE: &str = include_str!("style.css");

/// The whole page.
pub fn render(comparison: &Comparison) -> String {
    let title = words::title(comparison);
    let mut body = String::new();
    head(&mut body, comparison, &title);
    body.push_str("<main>\n");
    summary::put(&mut body, comparison);
    before::put(&mut body, comparison);
    draw(&mut body, comparison);
    cells::put(&mut body, comparison);
    amplification::put(&mut body, comparison);
    how(&mut body, comparison);
    body.push_str("</main>\n");
    body.push_str(&format!(
        "<footer>Made by {}. The same as data for scripts: <code>ioalign measure … --json</code>.</footer>\n",
        escape(&comparison.tool)
    ));
    document(&title, &[html::STYLE, STYLE, figures::STYLE], &[&body])
}

fn head(out: &mut String, comparison: &Comparison, title: &str) {
    out.push_str(&format!("<header>\n<h1>{}</h1>\n", escape(title)));
    let tool = [("tool", comparison.tool.clone())];
    html::machine::put(out, &tool, Some(&comparison.machine));
    let arms: Vec<_> = comparison
        .arms
        .iter()
        .map(|arm| arm.name.as_str())
        .collect();
    out.push_str(&format!(
        "<p class=\"quiet\">Compared: {}, the first being the baseline; {} cells in {}.</p>\n</header>\n",
        escape(&arms.join(", ")),
        count(comparison.cells.len()),
        time(comparison.duration_s * 1e6)
    ));
}

/// The figures, numbered through.
fn draw(out: &mut String, comparison: &Comparison) {
    let (sets, more) = figures::sets(comparison);
    let mut number = 0;
    for set in sets.iter().filter(|set| !set.figures.is_empty()) {
        figures_of(out, set, &mut number);
    }
    if number > 0 {
        out.push_str(&format!("<p class=\"quiet\">{}</p>\n", LEGEND.join(" ")));
    }
    if more > 0 {
        out.push_str(&format!(
            "<p class=\"quiet\">{} more combinations are not drawn: the table has them.</p>\n",
            count(more)
        ));
    }
}

/// The figures of a set; `number`: of the last one before.
pub(crate) fn figures_of(out: &mut String, set: &Set, number: &mut usize) {
    let heading = set.heading.as_deref().unwrap_or("The figures");
    out.push_str(&format!("<h2>{}</h2>\n", escape(heading)));
    out.push_str("<div class=\"figures\">\n");
    for figure in &set.figures {
        *number += 1;
        out.push_str(&format!(
            "<figure>\n<figcaption>Figure {number}. {}</figcaption>\n{}</figure>\n",
            escape(&figure.title),
            figure.element()
        ));
    }
    out.push_str("</div>\n");
    if let Some(missing) = set.missing {
        out.push_str(&format!("<p class=\"quiet\">{missing}</p>\n"));
    }
}

/// The meaning of the verdicts and intervals.
fn how(out: &mut String, comparison: &Comparison) {
    let mut estimates = comparison.cells.iter().flat_map(|cell| &cell.estimates);
    let confidence = estimates.next().map_or(0.95, |one| one.confidence);
    out.push_str(&format!(
        "<h2>How to read it</h2>\n<dl class=\"glossary\">\n\
         <dt>Difference</dt><dd>The arm against the baseline: a latency of +20 % is slower, a throughput \
         of -20 % is less. In brackets the interval that holds the truth with {} %, at whatever time one \
         looked.</dd>\n\
         <dt>Slower, faster, no difference</dt><dd>The whole interval lies beyond, or within, what counts \
         as equal.</dd>\n\
         <dt>Undecided</dt><dd>Time ran out before either was certain. It is no result, and no sign that \
         there is no difference.</dd>\n\
         <dt>Invalid</dt><dd>In every cell the baseline is also measured against its own duplicate. Where \
         these two differ, something other than the arms was measured, and no number of the cell is \
         shown.</dd>\n\
         </dl>\n",
        trimmed(confidence * 100.0)
    ));
}
