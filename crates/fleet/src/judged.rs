//! What the store keeps of a judged capture: rows made of a document `ioalign.check/1`.

use std::collections::{BTreeMap, HashSet};

use ioalign_core::Severity;
use serde::Deserialize;

use crate::claims::{DeviceClaim, FleetDevice};
use crate::error::{FleetError, FleetResult};
use crate::rates::IoRates;

/// The name of the document.
const SCHEMA: &str = "ioalign.check/1";
/// Findings of one host that are kept; the worst. The document has all of them.
const MOST_FINDINGS: usize = 500;
/// Devices of one host that are kept.
const MOST_DEVICES: usize = 2000;
/// Bytes of a text that are kept in a row.
const MOST_TEXT: usize = 400;
/// Layers that are followed below one.
const MOST_STEPS: usize = 10_000;

/// A capture with the rows that are made of it.
#[derive(Clone, Debug, Default)]
pub struct JudgedCapture {
    /// Name and version of the judge.
    pub tool: String,
    /// The verdict.
    pub verdict: Severity,
    /// The findings but `ok`, worst first.
    pub findings: Vec<JudgedFinding>,
    /// The disks.
    pub devices: Vec<FleetDevice>,
    /// What the disks say of themselves.
    pub claims: Vec<DeviceClaim>,
    /// I/Os a day, by the profile.
    pub ios_per_day: Option<f64>,
    /// I/Os a day that became two on a disk with a finding.
    pub extra_ios_per_day: Option<f64>,
    /// The document.
    pub document: Vec<u8>,
}

/// A finding as a row.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JudgedFinding {
    /// The rule.
    pub rule: String,
    /// How bad.
    pub severity: Severity,
    /// The layer; empty: the whole host.
    pub layer: String,
    /// Model of the disk below.
    pub model: Option<String>,
    /// Its firmware.
    pub firmware: Option<String>,
    /// The grid's size.
    pub unit_bytes: Option<i64>,
    /// The remainder.
    pub offset_bytes: Option<i64>,
    /// Share of 4 KiB I/Os that cross, as predicted; of the smallest size where there is no 4 KiB.
    pub straddle_ratio: Option<f64>,
    /// I/Os a day that became two, by the profile.
    pub extra_ios_per_day: Option<f64>,
    /// Whether `fix` can move it in place.
    pub fixable: Option<bool>,
    /// The names of the disks below.
    pub disks: String,
    /// The sentence.
    pub why: String,
}

#[derive(Deserialize)]
struct CheckDocument {
    schema: String,
    tool: String,
    targets: Vec<CheckTarget>,
}

#[derive(Deserialize)]
struct CheckTarget {
    verdict: Severity,
    #[serde(default)]
    layers: Vec<CheckLayer>,
    #[serde(default)]
    grids: Vec<CheckGrid>,
    #[serde(default)]
    findings: Vec<CheckFinding>,
}

#[derive(Deserialize)]
struct CheckLayer {
    id: String,
    kind: String,
    name: String,
    #[serde(default)]
    below: Vec<CheckBelow>,
    size_bytes: Option<u64>,
    #[serde(default)]
    facts: BTreeMap<String, String>,
}

#[derive(Deserialize)]
struct CheckBelow {
    id: String,
}

#[derive(Deserialize)]
struct CheckGrid {
    layer: String,
    size_bytes: u64,
    kind: String,
    source: String,
    origin: String,
    trusted: bool,
    why: Option<String>,
}

#[derive(Deserialize)]
struct CheckFinding {
    rule: String,
    severity: Severity,
    layer: Option<String>,
    unit_bytes: Option<u64>,
    offset_bytes: Option<u64>,
    #[serde(default)]
    cost: Vec<CheckCost>,
    fixable_in_place: Option<bool>,
    why: String,
}

#[derive(Deserialize)]
struct CheckCost {
    io_bytes: u64,
    straddle_ratio: Option<f64>,
}

