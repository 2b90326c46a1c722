//! Layers: what they are, where they lie, and their offsets on the grids.

use serde::Serialize;

use ioalign_core::layer::detail::Facts;
use ioalign_core::{Bytes, Edge, Layer, LayerId, Map, Role, Run, Runs};

use crate::model::Target;
use crate::view::LayerNames;

#[derive(Serialize)]
pub struct LayerJson<'a> {
    id: String,
    kind: &'static str,
    name: &'a str,
    below: Vec<BelowJson<'a>>,
    size_bytes: Option<Bytes>,
    logical_sector_bytes: Option<Bytes>,
    role: Role,
    start_sectors: Option<u64>,
    start_sector_bytes: Option<Bytes>,
    block_bytes: Option<Bytes>,
    size_unit_bytes: Option<Bytes>,
    geometry: Option<GeometryJson>,
    facts: Facts,
    phases: Vec<PhaseJson>,
}

#[derive(Serialize)]
struct GeometryJson {
    unit_bytes: Bytes,
    width_bytes: Bytes,
}

/// An edge; the keys after `start_bytes` stand only where the map has them.
#[derive(Default, Serialize)]
struct BelowJson<'a> {
    id: String,
    map: &'static str,
    start_bytes: Option<Bytes>,
    #[serde(skip_serializing_if = "Option::is_none")]
    chunk_bytes: Option<Bytes>,
    #[serde(skip_serializing_if = "Option::is_none")]
    data_chunks: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    granule_bytes: Option<Bytes>,
    #[serde(skip_serializing_if = "Option::is_none")]
    start_low_bytes: Option<Bytes>,
    #[serde(skip_serializing_if = "Option::is_none")]
    start_high_bytes: Option<Bytes>,
    #[serde(skip_serializing_if = "Option::is_none")]
    start_step_bytes: Option<Bytes>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pieces: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    runs: Option<Vec<RunJson>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<&'a str>,
}

/// `[from, to, len, count, step_from, step_to]`: see `ioalign_core::Run`.
type RunJson = (u64, u64, u64, u64, u64, i64);

/// A map of more runs than this is counted and not listed: that of a scattered image says little, and
/// ten thousand images are one document.
const LISTED_RUNS: usize = 1024;

fn listed(runs: &Runs) -> Option<Vec<RunJson>> {
    let whole = !runs.truncated() && runs.iter().count() <= LISTED_RUNS;
    whole.then(|| runs.iter().map(run).collect())
}

const fn run(run: &Run) -> RunJson {
    let Run {
        from,
        to,
        len,
        count,
        step_from,
        step_to,
    } = *run;
    (from, to, len, count, step_from, step_to)
}

#[derive(Serialize)]
struct PhaseJson {
    grid: String,
    offset_bytes: u64,
    weight_ratio: f64,
}

pub fn all<'a>(target: &'a Target, names: &LayerNames) -> Vec<LayerJson<'a>> {
    target
        .stack
        .layers()
        .map(|(id, layer)| of(target, id, layer, names))
        .collect()
}

fn of<'a>(target: &'a Target, id: LayerId, layer: &'a Layer, names: &LayerNames) -> LayerJson<'a> {
    LayerJson {
        id: label(names, id),
        kind: layer.kind.name(),
        name: &layer.name,
        below: layer.below.iter().map(|edge| below(edge, names)).collect(),
        size_bytes: layer.size,
        logical_sector_bytes: layer.logical_sector,
        role: layer.role,
        start_sectors: layer.start_sectors.map(|sectors| sectors.count()),
        start_sector_bytes: layer.start_sectors.map(|sectors| sectors.size().bytes()),
        block_bytes: layer.block,
        size_unit_bytes: layer.size_unit,
        geometry: layer.geometry.map(|geometry| GeometryJson {
            unit_bytes: geometry.unit,
            width_bytes: geometry.width,
        }),
        facts: layer.all_facts(),
        phases: phases(target, id, names),
    }
}

pub fn label(names: &LayerNames, id: LayerId) -> String {
    names.layer(Some(id)).to_owned()
}

fn phases(target: &Target, id: LayerId, names: &LayerNames) -> Vec<PhaseJson> {
    target
        .phases_of(id)
        .filter_map(|one| names.grids.get(one.grid).map(|grid| (grid, &one.phases)))
        .flat_map(|(grid, set)| set.phases.iter().map(move |phase| (grid, phase)))
        .map(|(grid, phase)| PhaseJson {
            grid: grid.clone(),
            offset_bytes: phase.offset,
            weight_ratio: phase.weight,
        })
        .collect()
}

fn below<'a>(edge: &'a Edge, names: &LayerNames) -> BelowJson<'a> {
    let mut out = BelowJson {
        id: label(names, edge.below),
        map: edge.map.name(),
        start_bytes: edge.map.start(),
        ..BelowJson::default()
    };
    match &edge.map {
        Map::Shift { .. } | Map::Mirror { .. } => {}
        Map::Linear(runs) => {
            out.pieces = Some(
                runs.iter()
                    .fold(0, |n, run| u64::saturating_add(n, run.count)),
            );
            out.runs = listed(runs);
        }
        Map::Striped {
            chunk,
            data,
            column,
            ..
        } => {
            (out.chunk_bytes, out.data_chunks, out.column) = (Some(*chunk), Some(*data), *column);
        }
        Map::Scattered { start, granule } => {
            (out.start_bytes, out.granule_bytes) = (Some(*start), Some(*granule));
        }
        Map::Within { low, high, step } => {
            (out.start_low_bytes, out.start_high_bytes) = (Some(*low), Some(*high));
            out.start_step_bytes = Some(*step);
        }
        Map::Opaque(why) => out.why = Some(why),
    }
    out
}
