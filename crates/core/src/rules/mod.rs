//! The page of every rule: what a finding means, what it costs, who says so, what to do, and when
//! to leave it.
//!
//! Data only. `ioalign explain`, SARIF's rule help and `docs/rules.md` are made of it, and a test
//! compares it with the rules that the sources emit: a rule is not done before it has a page.

mod atomic;
mod blocks;
mod captures;
mod crypt;
mod discard;
mod dos;
mod geometry;
mod gpt;
mod hints;
mod images;
mod kubernetes;
mod labels;
mod lvm;
mod md;
mod moves;
mod nearest;
mod reading;
mod refusals;
mod sectors;
pub mod show;
mod sizes;
mod starts;
mod upload;
mod vhd;
mod vmdk;

pub use nearest::nearest;
// The ids: a constant for each rule, beside its page.
pub use {
    atomic::*, blocks::*, captures::*, crypt::*, discard::*, dos::*, geometry::*, gpt::*, hints::*,
    images::*, kubernetes::*, labels::*, lvm::*, md::*, moves::*, reading::*, refusals::*,
    sectors::*, sizes::*, starts::*, upload::*, vhd::*, vmdk::*,
};

use crate::severity::Severity;

/// A rule's page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// Stable kebab-case id, as findings name it.
    pub id: &'static str,
    /// The severity that it usually has; a finding may be milder (swap) or worse.
    pub severity: Severity,
    /// In a few words.
    pub title: &'static str,
    /// What was found.
    pub means: &'static str,
    /// What it costs, and why.
    pub costs: &'static str,
    /// Specification, kernel file or issue.
    pub source: &'static str,
    /// How to put it right.
    pub fix: &'static str,
    /// When it may be left.
    pub ignore: &'static str,
}

/// Rules about one subject.
#[derive(Clone, Debug)]
pub struct RuleGroup {
    /// The subject.
    pub title: &'static str,
    /// Its rules, the most frequent first.
    pub rules: &'static [Rule],
}

static GROUPS: [RuleGroup; 23] = [
    starts::GROUP,
    sizes::GROUP,
    sectors::GROUP,
    blocks::GROUP,
    atomic::GROUP,
    discard::GROUP,
    geometry::GROUP,
    hints::GROUP,
    gpt::GROUP,
    dos::GROUP,
    labels::GROUP,
    md::GROUP,
    lvm::GROUP,
    crypt::GROUP,
    images::GROUP,
    vmdk::GROUP,
    vhd::GROUP,
    upload::GROUP,
    kubernetes::GROUP,
    moves::GROUP,
    refusals::GROUP,
    captures::GROUP,
    reading::GROUP,
];

/// All groups, in the order of the documentation.
pub fn groups() -> impl Iterator<Item = &'static RuleGroup> {
    GROUPS.iter()
}

/// All rules, group by group.
pub fn all() -> impl Iterator<Item = &'static Rule> {
    groups().flat_map(|group| group.rules)
}

/// The refusals of `ioalign fix`.
pub const fn refusals() -> &'static RuleGroup {
    &refusals::GROUP
}

/// The page of a rule.
pub fn find(id: &str) -> Option<&'static Rule> {
    all().find(|rule| rule.id == id)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn ids_are_kebab_case_and_unique() {
        let mut seen = BTreeSet::new();
        for rule in all() {
            assert!(seen.insert(rule.id), "{} is there twice", rule.id);
            let word = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
            assert!(rule.id.chars().all(word), "{}", rule.id);
        }
    }

    #[test]
    fn every_field_is_a_sentence() {
        for rule in all() {
            assert!(!rule.title.ends_with('.'), "{}", rule.id);
            for text in [rule.means, rule.costs, rule.source, rule.fix, rule.ignore] {
                assert!(text.ends_with('.'), "{}: {text}", rule.id);
                assert!(!text.contains("  "), "{}: {text}", rule.id);
            }
        }
    }
}
