//! Findings of the JSON document.

use serde::Serialize;

use ioalign_core::cost::CostRow;
use ioalign_core::discard::DiscardLoss;
use ioalign_core::{Bytes, Confidence, Finding, Severity, Suggestion, Waiver};

use super::layer::label;
use crate::view::LayerNames;

#[derive(Serialize)]
pub struct FindingJson<'a> {
    rule: &'static str,
    severity: Severity,
    layer: Option<String>,
    guilty_layer: Option<String>,
    grid: Option<String>,
    unit_bytes: Option<Bytes>,
    offset_bytes: Option<Bytes>,
    suggest: SuggestJson,
    cost: &'a [CostRow],
    #[serde(skip_serializing_if = "Option::is_none")]
    discard: Option<&'a DiscardLoss>,
    fixable_in_place: Option<bool>,
    confidence: Confidence,
    why: &'a str,
    r#do: &'a [String],
    waived: Option<&'a Waiver>,
}

#[derive(Serialize)]
struct SuggestJson {
    start_bytes: Option<Bytes>,
    start_sectors: Option<u64>,
    sector_bytes: Option<Bytes>,
    start_before_bytes: Option<Bytes>,
    size_bytes: Option<Bytes>,
}

impl From<&Suggestion> for SuggestJson {
    fn from(suggestion: &Suggestion) -> Self {
        Self {
            start_bytes: suggestion.start,
            start_sectors: suggestion.start_sectors.map(|sectors| sectors.count()),
            sector_bytes: suggestion
                .start_sectors
                .map(|sectors| sectors.size().bytes()),
            start_before_bytes: suggestion.start_before,
            size_bytes: suggestion.size,
        }
    }
}

pub fn of<'a>(finding: &'a Finding, names: &LayerNames) -> FindingJson<'a> {
    FindingJson {
        rule: finding.rule,
        severity: finding.severity,
        layer: finding.layer.map(|id| label(names, id)),
        guilty_layer: finding.guilty.map(|id| label(names, id)),
        grid: finding
            .grid
            .and_then(|index| names.grids.get(index))
            .cloned(),
        unit_bytes: finding.unit,
        offset_bytes: finding.offset,
        suggest: SuggestJson::from(&finding.suggest),
        cost: &finding.cost,
        discard: finding.discard.as_ref(),
        fixable_in_place: finding.fixable_in_place,
        confidence: finding.confidence,
        why: &finding.why,
        r#do: &finding.steps,
        waived: finding.waived.as_ref(),
    }
}
