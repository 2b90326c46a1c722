//! Assertions on a profile as one suite, a case each.

use ioalign_core::profile::AssertionOutcome;

use super::case::{JunitCase, JunitOutcome};
use super::xml::XmlWriter;
use crate::watch::found;

/// The name of the suite, and the class of its cases.
const SUITE: &str = "ioalign watch";

/// The whole document. An assertion on I/O that was not seen is an error: a skipped test would pass for a good one.
pub fn assertions(outcomes: &[AssertionOutcome]) -> String {
    let count = |wanted| {
        let all = outcomes.iter().filter(|one| one.holds == wanted);
        all.count().to_string()
    };
    let (tests, failures, errors) = (outcomes.len().to_string(), count(Some(false)), count(None));
    let counts = [
        ("tests", tests.as_str()),
        ("failures", &failures),
        ("errors", &errors),
        ("skipped", "0"),
        ("time", "0.000000"),
    ];
    let mut out = XmlWriter::new();
    out.open(
        "testsuites",
        &[&[("name", "ioalign")][..], &counts].concat(),
    );
    out.open("testsuite", &[&[("name", SUITE)][..], &counts].concat());
    out.empty("properties", &[]);
    for outcome in outcomes {
        case(outcome).write(SUITE, &mut out);
    }
    out.close("testsuite");
    out.close("testsuites");
    out.finish()
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
