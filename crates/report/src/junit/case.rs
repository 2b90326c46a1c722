//! Test cases: that the target was read, each layer in order, each finding.

use std::collections::BTreeSet;

use ioalign_core::{Finding, LayerId, Severity};

use super::xml::Writer;
use crate::model::{FailOn, Target};
use crate::order;
use crate::starts::blamed;
use crate::view::labels;
use crate::words::ended::ended;

/// One thing that was looked at.
pub struct Case {
    name: String,
    /// Its result.
    pub outcome: Outcome,
}

/// The result of a test case.
pub enum Outcome {
    /// Nothing to complain about; what there is to say.
    Passed { note: Option<String> },
    /// It fails the build.
    Failure { kind: &'static str, text: String },
    /// It could not be read.
    Error { kind: String, text: String },
    /// Not known, or waived.
    Skipped { why: String },
}

/// All cases of a target; at least one.
pub fn all(target: &Target, fail: &FailOn) -> Vec<Case> {
    let labels = labels(&target.stack);
    let label = |id: LayerId| labels.get(id.0).cloned().unwrap_or_default();
    let findings = order::findings(target);
    let told: BTreeSet<LayerId> = findings
        .iter()
        .flat_map(|finding| [finding.layer, finding.guilty])
        .flatten()
        .collect();
    let silent = target
        .stack
        .layers()
        .filter(|(id, layer)| layer.role.carries_data() && !told.contains(id))
        .map(|(id, _)| Case {
            name: label(id),
            outcome: Outcome::Passed { note: None },
        });
    let said = findings.iter().map(|finding| {
        let layer = blamed(finding).map_or_else(String::new, |id| label(id) + " ");
        Case {
            name: format!("{layer}{}", finding.rule),
            outcome: outcome(finding, fail),
        }
    });
    std::iter::once(read(target))
        .chain(silent)
        .chain(said)
        .collect()
}

fn read(target: &Target) -> Case {
    let outcome = match &target.error {
        None => Outcome::Passed { note: None },
        Some(error) => Outcome::Error {
            kind: error.kind.clone(),
            text: ended(&error.message),
        },
    };
    Case {
        name: "readable".to_owned(),
        outcome,
    }
}

fn outcome(finding: &Finding, fail: &FailOn) -> Outcome {
    let mut text = ended(&finding.why);
    if let Some(waiver) = &finding.waived {
        let why = format!("waived until {}: {}: {text}", waiver.expires, waiver.reason);
        return Outcome::Skipped { why };
    }
    for step in &finding.steps {
        text.push_str(&format!("\n{step}"));
    }
    match finding.severity {
        Severity::Unknown => Outcome::Skipped { why: text },
        severity if fail.fails(finding) => Outcome::Failure {
            kind: severity.name(),
            text,
        },
        _ => Outcome::Passed { note: Some(text) },
    }
}

impl Case {
    /// Writes the element; the class is the target, as viewers group by it.
    pub fn write(&self, class: &str, out: &mut Writer) {
        let attributes = [("name", self.name.as_str()), ("classname", class)];
        if matches!(self.outcome, Outcome::Passed { note: None }) {
            out.empty("testcase", &attributes);
            return;
        }
        out.open("testcase", &attributes);
        match &self.outcome {
            Outcome::Passed { note } => {
                out.text("system-out", &[], note.as_deref().unwrap_or_default());
            }
            Outcome::Failure { kind, text } => failed("failure", kind, text, out),
            Outcome::Error { kind, text } => failed("error", kind, text, out),
            Outcome::Skipped { why } => out.empty("skipped", &[("message", why)]),
        }
        out.close("testcase");
    }
}

/// The first line is the message that viewers list, the rest is shown when opened.
fn failed(element: &str, kind: &str, text: &str, out: &mut Writer) {
    let message = text.lines().next().unwrap_or_default();
    out.text(element, &[("message", message), ("type", kind)], text);
}
