//! The title above and the one line below: what it comes to.

use ioalign_core::Severity;
use ioalign_core::units::ratio;

use super::page::{Style, TextPage, TextSpan};
use crate::model::Target;
use crate::words::clean::columns;
use crate::words::headline::{headline, said};
use crate::words::numbers::time;
use crate::words::reason;
use crate::words::shorten_middle;
use crate::{order, view};

/// Above the tree: the name, what it is, and the headline.
pub fn title(page: &mut TextPage, target: &Target) {
    let dot = page.glyphs().dot;
    let mut spans = vec![
        TextSpan::new(Style::Strong, target.name.clone()),
        TextSpan::new(Style::Dim, format!("{dot}{}", view::format_of(target))),
    ];
    if target.elapsed_us > 0 && page.options().verbose() {
        let took = time(ratio(target.elapsed_us, 1));
        spans.push(TextSpan::new(Style::Dim, format!("{dot}{took}")));
    }
    page.put("", "", 2, &spans);
    page.line(&[TextSpan::new(style(target), headline(target))]);
    error(page, target);
}

/// The place of the damage in an unreadable target.
fn error(page: &mut TextPage, target: &Target) {
    let Some(error) = &target.error else { return };
    page.put(
        "",
        "",
        2,
        &[TextSpan::plain(reason::place(error).join(", "))],
    );
}

/// The colour of a target's state.
pub fn style(target: &Target) -> Style {
    if target.error.is_some() && target.verdict <= Severity::Note {
        Style::Odd
    } else {
        Style::of(target.verdict)
    }
}

/// What cannot be read, why, and where the damage is.
pub fn unreadable(page: &mut TextPage, target: &Target) {
    page.put("", "", 2, &[TextSpan::new(style(target), headline(target))]);
    error(page, target);
    page.blank();
}

/// The last line: verdict and name, `misaligned  winxp.img  p1 3584 B off 4 KiB`. The worst finding is left out rather
/// than cut.
pub fn line(page: &mut TextPage, target: &Target) {
    let state = order::state(target);
    let said = page.safe(&said(target));
    let room = page.width().saturating_sub(columns(state) + 2);
    let name = page.safe(&target.name);
    let fits = columns(&name) + 2 + columns(&said) <= room;
    let name = shorten_middle(&name, room, page.glyphs().ellipsis);
    page.line(&spans(
        target,
        name,
        if fits { said } else { String::new() },
    ));
}

/// The same for `--quiet`, which scripts read: one line, whatever its length.
pub fn whole_line(page: &mut TextPage, target: &Target) {
    let spans = spans(target, target.name.clone(), said(target));
    page.uncut(&spans);
}

fn spans(target: &Target, name: String, said: String) -> [TextSpan; 5] {
    [
        TextSpan::new(style(target), order::state(target)),
        TextSpan::plain("  "),
        TextSpan::new(Style::Strong, name),
        TextSpan::plain(if said.is_empty() { "" } else { "  " }),
        TextSpan::plain(said),
    ]
}

/// No target at all.
pub fn nothing(page: &mut TextPage) {
    page.line(&[
        TextSpan::new(Style::Odd, "unknown"),
        TextSpan::plain("  nothing was found to check"),
    ]);
}
