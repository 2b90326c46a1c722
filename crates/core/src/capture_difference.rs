//! What two captures of hosts say differently: another kernel, another type of instance, before and after a change.
//!
//! Its JSON is `ioalign.capture-difference/1`.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::finding::Finding;
use crate::layer::Layer;
use crate::layer_id::LayerId;
use crate::severity::Severity;
use crate::stack::Stack;

/// The name and version of the document.
pub const SCHEMA: &str = "ioalign.capture-difference/1";

/// Names of one thing: they differ between any two hosts, and mean nothing for I/O.
const NAMES: [&str; 9] = [
    "serial",
    "uuid",
    "device-uuid",
    "pv-uuid",
    "lvm-uuid",
    "volume-uuid",
    "vdev-guid",
    "label",
    "id",
];

/// What a capture says of every disk in it.
const CAPTURED: &str = "captured host";

/// One side.
#[derive(Copy, Clone, Debug)]
pub struct CapturedHost<'a> {
    /// The file, as the operator named it.
    pub name: &'a str,
    /// What is in it.
    pub stack: &'a Stack,
    /// What was found.
    pub findings: &'a [Finding],
}

/// The comparison.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CaptureDifference {
    /// [`SCHEMA`].
    pub schema: &'static str,
    /// The file of the first host.
    pub a: String,
    /// That of the second.
    pub b: String,
    /// Whether there is no difference.
    pub same: bool,
    /// Layers that say the same on both.
    pub equal_layers: usize,
    /// What the others say.
    pub facts: Vec<FactDifference>,
    /// Findings of one of both.
    pub findings: Vec<FindingDifference>,
}

/// A fact that differs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FactDifference {
    /// The id of the layer; of both, where it has another name in the second.
    pub layer: String,
    /// The fact; `present`: the layer itself.
    pub fact: String,
    /// In the first; `None`: it says nothing.
    pub a: Option<String>,
    /// In the second.
    pub b: Option<String>,
}

/// A finding that only one has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FindingDifference {
    /// `a` or `b`.
    pub only_in: &'static str,
    /// Its rule.
    pub rule: String,
    /// How bad it is.
    pub severity: Severity,
    /// The id of its layer.
    pub layer: Option<String>,
    /// What it says.
    pub why: String,
}

type LayerFacts = BTreeMap<String, String>;

/// Compares two hosts. Layers are paired by their ids, and where the names differ, by their order among those of the same kind.
pub fn compare(a: &CapturedHost<'_>, b: &CapturedHost<'_>) -> CaptureDifference {
    let mut facts = Vec::new();
    kernel(a, b, &mut facts);
    let (pairs, alone) = pair(a.stack, b.stack);
    let mut equal_layers = 0;
    for (left, right) in &pairs {
        let before = facts.len();
        let (one, other) = (a.stack.label(*left), b.stack.label(*right));
        let layer = match one == other {
            true => one,
            false => format!("{one} / {other}"),
        };
        differ(
            &layer,
            &facts_of(a.stack, *left),
            &facts_of(b.stack, *right),
            &mut facts,
        );
        equal_layers += usize::from(facts.len() == before);
    }
    facts.extend(alone);
    let mut findings = only("a", a, b, &pairs);
    let turned: Vec<_> = pairs.iter().map(|(left, right)| (*right, *left)).collect();
    findings.extend(only("b", b, a, &turned));
    CaptureDifference {
        schema: SCHEMA,
        a: a.name.to_owned(),
        b: b.name.to_owned(),
        same: facts.is_empty() && findings.is_empty(),
        equal_layers,
        facts,
        findings,
    }
}

fn kernel(a: &CapturedHost<'_>, b: &CapturedHost<'_>, facts: &mut Vec<FactDifference>) {
    if a.stack.kernel != b.stack.kernel {
        facts.push(FactDifference {
            layer: "host".to_owned(),
            fact: "kernel".to_owned(),
            a: a.stack.kernel.clone(),
            b: b.stack.kernel.clone(),
        });
    }
}

type Pairs = Vec<(LayerId, LayerId)>;

/// The layers that belong together, and those that have no other half.
fn pair(a: &Stack, b: &Stack) -> (Pairs, Vec<FactDifference>) {
    let ids = |stack: &Stack| -> Vec<LayerId> { stack.layers().map(|(id, _)| id).collect() };
    let (mut left, mut right) = (ids(a), ids(b));
    let mut pairs = Vec::new();
    take(&mut left, &mut right, &mut pairs, |one, other| {
        a.label(one) == b.label(other)
    });
    // Disks of other names, and what lies on them.
    take(&mut left, &mut right, &mut pairs, |one, other| {
        a.layer(one).kind == b.layer(other).kind
    });
    pairs.sort();
    let present = |layer: String, in_a: bool| FactDifference {
        layer,
        fact: "present".to_owned(),
        a: Some(if in_a { "yes" } else { "no" }.to_owned()),
        b: Some(if in_a { "no" } else { "yes" }.to_owned()),
    };
    let alone = left.iter().map(|id| present(a.label(*id), true));
    let alone = alone.chain(right.iter().map(|id| present(b.label(*id), false)));
    (pairs, alone.collect())
}

/// Takes the layers out that are the same by some measure, each with the first of the other side.
fn take(
    left: &mut Vec<LayerId>,
    right: &mut Vec<LayerId>,
    pairs: &mut Pairs,
    same: impl Fn(LayerId, LayerId) -> bool,
) {
    left.retain(|one| {
        let place = right.iter().position(|other| same(*one, *other));
        pairs.extend(place.map(|at| (*one, right.remove(at))));
        place.is_none()
    });
}

