//! The partitions: starts on all grids, and ends as well, so that what follows needs no gap.

use ioalign_core::{Bytes, Kind};

use super::Refusal;
use super::seat::Seat;
use super::solve::Solution;
use super::want::{Label, PartRole, Want};

/// The seats of all partitions.
pub fn seats(want: &Want, solution: &Solution) -> Result<Vec<Seat>, Refusal> {
    if want.label == Label::Whole {
        return Ok(Vec::new());
    }
    if let Some(start) = want.given_start {
        return Ok(vec![seat(1, start, None)]);
    }
    let free = want.label.first_free(want.logical);
    // By habit the first megabyte stays free, or whatever else the habit is.
    let mut next = free.max(want.habit.unwrap_or(free));
    let mut seats = Vec::new();
    for (number, part) in (1..).zip(&want.partitions) {
        let start = solution.at_or_after(next).ok_or_else(too_far)?;
        let end = end(want, solution, start, part.size)?;
        let size = end.and_then(|end| end.checked_sub(start));
        if size.is_some_and(Bytes::is_zero) || end.is_some_and(|end| end < start) {
            return Err(Refusal::new(format!(
                "there is no room for partition {number} from byte {} on",
                start.get()
            )));
        }
        seats.push(seat(number, start, size));
        next = match end {
            Some(end) => end,
            None if number as usize == want.partitions.len() => break,
            None => {
                return Err(Refusal::new(format!(
                    "partition {number} takes the rest of the disk, and others follow: say --size"
                )));
            }
        };
    }
    Ok(seats)
}

/// The end of a partition of a size, or of one that takes the rest; `None`: the disk's size is not known.
fn end(
    want: &Want,
    solution: &Solution,
    start: Bytes,
    size: Option<Bytes>,
) -> Result<Option<Bytes>, Refusal> {
    let last = match want.size {
        Some(size) => {
            let usable = size.checked_sub(want.label.tail(want.logical));
            usable.and_then(|usable| solution.at_or_before(usable))
        }
        None => None,
    };
    let Some(size) = size else {
        return Ok(last);
    };
    let wanted = start
        .checked_add(size)
        .and_then(|end| solution.at_or_after(end));
    let wanted = wanted.ok_or_else(too_far)?;
    match last {
        Some(last) if wanted > last => Err(Refusal::new(format!(
            "a partition of {} bytes at byte {} does not fit before byte {}",
            size.get(),
            start.get(),
            last.get()
        ))),
        _ => Ok(Some(wanted)),
    }
}

fn too_far() -> Refusal {
    Refusal::new("no boundary that is on all grids fits into 64 bits")
}

fn seat(number: u32, start: Bytes, size: Option<Bytes>) -> Seat {
    Seat {
        kind: Kind::Partition,
        name: format!("p{number}"),
        offset: start,
        start,
        size,
    }
}

/// Whether the firmware has to find it.
pub const fn is_boot(role: PartRole) -> bool {
    matches!(role, PartRole::Esp | PartRole::Boot)
}
