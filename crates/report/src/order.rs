//! Worst first: the order of findings and targets, which is not quite that of [`Severity`].

use ioalign_core::{Finding, LayerId, Severity};

use crate::model::Target;
use crate::starts::blamed;
use crate::view;

/// Rank for display, worst first; an unreadable target comes after real defects, before `unknown`.
const fn rank(severity: Severity) -> u8 {
    match severity {
        Severity::Broken => 0,
        Severity::DataRisk => 1,
        Severity::Misaligned => 2,
        Severity::Suboptimal => 3,
        Severity::Unknown => 5,
        Severity::Note => 6,
        Severity::Ok => 7,
    }
}

const UNREADABLE: u8 = 4;

/// The findings of a target, worst first, then by their places on the disk.
pub fn findings(target: &Target) -> Vec<&Finding> {
    let mut all: Vec<_> = target.findings.iter().collect();
    // Waived findings come last: they are shown, but never make the headline.
    all.sort_by_cached_key(|finding| {
        let place = blamed(finding).map(|id| view::places(&target.stack, id));
        (!finding.counts(), rank(finding.severity), place)
    });
    all
}

/// A finding, with all layers of which the same is to be said.
pub struct Merged<'a> {
    pub finding: &'a Finding,
    pub layers: Vec<LayerId>,
}

impl Merged<'_> {
    /// The layer to blame, where it is another one.
    pub fn because(&self) -> Option<LayerId> {
        self.finding.guilty.filter(|id| !self.layers.contains(id))
    }
}

/// The findings, worst first; notes in the same words about several layers are one.
pub fn merged(target: &Target) -> Vec<Merged<'_>> {
    let mut all: Vec<Merged<'_>> = Vec::new();
    for finding in findings(target) {
        let same = all.iter_mut().find(|one| {
            let known = one.finding;
            finding.severity == Severity::Note
                && (known.rule, known.severity) == (finding.rule, finding.severity)
                && (&known.why, &known.steps) == (&finding.why, &finding.steps)
                && known.waived == finding.waived
        });
        match same {
            Some(one) => one.layers.extend(finding.layer),
            None => all.push(Merged {
                finding,
                layers: finding.layer.into_iter().collect(),
            }),
        }
    }
    all
}

/// All targets, worst first, then by name.
pub fn targets(targets: &[Target]) -> Vec<&Target> {
    let mut all: Vec<_> = targets.iter().collect();
    all.sort_by(|a, b| {
        let key = |t: &Target| {
            if t.error.is_some() {
                rank(t.verdict).min(UNREADABLE)
            } else {
                rank(t.verdict)
            }
        };
        key(a).cmp(&key(b)).then_with(|| a.name.cmp(&b.name))
    });
    all
}

/// The word of a target's state: its verdict, or that it could not be read.
///
/// A target that is damaged half way still has the defects that were seen before.
pub fn state(target: &Target) -> &'static str {
    if target.error.is_some() && rank(target.verdict) > UNREADABLE {
        "unreadable"
    } else {
        target.verdict.name()
    }
}

/// The states that occur with their counts, worst first.
pub fn counts(targets: &[Target]) -> Vec<(&'static str, usize)> {
    const STATES: [&str; 8] = [
        "broken",
        "data-risk",
        "misaligned",
        "suboptimal",
        "unreadable",
        "unknown",
        "note",
        "ok",
    ];
    STATES
        .into_iter()
        .map(|word| (word, targets.iter().filter(|t| state(t) == word).count()))
        .filter(|(_, count)| *count > 0)
        .collect()
}
