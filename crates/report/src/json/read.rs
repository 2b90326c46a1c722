//! A document of `check --json` back to a stack: layers, maps and grids, as far as it says them.
//!
//! Documents of other programs are not trusted: ids that lead nowhere, sizes of zero and overlapping maps
//! become errors or opaque maps, and only requested values are kept.

use std::collections::HashMap;

use serde::Deserialize;
use serde::de::DeserializeOwned;

use ioalign_core::machine::Machine;
use ioalign_core::{
    Bytes, Confidence, DeviceNumber, Grid, Kind, Layer, LayerId, Map, Origin, Role, Run, Runs,
    Stack, Tier,
};

#[derive(Deserialize)]
struct ReadTarget {
    #[serde(default)]
    layers: Vec<LayerIn>,
    #[serde(default)]
    grids: Vec<ReadGrid>,
}

#[derive(Deserialize)]
struct LayerIn {
    id: String,
    kind: String,
    name: String,
    #[serde(default)]
    below: Vec<Below>,
    size_bytes: Option<u64>,
    #[serde(default)]
    role: Role,
    #[serde(default)]
    facts: HashMap<String, String>,
}

#[derive(Deserialize)]
struct Below {
    id: String,
    map: String,
    start_bytes: Option<u64>,
    chunk_bytes: Option<u64>,
    data_chunks: Option<u64>,
    column: Option<u64>,
    granule_bytes: Option<u64>,
    start_low_bytes: Option<u64>,
    start_high_bytes: Option<u64>,
    start_step_bytes: Option<u64>,
    runs: Option<Vec<RunIn>>,
    why: Option<String>,
}

/// `[from, to, len, count, step_from, step_to]`.
type RunIn = (u64, u64, u64, u64, u64, i64);

#[derive(Deserialize)]
struct ReadGrid {
    layer: String,
    size_bytes: u64,
    phase_bytes: u64,
    tier: String,
    kind: String,
    source: String,
    trusted: bool,
    why: Option<String>,
    #[serde(default)]
    origin: Option<String>,
    #[serde(default)]
    confidence: Option<String>,
}

/// All layers and grids of all targets of the document; the error says what is wrong with it.
pub fn stack(text: &str) -> Result<Stack, String> {
    let mut stack = Stack::new();
    for target in &targets(text)? {
        add(&mut stack, target)?;
    }
    if stack.is_empty() {
        return Err("no layer is in it".to_owned());
    }
    Ok(stack)
}

/// The targets of a document of `check --json`; the error says what is wrong with it.
pub(super) fn targets<T: DeserializeOwned>(text: &str) -> Result<Vec<T>, String> {
    #[derive(Deserialize)]
    struct ReadReport<T> {
        schema: String,
        targets: Vec<T>,
    }
    let document: ReadReport<T> = serde_json::from_str(text)
        .map_err(|error| format!("no document of check --json: {error}"))?;
    is_ours(&document.schema)?;
    Ok(document.targets)
}

/// The machine that a document of `check --json` names: one of a live host does.
pub fn machine(text: &str) -> Option<Machine> {
    #[derive(Deserialize)]
    struct ReadOpening {
        machine: Machine,
    }
    let found: ReadOpening = serde_json::from_str(text).ok()?;
    Some(found.machine)
}

/// Whether a text is a document of `check --json`; other JSON, as that of sfdisk, is not.
pub fn is_document(text: &str) -> bool {
    #[derive(Deserialize)]
    struct ReportHead {
        schema: String,
    }
    let head: Result<ReportHead, _> = serde_json::from_str(text);
    head.is_ok_and(|head| is_ours(&head.schema).is_ok())
}

/// Whether a document of this schema is one of `check`.
fn is_ours(schema: &str) -> Result<(), String> {
    if schema == super::SCHEMA {
        Ok(())
    } else {
        Err(format!("its schema is `{schema}`, not `{}`", super::SCHEMA))
    }
}

/// The stack of each target, in order, with its layers by their ids; empty where they do not make a stack.
pub(super) fn each(text: &str) -> Vec<(Stack, HashMap<String, LayerId>)> {
    let targets: Vec<ReadTarget> = targets(text).unwrap_or_default();
    let alone = |target: &ReadTarget| {
        let mut stack = Stack::new();
        let ids = add(&mut stack, target).ok()?;
        let ids = ids.into_iter().map(|(id, layer)| (id.to_owned(), layer));
        let ids = ids.collect();
        Some((stack, ids))
    };
    let stacks = targets.iter().map(alone);
    stacks.map(Option::unwrap_or_default).collect()
}

