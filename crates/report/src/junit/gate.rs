//! A gate as one suite, a case a load.

use ioalign_core::gate_document::{GateDocument, GateVerdict};

use super::case::{JunitCase, JunitOutcome};
use super::plain;
use crate::gate::found;
use crate::load::describe;

/// The whole document. What is undecided is an error: a skipped test would pass for a good one.
pub fn gate(document: &GateDocument) -> String {
    let cases = document.steps.iter().map(|step| {
        let text = found(step, document);
        JunitCase {
            name: describe(&step.workload),
            outcome: match step.verdict {
                GateVerdict::Pass => JunitOutcome::Passed { note: Some(text) },
                GateVerdict::Fail => JunitOutcome::Failure {
                    kind: "slower",
                    text,
                },
                GateVerdict::Undecided => JunitOutcome::Error {
                    kind: "undecided".to_owned(),
                    text,
                },
            },
        }
    });
    plain::document("ioalign measure gate", &cases.collect::<Vec<_>>())
}
