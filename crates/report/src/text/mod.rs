//! For a terminal: one screen a target (`brief`), or with `-v` every grid, cost and source; one verdict line.
//!
//! Never wider than [`RenderOptions::width`], with or without colour, with or without Unicode.

mod atomic;
mod brief;
pub(crate) mod costs;
mod direct_io;
pub(crate) mod findings;
mod glyphs;
mod marks;
pub(crate) mod page;
mod style;
pub mod summary;
mod tree;
pub(crate) mod twins;
mod verdict;
pub mod wrap;
mod write_unit;

pub use findings::command_lines;

use crate::machine;
use crate::model::{Report, Target};
use crate::options::RenderOptions;
use page::{Style, TextPage, TextSpan};

/// More targets than this are shown as a table instead of in full.
const IN_FULL: usize = 3;

/// The whole text.
pub fn render(report: &Report, options: &RenderOptions) -> String {
    let mut page = TextPage::new(options);
    match report.targets.as_slice() {
        [] => verdict::nothing(&mut page),
        [one] if options.quiet() => verdict::whole_line(&mut page, one),
        _ if options.quiet() => summary::counts_line(&mut page, report),
        [only] => {
            opening(&mut page, report);
            one(&mut page, only);
        }
        many => {
            opening(&mut page, report);
            several(&mut page, report, many);
        }
    }
    page.finish()
}

/// A paragraph of a page that is made elsewhere: harmless, wrapped, and ASCII where asked for; `first`
/// and `rest` stand before its first and its later lines.
pub fn paragraph(text: &str, [first, rest]: [&str; 2], options: &RenderOptions) -> String {
    let mut page = TextPage::new(options);
    page.put(first, rest, 0, &[TextSpan::plain(text)]);
    page.finish()
}

/// A title in a page that is made elsewhere: bold where colour is wanted.
pub fn heading(text: &mut String, title: &str, options: &RenderOptions) {
    let (on, off) = match options.color {
        true => ("\u{1b}[1m", "\u{1b}[0m"),
        false => ("", ""),
    };
    text.push_str(&format!("{on}{title}{off}\n"));
}

fn several(page: &mut TextPage, report: &Report, targets: &[Target]) {
    if targets.len() > IN_FULL && !page.options().verbose() {
        return summary::table(page, report);
    }
    for target in targets {
        one(page, target);
        page.blank();
    }
    summary::counts_line(page, report);
}

fn one(page: &mut TextPage, target: &Target) {
    match page.options().verbose() {
        true => full(page, target),
        false => brief::target(page, target),
    }
}

/// Every layer on every grid, every cost.
fn full(page: &mut TextPage, target: &Target) {
    verdict::title(page, target);
    if !target.stack.is_empty() {
        page.blank();
        tree::stack(page, target);
    }
    findings::all(page, target);
    page.blank();
    direct_io::put(page, target);
    atomic::put(page, target);
    write_unit::put(page, target);
    verdict::line(page, target);
}

/// The policy that judged, and the machine of the devices.
fn opening(page: &mut TextPage, report: &Report) {
    if let Some(file) = &report.policy {
        let policy = [TextSpan::new(Style::Dim, "policy  "), TextSpan::plain(file)];
        page.put("", "", 8, &policy);
        if report.machine.is_none() {
            page.blank();
        }
    }
    machine::put(page, report.machine.as_ref());
}
