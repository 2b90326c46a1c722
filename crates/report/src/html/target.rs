//! The section of one target: verdict, picture, stack, findings.

use super::{badge, finding, grids, stack};
use crate::model::Target;
use crate::svg::{self, escape};
use crate::words::headline::headline;
use crate::words::numbers::time;
use crate::words::{reason, shorten_middle};
use crate::{order, view};
use ioalign_core::units::ratio;

/// Longer names are cut in the heading; the whole one stands in its tooltip.
const NAME: usize = 120;

/// Everything about `target`, the `index`-th section of the page.
pub fn put(out: &mut String, target: &Target, index: usize, picture: bool) {
    let class = badge::state_class(target);
    out.push_str(&format!("<section class=\"target\" id=\"t{index}\">\n"));
    out.push_str(&format!(
        "<h2 title=\"{}\">{}</h2>\n",
        escape(&target.name),
        escape(&shorten_middle(&target.name, NAME, "…"))
    ));
    out.push_str(&format!(
        "<div class=\"verdict {class}\">\n{}",
        badge::state(target)
    ));
    out.push_str(&format!(
        "<p class=\"headline\">{}</p>\n</div>\n",
        escape(&headline(target))
    ));
    error(out, target);
    out.push_str(&format!("<p class=\"quiet\">{}</p>\n", origin(target)));
    if picture {
        draw(out, target, index);
    }
    if !target.stack.is_empty() {
        stack::put(out, target);
        grids::put(out, target);
    }
    findings(out, target);
    out.push_str("</section>\n");
}

fn origin(target: &Target) -> String {
    let mut parts = vec![escape(&view::format_of(target))];
    let kind = target.source.name();
    if parts.first().is_some_and(|format| format != kind) {
        parts.push(kind.to_owned());
    }
    if target.elapsed_us > 0 {
        parts.push(format!(
            "read and judged in {}",
            time(ratio(target.elapsed_us, 1))
        ));
    }
    parts.join(" · ")
}

/// The damaged structure, and its place in a file.
fn error(out: &mut String, target: &Target) {
    let Some(error) = &target.error else { return };
    out.push_str("<dl class=\"error\">\n");
    let mut row = |name: &str, value: &str| {
        out.push_str(&format!(
            "<div><dt>{name}</dt><dd>{}</dd></div>\n",
            escape(value)
        ));
    };
    row("what", &reason::short(error));
    row("kind", &error.kind);
    if let Some(path) = &error.path {
        row("file", path);
    }
    if let Some(at) = error.offset {
        row("offset", &format!("byte {at} (0x{at:x})"));
    }
    if let Some(field) = &error.field {
        row("field", field);
    }
    out.push_str("</dl>\n");
}

/// The picture on a white card, which keeps its colours on a dark page.
fn draw(out: &mut String, target: &Target, index: usize) {
    let prefix = format!("ia{index}");
    let Some(picture) = svg::picture(target, &prefix) else {
        return;
    };
    out.push_str("<figure>\n<div class=\"picture\">\n");
    out.push_str(&svg::element(&picture, &prefix));
    out.push_str(
        "</div>\n<figcaption>One request on its way down: each band is a layer, each tick a \
         boundary of that layer.</figcaption>\n</figure>\n",
    );
}

fn findings(out: &mut String, target: &Target) {
    let merged = order::merged(target);
    if merged.is_empty() {
        return;
    }
    out.push_str("<h3>Findings, worst first</h3>\n");
    let mut stated = Vec::new();
    for one in &merged {
        finding::put(out, target, one, &mut stated);
    }
}
