//! Performance data: counts with their thresholds, always the same labels in the same order.

use ioalign_core::Severity;

use crate::model::{Report, Target};
use crate::starts::{faulty, placed};

/// `misaligned=1;0;;0;3 broken=0;;0;0;3 …`: a threshold of 0 alerts on anything above.
pub fn data(report: &Report) -> String {
    use Severity::{Broken, DataRisk, Misaligned, Suboptimal, Unknown};
    let layers = |severities: &[Severity]| sum(report, |target| faulty(target, severities).len());
    let scanned = sum(report, scanned);
    let unknown = sum(report, |target| {
        let silent = |severity| severity == Unknown;
        target
            .findings
            .iter()
            .filter(|finding| finding.counts() && silent(finding.severity))
            .count()
    });
    let bogus = sum(report, |target| {
        let grids = &target.stack.grids;
        grids.iter().filter(|grid| grid.is_bogus()).count()
    });
    let waived = sum(report, |target| {
        target.findings.iter().filter(|f| !f.counts()).count()
    });
    format!(
        "misaligned={};0;;0;{scanned} broken={};;0;0;{scanned} unknown={unknown};;;0 \
         unreadable={};;;0;{} bogus_hints={bogus};;;0 waived={waived};;;0 scanned={scanned};;;0",
        layers(&[Misaligned, Suboptimal]),
        layers(&[Broken, DataRisk]),
        report.errors(),
        report.targets.len(),
    )
}

fn sum(report: &Report, of: impl Fn(&Target) -> usize) -> usize {
    report.targets.iter().map(of).sum()
}

/// Layers that have a start of their own, and any other that was found faulty.
fn scanned(target: &Target) -> usize {
    use Severity::{Broken, DataRisk, Misaligned, Suboptimal};
    let mut all = faulty(target, &[Broken, DataRisk, Misaligned, Suboptimal]);
    all.extend(placed(&target.stack));
    all.len()
}
