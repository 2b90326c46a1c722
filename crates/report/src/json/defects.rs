//! The findings of a document of `check --json`, for advice on them.

use std::collections::HashMap;

use ioalign_core::Severity;
use ioalign_core::advice::{CheckedTarget, Defect};
use ioalign_core::cost::CostRow;
use serde::Deserialize;
use serde::de::IgnoredAny;

use super::layers::Layers;

#[derive(Deserialize)]
struct DefectTarget {
    target: String,
    verdict: Severity,
    #[serde(default)]
    error: Option<IgnoredAny>,
    #[serde(default)]
    grids: Vec<DefectGrid>,
    #[serde(default)]
    findings: Vec<FindingIn>,
}

#[derive(Deserialize)]
struct DefectGrid {
    id: String,
    tier: String,
}

#[derive(Deserialize)]
struct FindingIn {
    rule: String,
    severity: Severity,
    layer: Option<String>,
    guilty_layer: Option<String>,
    grid: Option<String>,
    unit_bytes: Option<u64>,
    offset_bytes: Option<u64>,
    #[serde(default)]
    cost: Vec<CostRow>,
    fixable_in_place: Option<bool>,
    why: String,
    #[serde(default, rename = "do")]
    steps: Vec<String>,
    #[serde(default)]
    waived: Option<IgnoredAny>,
}

/// All targets of the document with their findings; the error says what is wrong with it.
pub fn read(text: &str) -> Result<Vec<CheckedTarget>, String> {
    let targets: Vec<DefectTarget> = super::read::targets(text)?;
    let layers = Layers::each(text).into_iter();
    let layers = layers.chain(std::iter::repeat_with(Layers::default));
    let targets = targets.into_iter().zip(layers);
    Ok(targets
        .map(|(target, layers)| checked(target, &layers))
        .collect())
}

fn checked(target: DefectTarget, layers: &Layers) -> CheckedTarget {
    let grids = target.grids.into_iter();
    let tiers: HashMap<_, _> = grids.map(|grid| (grid.id, grid.tier)).collect();
    let findings = target.findings.into_iter();
    CheckedTarget {
        name: target.target,
        verdict: target.verdict,
        unread: target.error.is_some(),
        defects: findings
            .map(|finding| defect(finding, &tiers, layers))
            .collect(),
        devices: layers.devices(None),
    }
}

fn defect(finding: FindingIn, tiers: &HashMap<String, String>, layers: &Layers) -> Defect {
    let [layer, guilty] =
        [&finding.layer, &finding.guilty_layer].map(|id| layers.find(id.as_deref()?));
    let tier = finding.grid.and_then(|grid| tiers.get(&grid));
    Defect {
        rule: finding.rule,
        severity: finding.severity,
        layer: finding.layer,
        guilty_layer: finding.guilty_layer,
        layer_name: layer.map(|layer| layers.name(layer)),
        guilty_layer_name: guilty.map(|layer| layers.name(layer)),
        devices: layers.devices(guilty.or(layer)),
        unit_bytes: finding.unit_bytes,
        offset_bytes: finding.offset_bytes,
        rewrites: tier.is_some_and(|tier| tier == "rmw"),
        rows: finding.cost,
        fixable_in_place: finding.fixable_in_place,
        why: finding.why,
        r#do: finding.steps,
        waived: finding.waived.is_some(),
    }
}