/// Makes rows of the document; `rates` is what the profile says, where one came.
///
/// # Errors
/// When it is no such document, or none of one host.
pub fn read(document: Vec<u8>, rates: Option<&IoRates>) -> FleetResult<JudgedCapture> {
    let wrong = |what: String| FleetError::Refused(format!("no document of `check`: {what}"));
    let read: CheckDocument =
        serde_json::from_slice(&document).map_err(|error| wrong(error.to_string()))?;
    if read.schema != SCHEMA {
        return Err(wrong(format!("its schema is not {SCHEMA}")));
    }
    let [target] = read.targets.as_slice() else {
        return Err(wrong("it is not about one target".to_owned()));
    };
    let layers: BTreeMap<&str, &CheckLayer> = target
        .layers
        .iter()
        .map(|layer| (layer.id.as_str(), layer))
        .collect();
    let findings = findings(target, &layers, rates);
    Ok(JudgedCapture {
        tool: short(&read.tool),
        verdict: target.verdict,
        extra_ios_per_day: host_extra(&findings),
        findings,
        devices: disks(target).map(device).collect(),
        claims: claims(target, &layers),
        ios_per_day: rates.map(IoRates::ios_per_day),
        document,
    })
}

fn findings(
    target: &CheckTarget,
    layers: &BTreeMap<&str, &CheckLayer>,
    rates: Option<&IoRates>,
) -> Vec<JudgedFinding> {
    let all = target.findings.iter();
    let mut rows: Vec<_> = all
        .filter(|finding| finding.severity != Severity::Ok)
        .map(|finding| row(finding, layers, rates))
        .collect();
    rows.sort_by(|a, b| {
        let key = |row: &JudgedFinding| std::cmp::Reverse(row.severity);
        (key(a), &a.rule, &a.layer).cmp(&(key(b), &b.rule, &b.layer))
    });
    rows.truncate(MOST_FINDINGS);
    rows
}

fn row(
    finding: &CheckFinding,
    layers: &BTreeMap<&str, &CheckLayer>,
    rates: Option<&IoRates>,
) -> JudgedFinding {
    let chain = finding.layer.as_deref().map(|layer| chain(layer, layers));
    let chain = chain.unwrap_or_default();
    let disk = chain.iter().find(|layer| layer.facts.contains_key("model"));
    let fact = |name| {
        disk.and_then(|disk| disk.facts.get(name))
            .map(|text| short(text))
    };
    let disks = chain.iter().filter(|layer| layer.kind == "disk");
    let mut disks: Vec<_> = disks.map(|disk| disk.name.as_str()).collect();
    disks.sort_unstable();
    let costs = (finding.severity >= Severity::Suboptimal)
        .then_some(rates)
        .flatten();
    JudgedFinding {
        rule: short(&finding.rule),
        severity: finding.severity,
        layer: short(finding.layer.as_deref().unwrap_or_default()),
        model: fact("model"),
        firmware: fact("firmware"),
        unit_bytes: finding.unit_bytes.map(signed),
        offset_bytes: finding.offset_bytes.map(signed),
        straddle_ratio: straddle(&finding.cost),
        extra_ios_per_day: costs
            .zip(finding.unit_bytes)
            .and_then(|(rates, unit)| extra_of(&disks, rates, unit)),
        fixable: finding.fixable_in_place,
        disks: short(&disks.join(" ")),
        why: short(&finding.why),
    }
}

/// On all disks below it together; `None`: none of them is in the profile.
fn extra_of(disks: &[&str], rates: &IoRates, unit: u64) -> Option<f64> {
    disks
        .iter()
        .filter_map(|disk| rates.extra_per_day(disk, unit))
        .fold(None, |sum, extra| Some(sum.unwrap_or(0.0) + extra))
}

/// Findings above the same disks share their I/Os: the worst of them counts.
fn host_extra(findings: &[JudgedFinding]) -> Option<f64> {
    let mut worst: BTreeMap<&str, f64> = BTreeMap::new();
    for finding in findings {
        if let Some(extra) = finding.extra_ios_per_day {
            let most = worst.entry(&finding.disks).or_insert(extra);
            *most = most.max(extra);
        }
    }
    (!worst.is_empty()).then(|| worst.values().sum())
}

/// Of 4 KiB, or of the smallest size in the table.
fn straddle(cost: &[CheckCost]) -> Option<f64> {
    let usual = cost.iter().find(|row| row.io_bytes == 4096);
    usual.or_else(|| cost.first())?.straddle_ratio
}

