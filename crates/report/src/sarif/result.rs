//! Findings as results.

use std::collections::BTreeMap;

use ioalign_core::{Bytes, Finding, Severity};
use serde::Serialize;

use super::rule::{SarifRule, index, level};
use super::text::Message;
use super::{fingerprint, place};
use crate::model::{FailOn, Report, Target};
use crate::order;
use crate::view::LayerNames;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SarifResult<'a> {
    rule_id: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    rule_index: Option<usize>,
    kind: &'static str,
    level: &'static str,
    message: Message,
    locations: [place::Location; 1],
    partial_fingerprints: BTreeMap<&'static str, String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    suppressions: Vec<Suppression<'a>>,
    properties: Properties<'a>,
}

/// A waiver (§3.35).
#[derive(Serialize)]
struct Suppression<'a> {
    kind: &'static str,
    status: &'static str,
    justification: &'a str,
    properties: Expiry<'a>,
}

#[derive(Serialize)]
struct Expiry<'a> {
    expires: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Properties<'a> {
    severity: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    unit_bytes: Option<Bytes>,
    #[serde(skip_serializing_if = "Option::is_none")]
    offset_bytes: Option<Bytes>,
    #[serde(skip_serializing_if = "Option::is_none")]
    suggested_start_bytes: Option<Bytes>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    steps: &'a [String],
}

/// All results, target by target, worst first in each.
pub fn all<'a>(report: &'a Report, rules: &[SarifRule]) -> Vec<SarifResult<'a>> {
    let targets = report.targets.iter();
    targets
        .flat_map(|target| {
            let names = LayerNames::of(&target.stack);
            let findings = order::findings(target);
            let fingerprints = fingerprint::all(target, &findings);
            let results = findings
                .into_iter()
                .zip(fingerprints)
                .map(|(finding, prints)| {
                    of((target, &names), (finding, prints), rules, &report.fail)
                });
            results.collect::<Vec<_>>()
        })
        .collect()
}

fn of<'a>(
    (target, names): (&Target, &LayerNames),
    (finding, partial_fingerprints): (&'a Finding, BTreeMap<&'static str, String>),
    rules: &[SarifRule],
    fail: &FailOn,
) -> SarifResult<'a> {
    let waived = finding.waived.iter();
    SarifResult {
        rule_id: finding.rule,
        rule_index: index(rules, finding.rule),
        kind: kind(finding.severity),
        level: counted_level(finding, fail),
        message: Message::plain(&finding.why),
        locations: [place::of(target, names, finding)],
        partial_fingerprints,
        suppressions: waived.map(suppression).collect(),
        properties: Properties {
            severity: finding.severity.name(),
            unit_bytes: finding.unit,
            offset_bytes: finding.offset,
            suggested_start_bytes: finding.suggest.start,
            steps: &finding.steps,
        },
    }
}

fn suppression(waiver: &ioalign_core::Waiver) -> Suppression<'_> {
    Suppression {
        kind: "external",
        status: "accepted",
        justification: &waiver.reason,
        properties: Expiry {
            expires: &waiver.expires,
        },
    }
}

/// `open`: not enough is known to decide (§3.27.9).
const fn kind(severity: Severity) -> &'static str {
    match severity {
        Severity::Unknown => "open",
        Severity::Ok => "pass",
        _ => "fail",
    }
}

/// The level by severity, as far as a policy lets it fail a build.
fn counted_level(finding: &Finding, fail: &FailOn) -> &'static str {
    match (level(finding.severity), fail.fails(finding)) {
        ("note", true) => "warning",
        ("warning" | "error", false) if finding.counts() => "note",
        (level, _) => level,
    }
}