/// All that is known of a layer, but its names.
fn facts_of(stack: &Stack, id: LayerId) -> LayerFacts {
    let layer = stack.layer(id);
    let own = layer.detail.facts().into_iter().chain(layer.facts.clone());
    let mut facts: LayerFacts = own
        .filter(|(key, value)| !NAMES.contains(key) && value != CAPTURED)
        .map(|(key, value)| (key.to_owned(), value))
        .collect();
    facts.extend(numbers(layer).map(|(key, value)| (key.to_owned(), value.to_string())));
    for grid in stack.grids.iter().filter(|grid| grid.layer == id) {
        let believed = if grid.trusted() { "" } else { ", not believed" };
        facts.insert(
            format!("grid {}", grid.kind),
            format!("{}{believed} ({})", grid.as_argument(), grid.source),
        );
    }
    facts
}

fn numbers(layer: &Layer) -> impl Iterator<Item = (&'static str, u64)> {
    let atomic = layer.atomic;
    [
        ("size", layer.size.map(|size| size.get())),
        (
            "start-sectors",
            layer.start_sectors.map(crate::units::Sectors::count),
        ),
        ("block-size", layer.block.map(|block| block.get())),
        ("cluster-size", layer.cluster.map(|cluster| cluster.get())),
        (
            "stripe-unit",
            layer.geometry.map(|geometry| geometry.unit.get()),
        ),
        (
            "stripe-width",
            layer.geometry.map(|geometry| geometry.width.get()),
        ),
        (
            "atomic-write-unit-min",
            atomic.map(|limits| limits.unit_min),
        ),
        (
            "atomic-write-unit-max",
            atomic.map(|limits| limits.unit_max),
        ),
    ]
    .into_iter()
    .filter_map(|(key, value)| Some((key, value?)))
}

fn differ(layer: &str, a: &LayerFacts, b: &LayerFacts, out: &mut Vec<FactDifference>) {
    let mut keys: Vec<_> = a.keys().chain(b.keys()).collect();
    keys.sort();
    keys.dedup();
    for key in keys {
        let (one, other) = (a.get(key), b.get(key));
        if one != other {
            out.push(FactDifference {
                layer: layer.to_owned(),
                fact: key.clone(),
                a: one.cloned(),
                b: other.cloned(),
            });
        }
    }
}

/// Findings that the other does not have on the same layer.
fn only(
    side: &'static str,
    own: &CapturedHost<'_>,
    other: &CapturedHost<'_>,
    pairs: &Pairs,
) -> Vec<FindingDifference> {
    let there = |id: LayerId| pairs.iter().find(|(own, _)| *own == id).map(|pair| pair.1);
    let has = |finding: &Finding| {
        let layer = finding.layer.and_then(there);
        let mut all = other.findings.iter();
        all.any(|one| {
            (one.rule, one.severity, one.layer) == (finding.rule, finding.severity, layer)
        })
    };
    let left = own.findings.iter().filter(|finding| !has(finding));
    left.map(|finding| FindingDifference {
        only_in: side,
        rule: finding.rule.to_string(),
        severity: finding.severity,
        layer: finding.layer.map(|id| own.stack.label(id)),
        why: finding.why.clone(),
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layer::Kind;
    use crate::layer::detail::{Detail, DiskDetail};
    use crate::units::Bytes;

    fn host(disk: &str, optimal: u64) -> Stack {
        let mut stack = Stack::new();
        let mut layer = Layer::new(Kind::Disk, disk).sized(Bytes::new(1 << 30));
        layer.detail = Detail::Disk(DiskDetail {
            optimal: Some(optimal),
            ..DiskDetail::default()
        });
        layer.facts.insert("serial", disk.to_owned());
        stack.push(layer);
        stack
    }

    fn named<'a>(name: &'a str, stack: &'a Stack, findings: &'a [Finding]) -> CapturedHost<'a> {
        CapturedHost {
            name,
            stack,
            findings,
        }
    }

    #[test]
    fn equal_hosts_have_no_difference() {
        let stack = host("sda", 0);
        let found = compare(&named("a", &stack, &[]), &named("b", &stack, &[]));
        assert!(found.same);
        assert_eq!(found.equal_layers, 1);
    }

    #[test]
    fn a_claim_that_changed_is_named_also_under_another_name() {
        for name in ["sda", "nvme0n1"] {
            let (old, new) = (host("sda", 0), host(name, 32 << 20));
            let found = compare(&named("a", &old, &[]), &named("b", &new, &[]));
            assert!(!found.same);
            let facts: Vec<_> = found.facts.iter().map(|one| one.fact.as_str()).collect();
            assert_eq!(facts, ["optimal-io"], "{found:#?}");
            assert_eq!(found.facts[0].b.as_deref(), Some("33554432"));
            assert!(found.facts[0].layer.ends_with(name));
        }
    }

    #[test]
    fn a_layer_and_a_finding_of_one_side() {
        let (one, mut two) = (host("sda", 0), host("sda", 0));
        let disk = LayerId(0);
        two.push(Layer::new(Kind::Filesystem, "ext4"));
        let finding = Finding::new(crate::rules::HUGE_OPTIMAL_IO, Severity::Note, "why").at(disk);
        let found = compare(
            &named("a", &one, std::slice::from_ref(&finding)),
            &named("b", &two, &[]),
        );
        assert_eq!(found.facts[0].fact, "present");
        assert_eq!(found.findings[0].only_in, "a");
        let both = [finding];
        let found = compare(&named("a", &one, &both), &named("b", &one, &both));
        assert!(found.same);
    }
}