/// The layer and all below it, nearest first.
fn chain<'a>(layer: &str, layers: &BTreeMap<&'a str, &'a CheckLayer>) -> Vec<&'a CheckLayer> {
    let mut found: Vec<&CheckLayer> = layers.get(layer).copied().into_iter().collect();
    let mut seen: HashSet<&str> = found.iter().map(|layer| layer.id.as_str()).collect();
    let mut at = 0;
    while let Some(layer) = found.get(at).copied().filter(|_| at < MOST_STEPS) {
        for below in &layer.below {
            let next = layers.get(below.id.as_str()).copied();
            if let Some(next) = next.filter(|next| seen.insert(next.id.as_str())) {
                found.push(next);
            }
        }
        at += 1;
    }
    found
}

fn disks(target: &CheckTarget) -> impl Iterator<Item = &CheckLayer> {
    let disks = target.layers.iter().filter(|layer| layer.kind == "disk");
    disks.take(MOST_DEVICES)
}

fn device(layer: &CheckLayer) -> FleetDevice {
    let fact = |name| layer.facts.get(name).map(|text| short(text));
    FleetDevice {
        name: short(&layer.name),
        model: fact("model").or_else(|| fact("vendor")),
        firmware: fact("firmware"),
        transport: fact("transport"),
        size_bytes: layer.size_bytes.map(signed),
    }
}

/// What devices reported; what was assumed or declared is nobody's claim.
fn claims(target: &CheckTarget, layers: &BTreeMap<&str, &CheckLayer>) -> Vec<DeviceClaim> {
    let reported = target
        .grids
        .iter()
        .filter(|grid| grid.origin == "reported" || !grid.trusted);
    let of_disk = reported.filter_map(|grid| {
        let disk = layers.get(grid.layer.as_str())?;
        (disk.kind == "disk").then(|| DeviceClaim {
            device: device(disk),
            kind: short(&grid.kind),
            size_bytes: signed(grid.size_bytes),
            source: short(&grid.source),
            trusted: grid.trusted,
            why: grid.why.as_deref().map(short),
        })
    });
    of_disk.take(4 * MOST_DEVICES).collect()
}

/// SQL has no unsigned numbers.
fn signed(bytes: u64) -> i64 {
    i64::try_from(bytes).unwrap_or(i64::MAX)
}

