//! A new table, as layers.

use std::ops::Range;

use super::{ByteSource, OverlayLayer, OverlayPiece};
use crate::tables::{PartitionSlot, RemadeTable, SlotKind};

/// The groups of a table in their order. What is left of the old table goes with the group that it lies
/// beside, or last, and never touches what is in `slots`.
pub fn table(remade: &RemadeTable, slots: &[PartitionSlot]) -> Vec<OverlayLayer> {
    let data: Vec<_> = slots
        .iter()
        .filter(|slot| slot.kind != SlotKind::Extended)
        .map(|slot| slot.start..slot.end())
        .collect();
    let mut taken = data;
    let mut layers: Vec<Vec<OverlayPiece>> = Vec::new();
    for sectors in &remade.groups {
        let pieces = sectors.iter().map(|one| OverlayPiece {
            at: one.at,
            from: ByteSource::Bytes(one.bytes.clone()),
        });
        let pieces: Vec<_> = pieces.collect();
        taken.extend(pieces.iter().map(OverlayPiece::place));
        layers.push(pieces);
    }
    let mut rest = Vec::new();
    for stale in remade.stale.iter().flat_map(|stale| without(stale, &taken)) {
        let piece = OverlayPiece {
            at: stale.start,
            from: ByteSource::Zeros(stale.end - stale.start),
        };
        let beside = layers.iter_mut().find(|layer| is_beside(layer, &stale));
        beside.unwrap_or(&mut rest).push(piece);
    }
    layers.push(rest);
    layers.into_iter().map(OverlayLayer::new).collect()
}

/// Whether a stretch is near a group, so that both are one write.
fn is_beside(layer: &[OverlayPiece], stale: &Range<u64>) -> bool {
    const NEAR: u64 = 64 << 10;
    layer.iter().any(|piece| {
        let place = piece.place();
        stale.start <= place.end.saturating_add(NEAR)
            && place.start <= stale.end.saturating_add(NEAR)
    })
}

/// The rest of a range where these are taken.
fn without(range: &Range<u64>, taken: &[Range<u64>]) -> Vec<Range<u64>> {
    let mut left = vec![range.clone()];
    for one in taken {
        let cut = |part: Range<u64>| {
            let before = part.start..part.end.min(one.start);
            let after = part.start.max(one.end)..part.end;
            [before, after].into_iter().filter(|part| !part.is_empty())
        };
        left = left.into_iter().flat_map(cut).collect();
    }
    left
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_taken_is_cut_out() {
        let cut = |taken: &[Range<u64>]| without(&(0..10), taken);
        assert_eq!(cut(&[2..4, 6..20]), [0..2, 4..6]);
        assert_eq!(cut(&[0..5, 5..10]), []);
        assert_eq!(cut(&[10..12, 20..30]), vec![0..10; 1]);
    }
}
