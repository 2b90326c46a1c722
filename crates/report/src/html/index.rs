//! The table of many targets, worst first, with links to their sections.

use super::badge;
use crate::model::{Report, Target};
use crate::svg::escape;
use crate::words::headline::said;
use crate::words::numbers::count;
use crate::{order, view};

/// The counts and a row a target; `sections` are those that have one, in order.
pub fn put(out: &mut String, report: &Report, all: &[&Target], sections: &[&Target]) {
    let list: Vec<_> = order::counts(&report.targets)
        .into_iter()
        .map(|(state, n)| format!("{} {state}", count(n)))
        .collect();
    out.push_str(&format!(
        "<section class=\"index\">\n<h2>{} targets</h2>\n<p class=\"headline\">{}.</p>\n",
        count(all.len()),
        list.join(", ")
    ));
    out.push_str(
        "<table class=\"cards\">\n<thead><tr><th>verdict</th><th>target</th><th>format</th>\
         <th>first finding</th></tr></thead>\n<tbody>\n",
    );
    for (i, target) in all.iter().enumerate() {
        // Sections are a part of the same list in the same order.
        let name = escape(&target.name);
        let at = section_of(target, i, sections);
        let name = at.map_or_else(
            || name.clone(),
            |at| format!("<a href=\"#t{at}\">{name}</a>"),
        );
        out.push_str(&format!(
            "<tr><td>{}</td><td class=\"name\">{name}</td><td data-label=\"format\">{}</td>\
             <td data-label=\"first finding\">{}</td></tr>\n",
            badge::state(target),
            escape(&view::format_of(target)),
            escape(&said(target))
        ));
    }
    out.push_str("</tbody>\n</table>\n</section>\n");
}

/// The number of a target's section. Sections that are left out are sound and sorted behind all
/// others, or beyond the limit, so a section has the same place in both lists.
fn section_of(target: &Target, place: usize, sections: &[&Target]) -> Option<usize> {
    let there = sections.get(place)?;
    std::ptr::eq(*there, target).then_some(place)
}
