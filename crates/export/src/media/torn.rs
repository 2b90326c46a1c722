//! What is left of a write that was under way when the power was lost.

use std::iter;
use std::ops::Range;

use ioalign_core::random::split_mix;

/// The pieces that are left of `at..at + len`: nothing, everything, the first units, or any of them, each with the same
/// chance. Units lie at multiples of `unit`; without one a write is there or not.
pub fn left_of(chance: &mut u64, at: u64, len: u64, unit: Option<u64>) -> Vec<Range<u64>> {
    let end = at.saturating_add(len);
    let ways = if unit.is_some() { 4 } else { 2 };
    match (split_mix(chance) % ways, unit) {
        (0, _) => Vec::new(),
        (2, Some(unit)) => {
            let units = end.div_ceil(unit) - at / unit;
            let cut = (at / unit + split_mix(chance) % (units + 1)) * unit;
            joined(iter::once(at..cut.clamp(at, end)))
        }
        (3, Some(unit)) => {
            let first = at / unit;
            let units = first..end.div_ceil(unit);
            let some = units.filter(|_| split_mix(chance) & 1 == 0);
            joined(some.map(|one| (one * unit).max(at)..((one + 1) * unit).min(end)))
        }
        _ => joined(iter::once(at..end)),
    }
}

/// Whether something is left of `len` bytes, and something is missing.
pub fn is_part(left: &[Range<u64>], len: u64) -> bool {
    let bytes: u64 = left.iter().map(|piece| piece.end - piece.start).sum();
    bytes > 0 && bytes < len
}

/// Pieces in order, neighbours as one, without empty ones.
fn joined(pieces: impl IntoIterator<Item = Range<u64>>) -> Vec<Range<u64>> {
    let mut out: Vec<Range<u64>> = Vec::new();
    for piece in pieces.into_iter().filter(|piece| !piece.is_empty()) {
        match out.last_mut() {
            Some(last) if last.end == piece.start => last.end = piece.end,
            _ => out.push(piece),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuts_are_at_multiples_of_the_unit() {
        let mut chance = 7;
        let mut seen = [0; 4];
        for _ in 0..2000 {
            let (at, len) = (1536, 16384);
            let left = left_of(&mut chance, at, len, Some(4096));
            for piece in &left {
                let edge =
                    |place: u64| place.is_multiple_of(4096) || place == at || place == at + len;
                assert!(
                    edge(piece.start) && edge(piece.end) && piece.start < piece.end,
                    "{piece:?}"
                );
            }
            let way = match left.as_slice() {
                [] => 0,
                [one] if *one == (at..at + len) => 1,
                [one] if one.start == at => 2,
                _ => 3,
            };
            seen[way] += 1;
            assert_eq!(is_part(&left, len), way >= 2);
        }
        assert!(seen.iter().all(|count| *count > 200), "{seen:?}");
    }

    #[test]
    fn without_a_unit_there_is_all_or_nothing() {
        let mut chance = 7;
        for _ in 0..100 {
            let left = left_of(&mut chance, 5, 10, None);
            assert!(left.is_empty() || left.first() == Some(&(5..15)));
        }
        assert!(left_of(&mut chance, u64::MAX - 4, 4, Some(512)).len() <= 1);
    }
}
