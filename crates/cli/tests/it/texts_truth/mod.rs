//! The verdict on what people paste: facts of real tickets, rendered again as their programs print them.
//!
//! The table says what is known of each disk, and what must be said of it. Nothing is copied but numbers.

mod dialects;
mod facts;
mod forms;
mod noise;

use std::collections::BTreeSet;

use super::texts::from_stdin;
use facts::Facts;

#[test]
fn pasted_listings_get_the_verdict_that_their_facts_demand() {
    let mut tried = 0;
    let mut wrong = Vec::new();
    for facts in facts::all(include_str!("table.txt")) {
        for dialect in &facts.dialects {
            tried += 1;
            wrong.extend(wrong_verdict(dialect, &facts));
        }
    }
    assert!(tried >= 390, "{tried}");
    assert!(
        wrong.is_empty(),
        "{} of {tried}\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

fn wrong_verdict(dialect: &str, facts: &Facts) -> Option<String> {
    let text = dialects::render(dialect, facts);
    let checked = from_stdin(text.as_bytes(), &[]);
    let of = |finding: &serde_json::Value, key: &str| {
        finding[key].as_str().unwrap_or_default().to_owned()
    };
    let bad = checked
        .findings()
        .iter()
        .filter(|finding| finding["rule"] == "start-misaligned");
    let blamed: BTreeSet<String> = bad
        .filter(|finding| finding["severity"] != "note")
        .map(|finding| of(finding, "layer").replace("partition:", ""))
        .collect();
    let demanded: BTreeSet<String> = facts.blamed.iter().cloned().collect();
    // Swap is one step milder, and is not listed.
    let right = checked.verdict() == facts.verdict && blamed.is_superset(&demanded);
    let reason = checked
        .findings()
        .iter()
        .any(|finding| finding["severity"] == "unknown");
    let right = right && (blamed.len() == demanded.len()) && (reason || facts.verdict != "unknown");
    (!right).then(|| {
        format!(
            "{dialect} {} {}: {} {:?}, not {} {blamed:?}\n{text}",
            facts.name,
            facts.model,
            facts.verdict,
            facts.blamed,
            checked.verdict()
        )
    })
}
