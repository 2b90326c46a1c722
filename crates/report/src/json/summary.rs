//! The part of the JSON document about all targets together.

use ioalign_core::Severity;
use ioalign_core::severity::verdict;
use serde::Serialize;

use crate::model::Target;

/// Counted while the targets are written.
#[derive(Serialize)]
pub struct ReportSummary {
    targets: usize,
    errors: usize,
    verdict: Severity,
    by_verdict: ByVerdict,
    elapsed_us: u64,
}

/// Targets by verdict; their sum is the number of targets.
#[derive(Default, Serialize)]
#[serde(rename_all = "kebab-case")]
struct ByVerdict {
    broken: usize,
    data_risk: usize,
    misaligned: usize,
    suboptimal: usize,
    note: usize,
    ok: usize,
    unknown: usize,
}

impl Default for ReportSummary {
    fn default() -> Self {
        Self {
            targets: 0,
            errors: 0,
            verdict: Severity::Ok,
            by_verdict: ByVerdict::default(),
            elapsed_us: 0,
        }
    }
}

impl ReportSummary {
    /// Counts one more.
    pub fn add(&mut self, target: &Target) {
        self.targets += 1;
        self.errors += usize::from(target.error.is_some());
        *self.by_verdict.slot(target.verdict) += 1;
        self.verdict = verdict([self.verdict, target.verdict]);
        self.elapsed_us = self.elapsed_us.saturating_add(target.elapsed_us);
    }
}

impl ByVerdict {
    const fn slot(&mut self, verdict: Severity) -> &mut usize {
        match verdict {
            Severity::Broken => &mut self.broken,
            Severity::DataRisk => &mut self.data_risk,
            Severity::Misaligned => &mut self.misaligned,
            Severity::Suboptimal => &mut self.suboptimal,
            Severity::Note => &mut self.note,
            Severity::Ok => &mut self.ok,
            Severity::Unknown => &mut self.unknown,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_by_one_the_verdict_is_that_of_all() {
        use Severity::{Broken, Misaligned, Note, Ok, Unknown};
        for list in [
            &[][..],
            &[Unknown, Ok],
            &[Ok, Unknown, Note],
            &[Unknown, Misaligned, Note],
            &[Misaligned, Unknown, Broken, Ok],
        ] {
            let mut summary = ReportSummary::default();
            for severity in list {
                let target = Target {
                    verdict: *severity,
                    ..Target::default()
                };
                summary.add(&target);
            }
            assert_eq!(summary.verdict, verdict(list.iter().copied()));
        }
    }
}
