//! What lies outside all partitions and is not to be moved over: boot code between table and first partition.
//!
//! GRUB's part of it is found by its lists. Other programs keep things there as well (first stages of ARM
//! boards, disk encryption, licences), which cannot be distinguished from remains: everything that is not
//! zero is kept.

use std::io;
use std::ops::Range;

use super::fate::fate;
use super::survey::BootSurvey;
use super::{Consequence, Moved, Reserved, grub};
use crate::tables::RewritableTable;
use crate::{Error, Result};

/// How far behind the table something is looked for: boards begin their first partition at 16 MiB.
const MOST_BYTES: u64 = 32 << 20;
const PIECE: u64 = 64 << 10;

/// All of it, in order of place.
pub fn reserved(survey: &mut BootSurvey<'_>, unit: u64) -> Result<Vec<Reserved>> {
    let mut all: Vec<_> = grub::outside(survey)
        .into_iter()
        .map(|(place, what)| Reserved {
            place: place.start - place.start % unit..place.end.next_multiple_of(unit),
            what,
        })
        .collect();
    if let Some(place) = written(survey, unit)? {
        let what = "the space behind the partition table, which is not empty".to_owned();
        let known = |range: &Range<u64>| {
            let mut at = range.start;
            for one in &all {
                if one.place.start <= at && at < one.place.end {
                    at = one.place.end;
                }
            }
            at >= range.end
        };
        if !known(&place) {
            all.push(Reserved { place, what });
        }
    }
    all.sort_by_key(|one| (one.place.start, one.place.end));
    Ok(all)
}

/// From the first block behind the table to the last that is not zero, before the first partition.
fn written(survey: &mut BootSurvey<'_>, unit: u64) -> Result<Option<Range<u64>>> {
    let first = match survey.table {
        RewritableTable::Dos(_) => unit,
        RewritableTable::Gpt(_) => survey.table.usable().0,
    };
    let starts = survey.slots.iter().map(|slot| slot.start);
    let end = starts.min().map_or(0, |start| start.min(MOST_BYTES));
    let (mut low, mut high) = (None, None);
    let mut at = first;
    while at < end {
        let len = PIECE.min(end - at);
        let Some(bytes) = survey.inside(at, usize::try_from(len).unwrap_or(usize::MAX)) else {
            break;
        };
        let bytes = bytes.map_err(|error| unreadable(at, end, error))?;
        let position = |index: usize| at.saturating_add(index as u64);
        if let Some(index) = bytes.iter().position(|byte| *byte != 0) {
            low = low.or(Some(position(index)));
            high = bytes
                .iter()
                .rposition(|byte| *byte != 0)
                .map(position)
                .or(high);
        }
        at = at.saturating_add(len);
    }
    let both = low.zip(high);
    Ok(both.map(|(low, high)| low - low % unit..(high + 1).next_multiple_of(unit)))
}

/// What cannot be read may be a boot loader, and nothing may go over that.
fn unreadable(at: u64, end: u64, error: io::Error) -> Error {
    let what = format!(
        "the space between the partition table and the first partition, where a boot loader may be, cannot be read \
         at byte {at} (it ends at byte {end})"
    );
    Error::device(what, error)
        .advise("copy the disk to an image first (`ddrescue DISK IMAGE MAP`), and fix that")
}

/// Refuses what would go over it.
pub fn check(survey: &mut BootSurvey<'_>, reserved: &[Reserved]) {
    for kept in reserved {
        let over: Vec<_> = survey
            .moved
            .iter()
            .filter(|moved| overlaps(moved, &kept.place))
            .map(|moved| moved.number)
            .collect();
        for number in over {
            let what = format!(
                "it would go over bytes {} to {}: {}",
                kept.place.start, kept.place.end, kept.what
            );
            let advice = "choose a start behind them";
            survey.add(Consequence::refused(Some(number), what).advised(advice));
        }
    }
}

fn overlaps(moved: &Moved, place: &Range<u64>) -> bool {
    let back = Moved {
        from: moved.to,
        to: moved.from,
        ..*moved
    };
    moved.goes() && fate(&[back], place) != super::fate::Fate::Stay
}
