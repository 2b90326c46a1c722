//! The rules of a run: those that were found, with the page that `ioalign explain` shows.

use std::collections::BTreeMap;

use ioalign_core::rules;
use ioalign_core::{Finding, Severity};
use serde::Serialize;

use super::text::Message;
use crate::model::Report;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SarifRule {
    id: &'static str,
    short_description: Message,
    full_description: Message,
    help: Message,
    default_configuration: Configuration,
}

#[derive(Serialize)]
struct Configuration {
    level: &'static str,
}

/// One rule a rule id, sorted by id.
pub fn all(report: &Report) -> Vec<SarifRule> {
    let findings = report.targets.iter().flat_map(|target| &target.findings);
    let by_id: BTreeMap<_, _> = findings.map(|finding| (finding.rule, finding)).collect();
    by_id.into_values().map(of).collect()
}

/// The place of a rule in the list.
pub fn index(rules: &[SarifRule], id: &str) -> Option<usize> {
    rules.binary_search_by(|rule| rule.id.cmp(id)).ok()
}

fn of(finding: &Finding) -> SarifRule {
    match rules::find(finding.rule) {
        Some(page) => SarifRule {
            id: page.id,
            short_description: Message::plain(page.title),
            full_description: Message::plain(page.means),
            help: Message::both(&rules::show::text(page, 80), &rules::show::markdown(page)),
            default_configuration: Configuration {
                level: level(page.severity),
            },
        },
        // A rule without a page fails a test of ours; its users still get their result.
        None => SarifRule {
            id: finding.rule,
            short_description: Message::plain(finding.rule),
            full_description: Message::plain(finding.rule),
            help: Message::plain(finding.rule),
            default_configuration: Configuration {
                level: level(finding.severity),
            },
        },
    }
}

/// A loss is an error, a slowdown a warning.
pub const fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Broken | Severity::DataRisk => "error",
        Severity::Misaligned | Severity::Suboptimal => "warning",
        Severity::Note => "note",
        Severity::Ok | Severity::Unknown => "none",
    }
}
