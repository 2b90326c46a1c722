//! Every rule that the sources emit has a page, every page a rule, and the documentation is current.

use std::path::{Path, PathBuf};

use ioalign_core::rules;

use super::scan::{Sources, emitted};

/// Set to write the documentation instead of comparing.
const UPDATE: &str = "UPDATE_DOCS";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn sources(crates: &[&str]) -> Sources {
    Sources::read(
        crates
            .iter()
            .map(|name| root().join("crates").join(name).join("src")),
    )
}

#[test]
fn every_rule_has_a_page_and_every_page_a_rule() {
    let found = emitted(&sources(&["core", "inspect", "check", "cli"]).with_ids());
    assert!(
        found.unclear.is_empty(),
        "these calls name a rule in a way that this test cannot follow; use `rules::NAME`, or \
         `let rule = …;` in the same file:\n  {}",
        found.unclear.join("\n  ")
    );
    let missing: Vec<String> = found
        .rules
        .iter()
        .filter(|(id, _)| rules::find(id).is_none())
        .map(|(id, place)| format!("{id}  ({place})"))
        .collect();
    let stale: Vec<&str> = rules::all()
        .map(|rule| rule.id)
        .filter(|id| !found.rules.contains_key(*id))
        .collect();
    assert!(
        missing.is_empty() && stale.is_empty(),
        "rules without a page, add one to a group in crates/core/src/rules/ and run \
         `cargo xtask docs`:\n  {}\npages whose rule is emitted nowhere, remove them:\n  {}",
        missing.join("\n  "),
        stale.join("\n  ")
    );
}

/// A displayed fact is text for people and for JSON: what is decided asks the typed fields.
#[test]
fn no_decision_reads_a_displayed_fact() {
    let found = sources(&["core", "inspect", "check", "repair", "cli"]).decisions_by_facts();
    assert!(
        found.is_empty(),
        "make it a field of `core::layer::detail`:\n  {}",
        found.join("\n  ")
    );
}

/// Sources name a rule by its constant: another word for a rule may not change what they do.
#[test]
fn the_id_of_a_rule_is_written_once() {
    let ids: Vec<_> = rules::all().map(|rule| rule.id).collect();
    let literals = sources(&["core", "inspect", "repair", "report", "cli"]).literals_of(&ids);
    assert!(
        literals.is_empty(),
        "use the constant of `core::rules`:\n  {}",
        literals.join("\n  ")
    );
}

#[test]
fn the_documentation_is_current() {
    for (name, text) in [
        ("docs/rules.md", rules::show::document()),
        ("docs/fix-refusals.md", rules::show::refusals()),
    ] {
        let path = root().join(name);
        if std::env::var_os(UPDATE).is_some() {
            std::fs::write(&path, &text).unwrap();
        }
        let known = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(known == text, "{name} is old: run `cargo xtask docs`");
    }
}
