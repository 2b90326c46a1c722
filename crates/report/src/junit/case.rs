//! Test cases: that the target was read, each layer in order, each finding.

use std::collections::{BTreeSet, HashMap};

use ioalign_core::{Finding, LayerId, Severity};

use super::xml::XmlWriter;
use crate::devices;
use crate::model::{FailOn, Target};
use crate::order;
use crate::starts::blamed;
use crate::view::unique;
use crate::words::ended::ended;

/// One thing that was looked at.
pub struct JunitCase {
    /// What viewers list.
    pub name: String,
    /// Its result.
    pub outcome: JunitOutcome,
}

/// The result of a test case.
pub enum JunitOutcome {
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
pub fn all(target: &Target, fail: &FailOn) -> Vec<JunitCase> {
    let paths = devices::paths(&target.stack);
    let label = |id: LayerId| paths.get(id.0).cloned().unwrap_or_default();
    let findings = order::findings(target);
    let stated: BTreeSet<LayerId> = findings
        .iter()
        .flat_map(|finding| [finding.layer, finding.guilty])
        .flatten()
        .collect();
    let silent = target
        .stack
        .layers()
        .filter(|(id, layer)| layer.role.carries_data() && !stated.contains(id))
        .map(|(id, _)| JunitCase {
            name: label(id),
            outcome: JunitOutcome::Passed { note: None },
        });
    let said = findings.iter().map(|finding| {
        let layer = blamed(finding).map_or_else(String::new, |id| label(id) + " ");
        JunitCase {
            name: format!("{layer}{}", finding.rule),
            outcome: outcome(finding, fail),
        }
    });
    let mut seen = HashMap::new();
    std::iter::once(read(target))
        .chain(silent)
        .chain(said)
        .map(|case| JunitCase {
            name: unique(&mut seen, case.name),
            ..case
        })
        .collect()
}

fn read(target: &Target) -> JunitCase {
    let outcome = match &target.error {
        None => JunitOutcome::Passed { note: None },
        Some(error) => JunitOutcome::Error {
            kind: error.kind.clone(),
            text: ended(&error.message),
        },
    };
    JunitCase {
        name: "readable".to_owned(),
        outcome,
    }
}

fn outcome(finding: &Finding, fail: &FailOn) -> JunitOutcome {
    let mut text = ended(&finding.why);
    if let Some(waiver) = &finding.waived {
        let why = format!("waived until {}: {}: {text}", waiver.expires, waiver.reason);
        return JunitOutcome::Skipped { why };
    }
    for step in &finding.steps {
        text.push_str(&format!("\n{step}"));
    }
    match finding.severity {
        Severity::Unknown => JunitOutcome::Skipped { why: text },
        severity if fail.fails(finding) => JunitOutcome::Failure {
            kind: severity.name(),
            text,
        },
        _ => JunitOutcome::Passed { note: Some(text) },
    }
}

impl JunitCase {
    /// Writes the element; the class is the target, as viewers group by it.
    pub fn write(&self, class: &str, out: &mut XmlWriter) {
        let attributes = [("name", self.name.as_str()), ("classname", class)];
        if matches!(self.outcome, JunitOutcome::Passed { note: None }) {
            out.empty("testcase", &attributes);
            return;
        }
        out.open("testcase", &attributes);
        match &self.outcome {
            JunitOutcome::Passed { note } => {
                out.text("system-out", &[], note.as_deref().unwrap_or_default());
            }
            JunitOutcome::Failure { kind, text } => failed("failure", kind, text, out),
            JunitOutcome::Error { kind, text } => failed("error", kind, text, out),
            JunitOutcome::Skipped { why } => out.empty("skipped", &[("message", why)]),
        }
        out.close("testcase");
    }
}

/// The first line is the message that viewers list, the rest is shown when opened.
fn failed(element: &str, kind: &str, text: &str, out: &mut XmlWriter) {
    let message = text.lines().next().unwrap_or_default();
    out.text(element, &[("message", message), ("type", kind)], text);
}
