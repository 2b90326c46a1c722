//! Assertions on a profile as one suite, a case each.

use ioalign_core::profile::AssertionOutcome;

use super::case::{JunitCase, JunitOutcome};
use super::plain;
use crate::watch::found;

/// The name of the suite, and the class of its cases.
const SUITE: &str = "ioalign watch";

/// The whole document. An assertion on I/O that was not seen is an error: a skipped test would pass for a good one.
pub fn assertions(outcomes: &[AssertionOutcome]) -> String {
    plain::document(SUITE, &outcomes.iter().map(case).collect::<Vec<_>>())
}

fn case(outcome: &AssertionOutcome) -> JunitCase {
    let text = found(outcome);
    JunitCase {
        name: outcome.assertion.clone(),
        outcome: match outcome.holds {
            Some(true) => JunitOutcome::Passed { note: Some(text) },
            Some(false) => JunitOutcome::Failure {
                kind: "assertion",
                text,
            },
            None => JunitOutcome::Error {
                kind: "unknown".to_owned(),
                text,
            },
        },
    }
}
