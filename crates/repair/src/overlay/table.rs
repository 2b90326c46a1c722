//! A new table, as layers.

use std::ops::Range;

use super::{Layer, Piece, Source};
use crate::tables::{Remade, Slot, SlotKind};

/// The groups of a table in their order. What is left of the old table goes with the group that it lies
/// beside, or last, and never touches what is in `slots`.
pub fn table(remade: &Remade, slots: &[Slot]) -> Vec<Layer> {
    let data: Vec<_> = slots
        .iter()
        .filter(|slot| slot.kind != SlotKind::Extended)
        .map(|slot| slot.start..slot.end())
        .collect();
    let mut taken = data;
    let mut layers: Vec<Vec<Piece>> = Vec::new();
    for sectors in &remade.groups {
        let pieces = sectors.iter().map(|one| Piece {
            at: one.at,
            from: Source::Bytes(one.bytes.clone()),
        });
        let pieces: Vec<_> = pieces.collect();
        taken.extend(pieces.iter().map(Piece::place));
        layers.push(pieces);
    }
    let mut rest = Vec::new();
    for stale in remade.stale.iter().flat_map(|stale| without(stale, &taken)) {
        let piece = Piece {
            at: stale.start,
            from: Source::Zeros(stale.end - stale.start),
        };
        let beside = layers.iter_mut().find(|layer| is_beside(layer, &stale));
        beside.unwrap_or(&mut rest).push(piece);
    }
    layers.push(rest);
    layers.into_iter().map(Layer::new).collect()
}

/// Whether a stretch is near a group, so that both are one write.
fn is_beside(layer: &[Piece], stale: &Range<u64>) -> bool {
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
