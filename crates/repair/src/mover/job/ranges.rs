//! Places on a disk, less other places.

use std::ops::Range;

use super::Move;

/// What of `whole` none of `others` covers, in order.
pub fn without(whole: &Range<u64>, others: impl Iterator<Item = Range<u64>>) -> Vec<Range<u64>> {
    let mut others: Vec<_> = others.collect();
    others.sort_by_key(|other| other.start);
    let mut left = Vec::new();
    let mut at = whole.start;
    for other in others {
        let end = other.start.min(whole.end);
        if at < end {
            left.push(at..end);
        }
        at = at.max(other.end);
    }
    if at < whole.end {
        left.push(at..whole.end);
    }
    left
}

/// Places that moves write on and that none of them reads: free space that is used, and gaps.
pub fn gaps(moves: &[Move]) -> Vec<Range<u64>> {
    let cut = |one: &Move| without(&one.destination(), moves.iter().map(Move::source));
    moves.iter().flat_map(cut).collect()
}

/// In whole blocks, in order, neighbours joined.
pub fn in_blocks(places: Vec<Range<u64>>, block: u64) -> Vec<Range<u64>> {
    let block = block.max(1);
    let round = |place: Range<u64>| {
        let end = place.end.checked_next_multiple_of(block);
        place.start - place.start % block..end.unwrap_or(place.end)
    };
    let mut places: Vec<_> = places.into_iter().map(round).collect();
    places.sort_by_key(|place| place.start);
    let mut all: Vec<Range<u64>> = Vec::new();
    for place in places {
        match all.last_mut() {
            Some(last) if place.start <= last.end => last.end = last.end.max(place.end),
            _ => all.push(place),
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left() {
        let left = |others: &[Range<u64>]| {
            let left = without(&(10..20), others.iter().cloned());
            let ends: Vec<_> = left.into_iter().map(|one| (one.start, one.end)).collect();
            ends
        };
        assert_eq!(left(&[]), [(10, 20)]);
        assert_eq!(left(&[15..17, 0..11, 16..18]), [(11, 15), (18, 20)]);
        assert_eq!(left(&[30..40, 0..5]), [(10, 20)]);
        assert!(left(&[0..15, 15..30]).is_empty());
    }

    #[test]
    fn places_are_made_of_blocks() {
        let places = vec![9..10, 0..3, 3..5, 21..30];
        assert_eq!(in_blocks(places, 4), [0..12, 20..32]);
    }
}
