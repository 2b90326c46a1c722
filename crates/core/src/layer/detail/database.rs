//! What is known of a database.

use super::Facts;

/// What is known of a database besides its page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DatabaseDetail {
    /// Whether it restores pages that were written in part: doublewrite, full-page writes.
    pub torn_page_protection: Option<bool>,
    /// Where the size of its blocks is from, unless it says so itself.
    pub block_source: Option<String>,
}

impl DatabaseDetail {
    pub(super) fn facts(&self) -> Facts {
        let word = |on: bool| if on { "on" } else { "off" }.to_owned();
        let facts = [
            ("torn-page-protection", self.torn_page_protection.map(word)),
            ("block-source", self.block_source.clone()),
        ];
        let known = facts
            .into_iter()
            .filter_map(|(key, value)| Some((key, value?)));
        known.collect()
    }
}
