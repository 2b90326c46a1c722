//! Grids of the JSON document.

use serde::Serialize;

use ioalign_core::{Bytes, Confidence, Origin, Stack, Tier};

use super::layer::label;
use crate::view::LayerNames;

#[derive(Serialize)]
pub struct GridJson<'a> {
    id: String,
    layer: String,
    size_bytes: Bytes,
    phase_bytes: Bytes,
    tier: Tier,
    kind: &'a str,
    source: &'a str,
    origin: Origin,
    confidence: Confidence,
    trusted: bool,
    why: Option<&'a str>,
}

pub fn all<'a>(stack: &'a Stack, names: &LayerNames) -> Vec<GridJson<'a>> {
    stack
        .grids
        .iter()
        .zip(&names.grids)
        .map(|(grid, id)| GridJson {
            id: id.clone(),
            layer: label(names, grid.layer),
            size_bytes: grid.size,
            phase_bytes: grid.phase,
            tier: grid.tier,
            kind: grid.kind.name(),
            source: &grid.source,
            origin: grid.origin,
            confidence: grid.confidence,
            trusted: grid.trusted(),
            why: grid.distrust.as_deref(),
        })
        .collect()
}
