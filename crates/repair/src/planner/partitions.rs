//! The partitions: starts on all grids, and ends as well, so that what follows needs no gap.

use ioalign_core::grid::place::Solution;
use ioalign_core::{Bytes, Kind};

use super::Refusal;
use super::seat::Seat;
use super::want::{PartRole, PlanRequest, PlannedLabel};

/// Primary partitions that an MBR holds: with more of them the last entry is the extended partition.
const PRIMARIES: usize = 4;
/// What the entries of an MBR count starts and sizes in: 32 bits of sectors.
const MBR_SECTORS: u64 = 1 << 32;
/// libfdisk makes no more partitions of an MBR, the extended one among them.
const MBR_MOST: usize = 59;
/// What the usual array of a GPT holds (UEFI 5.3.1).
const GPT_MOST: usize = 127;

/// The partition of an MBR that the logical ones lie in. Nothing is stored at its start but a link.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct ExtendedPartition {
    /// Its first byte.
    pub start: Bytes,
    /// Up to the end of the last logical partition; `None`: the rest of the disk.
    pub size: Option<Bytes>,
}

/// The number of the partition at `index` of those that are wanted: from 5 on for logical ones, from 2 on behind
/// one that the platform makes by itself.
pub const fn number(want: &PlanRequest, index: usize) -> usize {
    let before = if want.reserved.is_some() { 1 } else { 0 };
    let extended = if is_logical(want, index) { 1 } else { 0 };
    index + 1 + before + extended
}

/// Whether the partition at `index` lies in an extended one.
pub const fn is_logical(want: &PlanRequest, index: usize) -> bool {
    matches!(want.label, PlannedLabel::Dos)
        && want.partitions.len() > PRIMARIES
        && index + 1 >= PRIMARIES
}

/// The seats of all partitions, and the extended one that some lie in.
pub fn seats(
    want: &PlanRequest,
    solution: &Solution,
) -> Result<(Vec<Seat>, Option<ExtendedPartition>), Refusal> {
    if want.label == PlannedLabel::Whole {
        return Ok((Vec::new(), None));
    }
    if let Some(start) = want.given_start {
        return Ok((vec![given(want, start)?], None));
    }
    count(want)?;
    let free = want.label.first_free(want.logical.size);
    let free = want
        .reserved
        .map_or(Some(free), |reserved| free.checked_add(reserved));
    let free = free.ok_or_else(too_far)?;
    // By convention the first megabyte, or another convention, stays free.
    let mut next = free.max(want.habit.unwrap_or(free));
    let mut seats: Vec<Seat> = Vec::new();
    let mut extended: Option<ExtendedPartition> = None;
    for (index, part) in want.partitions.iter().enumerate() {
        if is_logical(want, index) {
            let container = extended.get_or_insert(ExtendedPartition {
                start: solution.at_or_after(next).ok_or_else(too_far)?,
                size: None,
            });
            // The link in front of a logical partition takes a sector, and starts are boundaries: sfdisk puts it
            // 2048 sectors ahead, or right ahead where there is less room.
            let link = next.max(container.start);
            next = link.checked_add(want.logical.size).ok_or_else(too_far)?;
        }
        let number = number(want, index);
        let start = solution.at_or_after(next).ok_or_else(too_far)?;
        let end = end(want, solution, start, part.size)?;
        let size = end.and_then(|end| end.checked_sub(start));
        if size.is_some_and(Bytes::is_zero) || end.is_some_and(|end| end < start) {
            return Err(Refusal::new(format!(
                "there is no room for partition {number} from byte {} on",
                start.get()
            )));
        }
        within_mbr(want, number, start, end)?;
        holds_fat(want, number, part.role, size)?;
        seats.push(seat(number, start, size));
        next = match end {
            Some(end) => end,
            None if index + 1 == want.partitions.len() => break,
            None => {
                return Err(Refusal::new(format!(
                    "partition {number} takes the rest of the disk, and others follow: say --size"
                )));
            }
        };
    }
    let last = seats.last().and_then(Seat::end);
    if let Some(container) = &mut extended {
        container.size = last.and_then(|end| end.checked_sub(container.start));
    }
    Ok((seats, extended))
}

/// The partition that is there and stays.
fn given(want: &PlanRequest, start: Bytes) -> Result<Seat, Refusal> {
    if start.is_multiple_of(want.logical.size) {
        return Ok(seat(number(want, 0), start, None));
    }
    Err(Refusal::new(format!(
        "no partition starts at byte {}: sectors have {} bytes",
        start.get(),
        want.logical.size.get()
    )))
}

fn count(want: &PlanRequest) -> Result<(), Refusal> {
    let most = match want.label {
        PlannedLabel::Whole => return Ok(()),
        PlannedLabel::Dos => MBR_MOST,
        PlannedLabel::Gpt | PlannedLabel::Efi | PlannedLabel::Vtoc => GPT_MOST,
    };
    if want.partitions.len() <= most {
        return Ok(());
    }
    Err(Refusal::new(format!(
        "{} partitions, and such a table holds {most}",
        want.partitions.len()
    )))
}

fn within_mbr(
    want: &PlanRequest,
    number: usize,
    start: Bytes,
    end: Option<Bytes>,
) -> Result<(), Refusal> {
    let most = want.logical.size.get().saturating_mul(MBR_SECTORS);
    let last = end.unwrap_or(start).get();
    if want.label != PlannedLabel::Dos || last <= most {
        return Ok(());
    }
    Err(Refusal::new(format!(
        "partition {number} would reach byte {last}, and an MBR counts {MBR_SECTORS} sectors, up to byte {most}: \
         say --label gpt"
    )))
}

/// FAT32 has 65,525 clusters or more, none smaller than a sector: with fewer, firmware takes it for FAT16.
fn holds_fat(
    want: &PlanRequest,
    number: usize,
    role: PartRole,
    size: Option<Bytes>,
) -> Result<(), Refusal> {
    let least = Bytes::new(want.logical.size.get().saturating_mul(66_000) + (1 << 20));
    if role != PartRole::Esp || size.is_none_or(|size| size >= least) {
        return Ok(());
    }
    let mebibytes = least.get().div_ceil(1 << 20);
    Err(Refusal::new(format!(
        "partition {number} is too small for FAT32 with sectors of {} bytes: an EFI system partition takes \
         {mebibytes} MiB or more there",
        want.logical.size.get()
    )))
}

/// The end of a partition of a size, or of one that takes the rest; `None`: the disk's size is not known.
fn end(
    want: &PlanRequest,
    solution: &Solution,
    start: Bytes,
    size: Option<Bytes>,
) -> Result<Option<Bytes>, Refusal> {
    let last = match want.size {
        Some(size) => {
            let usable = size.checked_sub(want.label.tail(want.logical.size));
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

fn seat(number: usize, start: Bytes, size: Option<Bytes>) -> Seat {
    Seat {
        kind: Kind::Partition,
        name: format!("p{number}"),
        offset: start,
        start,
        size,
    }
}
