//! The title above and the one line below: what it comes to.

use ioalign_core::Severity;
use ioalign_core::units::ratio;

use super::page::{Style, TextPage, TextSpan};
use super::summary;
use crate::model::Target;
use crate::words::clean::{columns, shorten_end};
use crate::words::headline::headline;
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

/// One line, at most as wide as the page: `misaligned  winxp.img  p1 3584 B off 4 KiB`.
pub fn line(page: &mut TextPage, target: &Target) {
    let state = order::state(target);
    let said = summary::said(target);
    let ellipsis = page.glyphs().ellipsis;
    let room = page.width().saturating_sub(columns(state) + 4);
    let said = shorten_end(&page.safe(&said), room * 3 / 5, ellipsis);
    let rest = room.saturating_sub(columns(&said));
    let name = shorten_middle(&page.safe(&target.name), rest, ellipsis);
    page.line(&[
        TextSpan::new(style(target), state),
        TextSpan::plain("  "),
        TextSpan::new(Style::Strong, name),
        TextSpan::plain("  "),
        TextSpan::plain(said),
    ]);
}

/// No target at all.
pub fn nothing(page: &mut TextPage) {
    page.line(&[
        TextSpan::new(Style::Odd, "unknown"),
        TextSpan::plain("  nothing was found to check"),
    ]);
}
