//! The place of a layer on the layers below it, in one phrase.

use ioalign_core::{Bytes, Edge, Kind, LayerId, Map, Sectors, Stack};

use super::numbers::{count, exact_and_about, thousands};
use super::{clean, kinds};

/// How many members are named before "and 9 more".
const NAMED: usize = 3;

/// `partition sda1`; the kind is left out where the name already says it.
pub fn name(stack: &Stack, id: LayerId) -> String {
    let layer = stack.layer(id);
    let (kind, name) = (kinds::layer(layer.kind), short(stack, id));
    if name.is_empty() {
        kind.to_owned()
    } else {
        format!("{kind} {name}")
    }
}

/// The name alone, with its holder where it is that of a format: `p1`, `ext4 on p1`.
pub fn short(stack: &Stack, id: LayerId) -> String {
    let layer = stack.layer(id);
    let name = clean(&layer.name);
    let holder = match (layer.kind, layer.below.as_slice()) {
        (Kind::Filesystem | Kind::Swap, [edge]) => clean(&stack.layer(edge.below).name),
        _ => String::new(),
    };
    if holder.is_empty() {
        name
    } else {
        format!("{name} on {holder}")
    }
}

/// The phrases that say where `id` lies: one a group of edges of the same shape.
pub fn phrases(stack: &Stack, id: LayerId) -> Vec<String> {
    let layer = stack.layer(id);
    let mut groups: Vec<Vec<&Edge>> = Vec::new();
    for edge in &layer.below {
        match groups
            .iter_mut()
            .find(|g| g.first().is_some_and(|e| alike(e, edge)))
        {
            Some(group) => group.push(edge),
            None => groups.push(vec![edge]),
        }
    }
    groups
        .iter()
        .filter_map(|group| {
            let names = names(stack, group.iter().map(|edge| edge.below));
            group
                .first()
                .map(|edge| phrase(&edge.map, layer.start_sectors, &names))
        })
        .collect()
}

/// Whether two edges differ only in the member that they name.
fn alike(a: &Edge, b: &Edge) -> bool {
    match (&a.map, &b.map) {
        (
            Map::Striped {
                start, chunk, data, ..
            },
            Map::Striped {
                start: s,
                chunk: c,
                data: d,
                ..
            },
        ) => (start, chunk, data) == (s, c, d),
        (Map::Mirror { start }, Map::Mirror { start: s }) => start == s,
        _ => false,
    }
}

/// `disk sda, disk sdb, disk sdc and 9 more`.
pub fn names(stack: &Stack, ids: impl ExactSizeIterator<Item = LayerId>) -> String {
    let total = ids.len();
    let first: Vec<_> = ids.take(NAMED).map(|id| name(stack, id)).collect();
    let list = first.join(", ");
    match total.saturating_sub(NAMED) {
        0 => list,
        more => format!("{list} and {} more", count(more)),
    }
}

fn phrase(map: &Map, sectors: Option<Sectors>, below: &str) -> String {
    match map {
        Map::Shift { start } => format!("starts at {} of {below}", start_of(*start, sectors)),
        Map::Mirror { start } => {
            format!("mirrored on {below}, from {}", exact_and_about(*start))
        }
        Map::Striped {
            start, chunk, data, ..
        } => format!(
            "striped over {below}: {chunk} chunks, {data} of data a stripe, from {} of each",
            exact_and_about(*start)
        ),
        Map::Linear(runs) => {
            let pieces = runs
                .iter()
                .fold(0_u64, |sum, run| sum.saturating_add(run.count));
            let first = runs
                .iter()
                .next()
                .map_or(Bytes::ZERO, |run| Bytes::new(run.to));
            match pieces {
                0 => format!("nothing of it is allocated in {below}"),
                1 => format!("in one piece at {} of {below}", start_of(first, sectors)),
                n => format!(
                    "in {} pieces of {below}, the first at {}",
                    thousands(n),
                    start_of(first, sectors)
                ),
            }
        }
        Map::Scattered { start, granule } => format!(
            "in {granule} granules placed anywhere in {below}, counted from {}",
            exact_and_about(*start)
        ),
        Map::Within { low, high, .. } => format!(
            "starts somewhere from byte {low} to {high} of {below}: printed rounded",
            low = low.get(),
            high = high.get()
        ),
        Map::Opaque(why) => format!("its place in {below} is not known: {}", clean(why)),
    }
}

/// `sector 63 × 512 B = 32256 B (31.5 KiB)`, or the bytes alone.
fn start_of(start: Bytes, sectors: Option<Sectors>) -> String {
    match sectors {
        Some(native) if native.bytes() == start && native.count() > 0 => format!(
            "sector {} × {} = {}",
            native.count(),
            native.size().bytes(),
            exact_and_about(start)
        ),
        _ if start.is_zero() => "the first byte".to_owned(),
        _ => exact_and_about(start),
    }
}
