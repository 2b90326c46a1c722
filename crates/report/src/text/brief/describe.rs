//! What a line of the stack is, in a few words: format, content, start.

use ioalign_core::{Edge, Kind, Layer, LayerId, Map, Role, Stack};

use crate::words::numbers::{about, exact_and_about, thousands};
use crate::words::{clean, facts, kinds};

/// The layers of one line, from below: `ext4, mounted on /, starts at sector 2048`.
pub fn layers(stack: &Stack, joined: &[LayerId]) -> String {
    let Some((&first, contents)) = joined.split_first() else {
        return String::new();
    };
    let holder = stack.layer(first);
    let mut parts = match contents.is_empty() {
        true => alone(holder),
        false => holding(holder),
    };
    for id in contents {
        let layer = stack.layer(*id);
        let known = layer.kind == Kind::Disk || parts.contains(&layer.name);
        if !known {
            parts.push(clean(&layer.name));
        }
        parts.extend(facts::brief(layer));
    }
    let edge = holder.below.first();
    parts.extend(edge.and_then(|edge| start(holder, edge)));
    parts.extend(contents.iter().filter_map(|id| within(stack.layer(*id))));
    parts.join(", ")
}

/// A layer without content on its line.
fn alone(layer: &Layer) -> Vec<String> {
    let mut parts = holding(layer);
    let named_by_role = layer.role != Role::Data;
    if layer.kind == Kind::Partition && !named_by_role {
        parts.extend(facts::brief(layer));
    }
    parts
}

/// What is to be said of a layer besides its content.
fn holding(layer: &Layer) -> Vec<String> {
    let mut parts = Vec::new();
    if layer.role != Role::Data {
        parts.push(layer.role.describe().to_owned());
    }
    match layer.kind {
        Kind::Partition => {}
        Kind::Image => parts.extend(layer.size.map(|size| format!("file of {}", about(size)))),
        Kind::Disk => parts.extend(facts::brief(layer)),
        kind => {
            parts.push(kinds::layer(kind).to_owned());
            parts.extend(facts::brief(layer));
        }
    }
    parts
}

/// Where a layer starts in the one below, where that says something.
fn start(layer: &Layer, edge: &Edge) -> Option<String> {
    match &edge.map {
        Map::Shift { start } => match layer.start_sectors {
            Some(native) if native.bytes() == *start && native.count() > 0 => {
                Some(format!("starts at sector {}", native.count()))
            }
            _ if start.is_zero() => None,
            _ => Some(format!("starts at {}", exact_and_about(*start))),
        },
        Map::Mirror { .. } | Map::Striped { .. } => None,
        // The pieces of an image are in the distances of its mark.
        Map::Linear(_) if layer.kind == Kind::Disk => None,
        Map::Linear(runs) => {
            let pieces = runs
                .iter()
                .fold(0_u64, |sum, run| sum.saturating_add(run.count));
            let first = runs.iter().next()?;
            Some(match pieces {
                1 => format!(
                    "starts at {}",
                    exact_and_about(ioalign_core::Bytes::new(first.to))
                ),
                n => format!("in {} pieces", thousands(n)),
            })
        }
        Map::Scattered { granule, .. } => Some(format!("in pieces of {granule} anywhere")),
        Map::Within { .. } => Some("start printed rounded".to_owned()),
        Map::Opaque(_) => Some("place not known".to_owned()),
    }
}

/// Where the data of a file system begin, if not with it.
fn within(layer: &Layer) -> Option<String> {
    let [edge] = layer.below.as_slice() else {
        return None;
    };
    match edge.map {
        Map::Shift { start } if !start.is_zero() => {
            Some(format!("data from {}", exact_and_about(start)))
        }
        _ => None,
    }
}