/// A text of the capture, bounded, without what a database does not take.
pub(crate) fn short(text: &str) -> String {
    let mut out = String::new();
    for letter in text.chars().filter(|letter| *letter != '\0') {
        if out.len() + letter.len_utf8() > MOST_TEXT {
            out.push('…');
            break;
        }
        out.push(letter);
    }
    out
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn document(layers: &str, grids: &str, findings: &str) -> Vec<u8> {
        format!(
            r#"{{"schema":"ioalign.check/1","tool":"t","targets":[{{"target":"x","verdict":"misaligned",
            "layers":[{layers}],"grids":[{grids}],"findings":[{findings}]}}],"summary":{{}}}}"#
        )
        .into_bytes()
    }

    const LAYERS: &str = r#"{"id":"disk:sda","kind":"disk","name":"sda","below":[],"size_bytes":1000,
        "facts":{"model":"X9","firmware":"A1","transport":"sata"}},
        {"id":"partition:sda1","kind":"partition","name":"sda1","below":[{"id":"disk:sda"}],"size_bytes":900}"#;
    const GRIDS: &str = r#"{"layer":"disk:sda","size_bytes":33553920,"kind":"optimal-io","source":"sysfs optimal_io_size",
        "origin":"reported","trusted":false,"why":"a bridge"},
        {"layer":"disk:sda","size_bytes":4096,"kind":"physical-block","source":"assumed","origin":"assumed","trusted":true,"why":null}"#;
    const FINDING: &str = r#"{"rule":"start-misaligned","severity":"misaligned","layer":"partition:sda1","unit_bytes":4096,
        "offset_bytes":512,"cost":[{"io_bytes":512,"straddle_ratio":0.0},{"io_bytes":4096,"straddle_ratio":1.0}],
        "fixable_in_place":true,"why":"32256 = 7 × 4096 + 3584"},
        {"rule":"start-ok","severity":"ok","layer":null,"unit_bytes":null,"offset_bytes":null,"fixable_in_place":null,"why":""}"#;

    #[test]
    fn rows_have_the_disk_below_and_the_cost_of_4_kib() {
        let judged = read(document(LAYERS, GRIDS, FINDING), None).unwrap();
        assert_eq!(judged.verdict, Severity::Misaligned);
        let [finding] = judged.findings.as_slice() else {
            panic!("{:?}", judged.findings)
        };
        assert_eq!(finding.model.as_deref(), Some("X9"));
        assert_eq!(finding.firmware.as_deref(), Some("A1"));
        assert_eq!(
            (finding.straddle_ratio, finding.fixable),
            (Some(1.0), Some(true))
        );
        assert_eq!(judged.devices.len(), 1);
        assert_eq!(finding.disks, "sda", "no partition among them");
    }

    /// Two partitions of one disk and one of another, joined.
    #[test]
    fn each_disk_below_is_named_once_and_in_order() {
        let layer = |kind: &str, name: &str, below: &str| {
            let below = below.split_whitespace();
            let below: Vec<_> = below.map(|id| format!(r#"{{"id":"{id}"}}"#)).collect();
            let below = below.join(",");
            format!(
                r#"{{"id":"{name}","kind":"{kind}","name":"{name}","below":[{below}],"size_bytes":null}}"#
            )
        };
        let layers = [
            layer("disk", "sdb", ""),
            layer("disk", "sda", ""),
            layer("partition", "sdb1", "sdb"),
            layer("partition", "sda1", "sda"),
            layer("partition", "sda2", "sda"),
            layer("md", "md0", "sdb1 sda1 sda2"),
        ];
        let finding = FINDING.replace("partition:sda1", "md0");
        let judged = read(document(&layers.join(","), "", &finding), None).unwrap();
        assert_eq!(judged.findings[0].disks, "sda sdb");
    }

    #[test]
    fn the_worst_findings_come_first_and_are_so_many_at_most() {
        let finding = |rule: &str, severity: &str| {
            let (row, _) = FINDING.split_once("},\n        {").unwrap();
            let row = row.replace("start-misaligned", rule);
            format!(
                "{}}}",
                row.replace("\"misaligned\"", &format!("\"{severity}\""))
            )
        };
        let mut all = vec![
            finding("b", "note"),
            finding("c", "broken"),
            finding("a", "note"),
        ];
        let rules = |all: &[String]| -> Vec<String> {
            let judged = read(document(LAYERS, "", &all.join(",")), None).unwrap();
            judged.findings.into_iter().map(|row| row.rule).collect()
        };
        assert_eq!(rules(&all), ["c", "a", "b"]);
        all.resize(MOST_FINDINGS + 1, finding("d", "note"));
        let kept = rules(&all);
        assert_eq!(kept.len(), MOST_FINDINGS);
        assert_eq!(kept[..4], ["c", "a", "b", "d"]);
    }

    #[test]
    fn only_what_a_device_reported_is_a_claim() {
        let judged = read(document(LAYERS, GRIDS, ""), None).unwrap();
        let [claim] = judged.claims.as_slice() else {
            panic!("{:?}", judged.claims)
        };
        assert!(!claim.trusted);
        assert_eq!(claim.size_bytes, 33_553_920);
    }

    #[test]
    fn a_stack_that_leads_to_itself_ends() {
        let ring = r#"{"id":"a","kind":"lv","name":"a","below":[{"id":"b"}],"size_bytes":null},
            {"id":"b","kind":"lv","name":"b","below":[{"id":"a"}],"size_bytes":null}"#;
        let finding = FINDING.replace("partition:sda1", "a");
        assert_eq!(
            read(document(ring, "", &finding), None)
                .unwrap()
                .findings
                .len(),
            1
        );
    }

    #[test]
    fn other_documents_are_refused() {
        for text in ["", "{}", r#"{"schema":"ioalign.plan/1","targets":[]}"#] {
            assert!(read(text.into(), None).is_err(), "{text}");
        }
        assert!(
            read(
                br#"{"schema":"ioalign.check/1","tool":"t","targets":[]}"#.to_vec(),
                None
            )
            .is_err()
        );
    }

    #[test]
    fn texts_are_bounded_and_without_zeros() {
        assert_eq!(short("a\0b"), "ab");
        let long = short(&"é".repeat(1000));
        assert_eq!(long, format!("{}…", "é".repeat(MOST_TEXT / 2)));
    }
}
