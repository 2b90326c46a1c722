//! From the segments of a device to one edge a device below.

use std::collections::BTreeMap;

use ioalign_core::{Bytes, Map, Runs};

use super::table::DmSegment;
use super::targets::DmPiece;
use crate::host::DevNo;

/// Edges of a table: the pieces of its segments, put together by the device that they lie on.
pub(super) fn edges(parts: &[(&DmSegment, Vec<DmPiece>)]) -> Vec<(DevNo, Map)> {
    if let [(segment, pieces)] = parts
        && segment.start.is_zero()
    {
        // Two stripes on one device stay two edges.
        return pieces.iter().map(|p| (p.device, p.map.clone())).collect();
    }
    let mut by_device: BTreeMap<DevNo, Vec<(&DmSegment, &Map)>> = BTreeMap::new();
    for (segment, pieces) in parts {
        for piece in pieces {
            let list = by_device.entry(piece.device).or_default();
            list.push((segment, &piece.map));
        }
    }
    by_device
        .into_iter()
        .map(|(device, list)| (device, joined(&list)))
        .collect()
}

fn joined(list: &[(&DmSegment, &Map)]) -> Map {
    linear(list)
        .or_else(|| granular(list))
        .unwrap_or_else(|| Map::Opaque("segments of different kinds share this device".to_owned()))
}

/// All plain shifts: runs, or one shift where a single one covers the beginning.
fn linear(list: &[(&DmSegment, &Map)]) -> Option<Map> {
    let mut runs = Runs::new();
    let mut sorted = list.to_vec();
    sorted.sort_by_key(|(segment, _)| segment.start);
    let mut end = Bytes::ZERO;
    for (segment, map) in sorted {
        let (Map::Shift { start } | Map::Mirror { start }) = map else {
            return None;
        };
        if segment.start < end {
            return None;
        }
        end = segment.start.checked_add(segment.len)?;
        start.checked_add(segment.len)?;
        runs.push(segment.start.get(), start.get(), segment.len.get());
    }
    Some(Map::Linear(runs))
}

/// Striped segments with the same chunk at congruent places: whole chunks, somewhere. That keeps
/// every phase up to the chunk exact (an LV grown by a second striped segment).
fn granular(list: &[(&DmSegment, &Map)]) -> Option<Map> {
    let mut found: Option<(Bytes, u64)> = None;
    for (segment, map) in list {
        let (start, granule) = match map {
            Map::Striped { start, chunk, .. } => (*start, *chunk),
            Map::Scattered { start, granule } => (*start, *granule),
            _ => return None,
        };
        let phase = start.get().checked_rem(granule.get())?;
        if !segment.start.is_multiple_of(granule)
            || *found.get_or_insert((granule, phase)) != (granule, phase)
        {
            return None;
        }
    }
    found.map(|(granule, phase)| Map::Scattered {
        start: Bytes::new(phase),
        granule,
    })
}
