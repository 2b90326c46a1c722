//! What two captures say differently, as text.

use ioalign_core::capture_difference::CaptureDifference;
use ioalign_core::numbers::count;

use crate::options::RenderOptions;
use crate::text::page::{Style, TextPage, TextSpan};

/// Columns of the name of a fact.
const FACT: usize = 24;

/// The layers with what differs, the findings of one side, and how many layers are equal.
pub fn text(document: &CaptureDifference, options: &RenderOptions) -> String {
    let mut page = TextPage::new(options);
    for (side, name) in [("a", &document.a), ("b", &document.b)] {
        page.put("", "", 3, &[TextSpan::plain(format!("{side}  {name}"))]);
    }
    let mut layer = "";
    for fact in &document.facts {
        if fact.layer != layer {
            layer = &fact.layer;
            page.blank();
            page.put("", "", 2, &[TextSpan::new(Style::Strong, layer)]);
        }
        let of = |value: &Option<String>| value.clone().unwrap_or_else(|| "-".to_owned());
        let line = format!("{:<FACT$}{} -> {}", fact.fact, of(&fact.a), of(&fact.b));
        page.put("  ", "  ", FACT, &[TextSpan::plain(line)]);
    }
    if !document.findings.is_empty() {
        page.blank();
    }
    for finding in &document.findings {
        let on = finding
            .layer
            .as_deref()
            .map_or_else(String::new, |on| format!(" on {on}"));
        let line = format!(
            "only {}: {} ({}){on}: {}",
            finding.only_in,
            finding.rule,
            finding.severity.name(),
            finding.why
        );
        page.put("", "", 8, &[TextSpan::plain(line)]);
    }
    page.blank();
    page.put("", "", 0, &[TextSpan::plain(last(document))]);
    page.finish()
}

fn last(document: &CaptureDifference) -> String {
    let equal = count(document.equal_layers);
    match document.same {
        true => format!("No difference. Layers: {equal}."),
        false => format!(
            "Facts that differ: {}. Findings of one side: {}. Layers that say the same: {equal}.",
            count(document.facts.len()),
            count(document.findings.len())
        ),
    }
}
