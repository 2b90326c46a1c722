//! Findings of which the same is to be said are one.

use std::collections::BTreeSet;

use ioalign_core::{Finding, Grid, LayerId, Severity, Stack, Waiver};

use crate::model::Target;
use crate::order;
use crate::starts::blamed;
use crate::words::headline::{cost, grid_of};
use crate::words::{clean, place};

/// Findings with the same words, in the order of their layers.
pub struct FindingGroup<'a> {
    pub severity: Severity,
    pub rule: &'static str,
    pub waived: Option<&'a Waiver>,
    /// What is to be said, without the names.
    pub said: String,
    /// Whether it names the cost, so that the starts are still to be said.
    pub is_cost: bool,
    /// The command that comes next.
    pub next: Option<&'a str>,
    pub findings: Vec<&'a Finding>,
}

impl FindingGroup<'_> {
    /// The layers to blame, each once.
    pub fn layers(&self) -> Vec<LayerId> {
        self.of_each_layer().filter_map(blamed).collect()
    }

    /// The first finding of each layer to blame.
    pub fn of_each_layer(&self) -> impl Iterator<Item = &Finding> {
        let mut seen = BTreeSet::new();
        let findings = self.findings.iter().copied();
        findings.filter(move |one| seen.insert(blamed(one)))
    }

    /// Whether `other` says the same, or another cost of the same cause with the same remedy.
    fn takes(&self, other: &Self) -> bool {
        let cause = |one: &Self| one.findings.first().and_then(|first| blamed(first));
        let same_words = self.said == other.said;
        let same_cause = self.is_cost && other.is_cost && cause(self) == cause(other);
        (self.severity, self.rule, self.waived) == (other.severity, other.rule, other.waived)
            && self.next == other.next
            && (same_words || same_cause)
    }
}

/// The name of a layer, with what it lies on where another layer has the same.
pub fn name(stack: &Stack, id: LayerId) -> String {
    let short = place::short(stack, id);
    let layer = stack.layer(id);
    let twice = stack
        .layers()
        .any(|(other, one)| other != id && one.kind == layer.kind && one.name == layer.name);
    match layer.below.first() {
        Some(edge) if twice && !short.contains(" on ") => {
            format!("{short} of {}", clean(&stack.layer(edge.below).name))
        }
        _ => short,
    }
}

/// The findings of a target, worst first, then in the order of the disk.
pub fn all(target: &Target) -> Vec<FindingGroup<'_>> {
    let mut groups: Vec<FindingGroup<'_>> = Vec::new();
    for finding in order::findings(target) {
        let one = group(target, finding);
        let same = groups.iter_mut().find(|known| known.takes(&one));
        match same {
            Some(known) => known.findings.push(finding),
            None => groups.push(one),
        }
    }
    groups
}

fn group<'a>(target: &Target, finding: &'a Finding) -> FindingGroup<'a> {
    let price = price(target, finding);
    FindingGroup {
        severity: finding.severity,
        rule: finding.rule,
        waived: finding.waived.as_ref(),
        is_cost: price.is_some(),
        said: price.unwrap_or_else(|| unnamed(&target.stack, finding)),
        next: next(finding),
        findings: vec![finding],
    }
}

/// The cost of one size, for a layer that is off a grid and could start on it.
fn price(target: &Target, finding: &Finding) -> Option<String> {
    let off = finding.offset.is_some_and(|offset| !offset.is_zero());
    let worth = off && finding.severity > Severity::Note;
    let grid: &Grid = grid_of(target, finding).filter(|_| worth)?;
    cost(&finding.cost, grid)
}

/// The reason without the name of the layer that it begins with.
fn unnamed(stack: &Stack, finding: &Finding) -> String {
    let why = clean(&finding.why);
    let Some(id) = blamed(finding) else {
        return why;
    };
    for name in [place::short(stack, id), place::name(stack, id)] {
        let name_is_first = why
            .get(..name.len())
            .is_some_and(|head| head.eq_ignore_ascii_case(&name));
        if let Some(rest) = why
            .get(name.len()..)
            .filter(|_| name_is_first && !name.is_empty())
            && let Some(rest) = rest.strip_prefix(' ')
        {
            return rest.to_owned();
        }
    }
    why
}

/// Commands of this program before others; the page of the rule stands beside it.
fn next(finding: &Finding) -> Option<&str> {
    let commands = || {
        finding
            .steps
            .iter()
            .filter_map(|step| step.strip_prefix("$ "))
    };
    let mut own = commands().filter(|command| command.starts_with("ioalign ") && !is_page(command));
    own.next()
        .or_else(|| commands().find(|command| !is_page(command)))
}

fn is_page(command: &str) -> bool {
    command.starts_with("ioalign explain ")
}
