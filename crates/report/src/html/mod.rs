//! One self-contained page: no script, no network, printable, in the reader's light or dark.
//!
//! Made for two readers at once: one who has never heard of alignment gets the verdict in plain
//! words, a picture and a glossary; a storage engineer gets every number with its source.

mod badge;
mod cost;
mod document;
mod finding;
mod glossary;
mod grids;
mod index;
pub(crate) mod machine;
mod stack;
mod target;

use crate::model::{Report, Target};
use crate::options::RenderOptions;
use crate::order;
use crate::svg::{self, escape};
use crate::words::numbers::count;

pub(crate) use document::document;

/// Colours, type and tables of every page.
pub(crate) const STYLE: &str = include_str!("style.css");

/// With more targets than this only those that are not sound get a section.
const ALL_IN_FULL: usize = 200;
/// No browser shows more sections at once without pain; the index still lists every target.
const MOST_SECTIONS: usize = 1000;
/// Pictures are the largest part of a section.
const MOST_PICTURES: usize = 100;

/// The whole page.
pub fn render(report: &Report, _options: &RenderOptions) -> String {
    let body = body(report);
    let mut end = String::new();
    glossary::put(&mut end, &body);
    end.push_str(&format!(
        "<footer>Made by {}. The same as data for scripts: <code>ioalign check --json</code>.</footer>\n",
        escape(&report.tool)
    ));
    document(&title(report), &[STYLE, svg::STYLE], &[&body, &end])
}

fn title(report: &Report) -> String {
    match report.targets.as_slice() {
        [one] => format!("{}: {}: storage alignment", order::state(one), one.name),
        many => format!("Storage alignment of {} targets", count(many.len())),
    }
}

fn body(report: &Report) -> String {
    let mut out = String::new();
    head(&mut out, report);
    out.push_str("<main>\n");
    match report.targets.as_slice() {
        [] => out.push_str("<p>Nothing was found to check.</p>\n"),
        [one] => target::put(&mut out, one, 0, true),
        _ => several(&mut out, report),
    }
    out.push_str("</main>\n");
    out
}

/// The program and machine that made the page, and the one idea that a new reader needs.
fn head(out: &mut String, report: &Report) {
    out.push_str("<header>\n<h1>Storage alignment</h1>\n");
    out.push_str(
        "<p class=\"lead\">Storage works in blocks. Where the data of a layer start in the middle \
         of a block, one request touches two, and a small write becomes read, change, write. This \
         page follows each layer down to the disk and says where it starts.</p>\n",
    );
    let policy = report.policy.iter().map(|file| ("policy", file.clone()));
    let facts: Vec<_> = std::iter::once(("tool", report.tool.clone()))
        .chain(policy)
        .collect();
    machine::put(out, &facts, report.machine.as_ref());
    out.push_str("</header>\n");
}

fn several(out: &mut String, report: &Report) {
    let sorted = order::targets(&report.targets);
    let few = sorted.len() <= ALL_IN_FULL;
    let has_section = |target: &Target| few || order::state(target) != "ok";
    let sections: Vec<_> = sorted
        .iter()
        .copied()
        .filter(|target| has_section(target))
        .take(MOST_SECTIONS)
        .collect();
    index::put(out, report, &sorted, &sections);
    for (i, target) in sections.iter().enumerate() {
        target::put(out, target, i, i < MOST_PICTURES);
    }
    let rest = sorted.len() - sections.len();
    if rest > 0 {
        out.push_str(&format!(
            "<p class=\"quiet\">{} more targets have no section of their own: the table above \
             lists them.</p>\n",
            count(rest)
        ));
    }
}
