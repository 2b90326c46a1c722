//! Questions about a target that more than one renderer asks.

use std::collections::HashMap;

use ioalign_core::{Bytes, Grid, LayerId, Severity, Stack};

use crate::model::{LayerPhases, Target};

/// How a layer stands on a grid: what the judge says of it.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Standing {
    /// Every known part starts on a boundary.
    On,
    /// Off it, which is merely noted.
    Slight,
    /// Off it, where crossing costs more.
    Crosses,
    /// Off it, which makes writes read-modify-write, or I/O fail.
    Off,
    /// Not known.
    Unknown,
    /// Not judged: no data, the grid is not believed, or the data are being moved.
    Moot,
}

fn standing(target: &Target, grid: &Grid, one: &LayerPhases) -> Standing {
    if is_question(target, grid, one) {
        return Standing::Unknown;
    }
    if !grid.trusted() || !target.stack.layer(one.layer).role.carries_data() {
        return Standing::Moot;
    }
    if !one.phases.is_known() {
        return Standing::Unknown;
    }
    if one.phases.is_aligned() {
        return Standing::On;
    }
    match target
        .missed_on(one.layer, one.grid)
        .map(|one| one.severity)
    {
        None => Standing::Moot,
        Some(Severity::Misaligned | Severity::DataRisk | Severity::Broken) => Standing::Off,
        Some(Severity::Suboptimal) => Standing::Crosses,
        Some(Severity::Note | Severity::Ok | Severity::Unknown) => Standing::Slight,
    }
}

/// Whether data lie off a unit of which nothing says whether the device has it.
fn is_question(target: &Target, grid: &Grid, one: &LayerPhases) -> bool {
    let data = target.stack.layer(one.layer).role.carries_data();
    grid.is_open() && data && one.phases.is_known() && !one.phases.is_aligned()
}

/// Each known phase set of `layer` with its grid, in the order of the grids: trusted ones, and those that leave a
/// question.
pub fn meetings(target: &Target, layer: LayerId) -> Vec<(&LayerPhases, &Grid, Standing)> {
    target
        .phases_of(layer)
        .filter_map(|one| target.stack.grids.get(one.grid).map(|grid| (one, grid)))
        .filter(|(one, grid)| grid.trusted() || is_question(target, grid, one))
        .map(|(one, grid)| (one, grid, standing(target, grid, one)))
        .collect()
}

/// The layers that nothing lies on, in the order of what they lie on: partition by partition.
pub fn tops(stack: &Stack) -> Vec<LayerId> {
    let mut covered = vec![false; stack.len()];
    for (_, layer) in stack.layers() {
        for edge in &layer.below {
            if let Some(slot) = covered.get_mut(edge.below.0) {
                *slot = true;
            }
        }
    }
    let mut tops: Vec<_> = stack
        .layers()
        .filter(|(id, _)| covered.get(id.0) == Some(&false))
        .map(|(id, _)| id)
        .collect();
    tops.sort_by_cached_key(|id| roots(stack, *id));
    tops
}

/// The ids from the bottom up to `top`, along the first edge of each layer.
fn roots(stack: &Stack, top: LayerId) -> Vec<LayerId> {
    let mut way = vec![top];
    let mut id = top;
    while let Some(edge) = stack.layer(id).below.first() {
        id = edge.below;
        way.push(id);
    }
    way.reverse();
    way
}

/// Where a layer lies: the starts from the bottom upwards, along the first edge of each layer.
pub fn places(stack: &Stack, id: LayerId) -> Vec<(Option<Bytes>, LayerId)> {
    let start = |id: LayerId| {
        let edge = stack.layer(id).below.first();
        edge.and_then(|edge| edge.map.start())
    };
    let way = roots(stack, id).into_iter();
    way.map(|id| (start(id), id)).collect()
}

/// The names by which layers and grids refer to each other, by their indices.
pub struct LayerNames {
    pub layers: Vec<String>,
    pub grids: Vec<String>,
}

impl LayerNames {
    /// The names of a whole stack: repeated names are made distinct, so all of them are needed.
    pub fn of(stack: &Stack) -> Self {
        let layers = labels(stack);
        let grids = grid_ids(stack, &layers);
        Self { layers, grids }
    }

    /// The name of a layer; empty where there is none.
    pub fn layer(&self, id: Option<LayerId>) -> &str {
        let name = id.and_then(|id| self.layers.get(id.0));
        name.map_or("", String::as_str)
    }
}

/// [`Stack::label`] of every layer, in one pass.
pub fn labels(stack: &Stack) -> Vec<String> {
    stack
        .layers()
        .scan(HashMap::new(), |seen, (_, layer)| {
            Some(unique(
                seen,
                format!("{}:{}", layer.kind.name(), layer.name),
            ))
        })
        .collect()
}

/// An id for every grid: `grid:<layer label>:<kind>:<size in bytes>`, with `#2` where it repeats.
fn grid_ids(stack: &Stack, labels: &[String]) -> Vec<String> {
    let mut seen = HashMap::new();
    stack
        .grids
        .iter()
        .map(|grid| {
            let layer = labels.get(grid.layer.0).map_or("?", String::as_str);
            unique(
                &mut seen,
                format!("grid:{layer}:{}:{}", grid.kind, grid.size.get()),
            )
        })
        .collect()
}

/// A name, with a number where it was seen before.
pub fn unique(seen: &mut HashMap<String, usize>, plain: String) -> String {
    let times = seen.entry(plain.clone()).or_insert(0);
    *times += 1;
    match *times {
        1 => plain,
        n => format!("{plain}#{n}"),
    }
}

/// The container or table format, for the table of many targets.
pub fn format_of(target: &Target) -> String {
    let fact = target
        .stack
        .layers()
        .find_map(|(_, layer)| layer.all_facts().remove("format"));
    fact.unwrap_or_else(|| target.source.name().to_owned())
}

#[cfg(test)]
mod tests {
    use ioalign_core::{Kind, Layer};

    use super::*;

    #[test]
    fn labels_are_those_of_the_stack() {
        let mut stack = Stack::new();
        for name in ["a", "b", "a", "a"] {
            stack.push(Layer::new(Kind::Disk, name));
        }
        let all = labels(&stack);
        for (id, _) in stack.layers() {
            assert_eq!(all[id.0], stack.label(id));
        }
    }
}
