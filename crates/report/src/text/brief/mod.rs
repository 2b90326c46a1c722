//! One screen for one target: the stack from the disk upwards, a line a layer; findings of at most six lines
//! with the next command; the verdict. What they rest on is in the full view.

mod describe;
mod findings;
mod group;
mod layers;
mod lines;
mod mark;

use ioalign_core::Severity;

use super::page::{TextPage, TextSpan};
use super::{atomic, direct_io, verdict, write_unit};
use crate::model::Target;
use crate::words::headline::headline;

/// Stack, findings and verdict.
pub fn target(page: &mut TextPage<'_>, target: &Target) {
    if !target.stack.is_empty() {
        lines::put(page, &layers::lines(page, target));
        page.blank();
    }
    if target.error.is_some() {
        verdict::unreadable(page, target);
    }
    findings::all(page, target);
    if target.error.is_none()
        && target.verdict <= Severity::Note
        && target.verdict != Severity::Unknown
    {
        page.line(&[TextSpan::plain(headline(target))]);
    }
    direct_io::put(page, target);
    atomic::put(page, target);
    write_unit::put(page, target);
    verdict::line(page, target);
}
