//! What became of assertions, a line each.

use ioalign_core::numbers::thousands;
use ioalign_core::profile::AssertionOutcome;

use crate::words::numbers::share;

/// `  holds    write start%16k >= 99.9 %  99.95 % of 12,345 I/Os`; nothing without assertions.
pub fn assertions(outcomes: &[AssertionOutcome]) -> String {
    if outcomes.is_empty() {
        return String::new();
    }
    let texts = outcomes.iter().map(|one| one.assertion.chars().count());
    let width = texts.max().unwrap_or(0);
    let lines = outcomes.iter().map(|one| {
        let word = word(one);
        format!("  {word:<7}  {:<width$}  {}\n", one.assertion, found(one))
    });
    format!("\nassertions\n{}", lines.collect::<String>())
}

/// Whether it holds, in a word.
pub const fn word(outcome: &AssertionOutcome) -> &'static str {
    match outcome.holds {
        Some(true) => "holds",
        Some(false) => "fails",
        None => "unknown",
    }
}

/// What was counted of it.
pub fn found(outcome: &AssertionOutcome) -> String {
    match outcome.ios {
        0 => "no such I/O was seen".to_owned(),
        ios => format!(
            "{} of {} I/Os",
            share(outcome.matching_ios, ios),
            thousands(ios)
        ),
    }
}
