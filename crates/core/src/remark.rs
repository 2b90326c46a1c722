//! What a reader noticed about the bytes themselves: a bad CRC, a loop, a dirty log.

use serde::Serialize;

use crate::finding::Severity;

/// A finding in the making: the reader knows the rule and the fact, not yet the layer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Remark {
    /// Stable kebab-case rule id, such as `gpt-header-crc`.
    pub rule: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// One sentence with the numbers.
    pub why: String,
    /// What to do about it; empty when there is nothing to do.
    pub advice: Vec<String>,
}

impl Remark {
    /// A remark without advice.
    pub fn new(rule: &'static str, severity: Severity, why: impl Into<String>) -> Self {
        Self {
            rule,
            severity,
            why: why.into(),
            advice: Vec::new(),
        }
    }

    /// A remark that does not spoil an `ok`.
    pub fn note(rule: &'static str, why: impl Into<String>) -> Self {
        Self::new(rule, Severity::Note, why)
    }

    /// Adds a line of advice.
    #[must_use]
    pub fn advise(mut self, line: impl Into<String>) -> Self {
        self.advice.push(line.into());
        self
    }
}
