//! One finding: what, why in numbers, what it costs, what to do.

use ioalign_core::Severity;
use ioalign_core::cost::CostRow;

use super::{badge, cost};
use crate::model::Target;
use crate::order::Merged;
use crate::svg::escape;
use crate::words::headline::grid_of;
use crate::words::sentence::sentence;
use crate::words::{kinds, place, remedy};

/// The finding as a card; `stated` holds the cost tables that the reader has seen in this section.
pub fn put<'a>(
    out: &mut String,
    target: &Target,
    one: &Merged<'a>,
    stated: &mut Vec<&'a [CostRow]>,
) {
    let finding = one.finding;
    let class = badge::class(finding.severity);
    out.push_str(&format!("<article class=\"finding {class}\">\n"));
    title(out, target, one);
    out.push_str(&format!("<p>{}</p>\n", escape(&sentence(&finding.why))));
    if let Some(waived) = remedy::waived(finding) {
        out.push_str(&format!("<p>{}</p>\n", escape(&waived)));
    }
    costs(out, target, one, stated);
    if let Some(better) = remedy::better(&finding.suggest) {
        out.push_str(&format!("<p>{}</p>\n", escape(&better)));
    }
    steps(out, &finding.steps);
    let mut last: Vec<String> = Vec::new();
    last.extend(remedy::in_place(finding).map(str::to_owned));
    last.push(format!(
        "Confidence: {}.",
        kinds::confidence(finding.confidence)
    ));
    out.push_str(&format!(
        "<p class=\"quiet\">{}</p>\n</article>\n",
        last.join(" ")
    ));
}

fn title(out: &mut String, target: &Target, one: &Merged<'_>) {
    let mut who = String::new();
    if !one.layers.is_empty() {
        let names = place::names(&target.stack, one.layers.iter().copied());
        who.push_str(&escape(&names));
    }
    if let Some(guilty) = one.because() {
        let name = place::name(&target.stack, guilty);
        who.push_str(&format!(", because of {}", escape(&name)));
    }
    out.push_str(&format!(
        "<h4>{} <span class=\"who\">{who}</span> <code class=\"rule\">{}</code></h4>\n",
        badge::severity(one.finding.severity),
        escape(one.finding.rule)
    ));
}

/// The table; for a note only on demand, and not twice.
fn costs<'a>(out: &mut String, target: &Target, one: &Merged<'a>, stated: &mut Vec<&'a [CostRow]>) {
    let finding = one.finding;
    let grid = grid_of(target, finding);
    if finding.cost.is_empty() {
        return;
    }
    if finding.severity == Severity::Note {
        out.push_str("<details><summary>what it costs</summary>\n");
        cost::table(out, &finding.cost.iter().collect::<Vec<_>>(), grid);
        out.push_str("</details>\n");
    } else if stated.contains(&finding.cost.as_slice()) {
        out.push_str("<p>Cost as above.</p>\n");
    } else {
        stated.push(&finding.cost);
        cost::put(out, finding, grid);
    }
}

/// Commands stand in their own boxes, so that they can be copied; the rest is prose.
fn steps(out: &mut String, steps: &[String]) {
    if steps.is_empty() {
        return;
    }
    out.push_str("<p class=\"do\">What to do:</p>\n<ul class=\"steps\">\n");
    for step in steps {
        match step.strip_prefix("$ ") {
            Some(command) => out.push_str(&format!(
                "<li><pre><code>{}</code></pre></li>\n",
                escape(command)
            )),
            None => out.push_str(&format!("<li>{}</li>\n", escape(step))),
        }
    }
    out.push_str("</ul>\n");
}