/// Adds a target; its layers by their ids, which are unique within a target only.
fn add<'a>(stack: &mut Stack, target: &'a ReadTarget) -> Result<HashMap<&'a str, LayerId>, String> {
    let mut ids: HashMap<&str, LayerId> = HashMap::new();
    for layer in &target.layers {
        let id = stack.push(of(layer, &ids)?);
        ids.insert(&layer.id, id);
    }
    for grid in &target.grids {
        let layer = ids.get(grid.layer.as_str());
        let layer =
            layer.ok_or_else(|| format!("a grid lies in `{}`, which is no layer", grid.layer))?;
        stack.grids.extend(grid_of(grid, *layer));
    }
    Ok(ids)
}

fn of(layer: &LayerIn, ids: &HashMap<&str, LayerId>) -> Result<Layer, String> {
    let kind = Kind::ALL.into_iter().find(|kind| kind.name() == layer.kind);
    let kind = kind.ok_or_else(|| format!("`{}` is no kind of layer", layer.kind))?;
    let mut out = Layer::new(kind, layer.name.clone());
    out.size = layer.size_bytes.map(Bytes::new);
    out.role = layer.role;
    let number = layer.facts.get("device-number");
    out.device_number = number.and_then(|number| DeviceNumber::parse(number));
    for edge in &layer.below {
        let below = ids.get(edge.id.as_str());
        let below = below.ok_or_else(|| {
            format!(
                "`{}` lies on `{}`, which is no layer before it",
                layer.id, edge.id
            )
        })?;
        out = out.on(*below, map(edge));
    }
    Ok(out)
}

fn map(edge: &Below) -> Map {
    let followed = match edge.map.as_str() {
        "shift" => edge.start_bytes.map(|start| Map::Shift {
            start: Bytes::new(start),
        }),
        "mirror" => edge.start_bytes.map(|start| Map::Mirror {
            start: Bytes::new(start),
        }),
        "linear" => linear(edge),
        "striped" => striped(edge),
        "scattered" => scattered(edge),
        "within" => within(edge),
        _ => None,
    };
    followed.unwrap_or_else(|| {
        let why = edge.why.clone();
        Map::Opaque(
            why.unwrap_or_else(|| format!("the document does not hold the {} map", edge.map)),
        )
    })
}

fn linear(edge: &Below) -> Option<Map> {
    let runs = edge.runs.as_ref()?.iter().map(|run| {
        let (from, to, len, count, step_from, step_to) = *run;
        Run {
            from,
            to,
            len,
            count,
            step_from,
            step_to,
        }
    });
    Runs::from_runs(runs.collect()).map(Map::Linear)
}

fn striped(edge: &Below) -> Option<Map> {
    let (chunk, data) = (edge.chunk_bytes?, edge.data_chunks?);
    (chunk > 0 && data > 0).then_some(Map::Striped {
        start: Bytes::new(edge.start_bytes?),
        chunk: Bytes::new(chunk),
        data,
        column: edge.column,
    })
}

fn scattered(edge: &Below) -> Option<Map> {
    let granule = edge.granule_bytes.filter(|granule| *granule > 0)?;
    Some(Map::Scattered {
        start: Bytes::new(edge.start_bytes?),
        granule: Bytes::new(granule),
    })
}

fn within(edge: &Below) -> Option<Map> {
    Some(Map::Within {
        low: Bytes::new(edge.start_low_bytes?),
        high: Bytes::new(edge.start_high_bytes?),
        step: Bytes::new(edge.start_step_bytes.filter(|step| *step > 0)?),
    })
}

/// The origin that the document states.
fn origin(grid: &ReadGrid) -> Origin {
    match grid.origin.as_deref() {
        Some("assumed") => Origin::Assumed,
        Some("declared") => Origin::Declared,
        Some("reported") => Origin::Reported,
        Some("table") => Origin::Table,
        _ => Origin::OnDisk,
    }
}

fn confidence(grid: &ReadGrid) -> Confidence {
    match grid.confidence.as_deref() {
        Some("high") => Confidence::High,
        Some("low") => Confidence::Low,
        _ => Confidence::Medium,
    }
}

fn grid_of(grid: &ReadGrid, layer: LayerId) -> Option<Grid> {
    let tier = match grid.tier.as_str() {
        "validity" => Tier::Validity,
        "preference" => Tier::Preference,
        _ => Tier::Rmw,
    };
    let (size, phase) = (Bytes::new(grid.size_bytes), Bytes::new(grid.phase_bytes));
    let made = Grid::new(layer, size, phase, tier, grid.kind.as_str())?;
    let made = made.from(origin(grid), grid.source.clone(), confidence(grid));
    if grid.trusted {
        return Some(made);
    }
    Some(made.distrusted(grid.why.clone().unwrap_or_default()))
}
