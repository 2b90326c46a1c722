//! Hidden sectors: what a file system has written down of where its partition starts.
//!
//! Whole-disk programs count from the beginning of the disk: mkfs.fat, mkntfs and extlinux take the start
//! that the kernel says. DOS, and Windows up to XP at least, count from the extended boot record for a logical
//! partition (`IoReadPartitionTable`: the partition's start less that of the table that lists it). Both
//! are understood; what is neither is no start, and stays. 0 means that it was never known: an image
//! without a table, a mkfs on a file.

use ioalign_core::on_disk::bytes::le32;

use super::survey::BootSurvey;
use super::{Consequence, Moved};
use crate::tables::RewritableTable;

/// Where a BIOS parameter block has them, with 32 bits.
const IN_BLOCK: u64 = 0x1c;

/// The two ways of counting, in sectors of the file system, before and after the move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Starts {
    /// From the beginning of the disk.
    absolute: (Option<u64>, Option<u64>),
    /// From its extended boot record, for a logical partition.
    relative: Option<(u64, u64)>,
}

/// What to make of a number of hidden sectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HiddenVerdict {
    /// It was the start; it becomes this.
    Becomes(u64),
    /// It was the start, and the new one cannot be expressed in these sectors.
    CannotBe,
    /// It is 0.
    Unknown,
    /// It is not the start.
    Odd,
}

impl HiddenVerdict {
    /// What to write.
    pub const fn new_start(self) -> Option<u64> {
        match self {
            Self::Becomes(new) => Some(new),
            _ => None,
        }
    }
}

impl Starts {
    /// Those of a partition.
    pub fn of(survey: &BootSurvey<'_>, moved: &Moved, sector: u64) -> Self {
        let whole = |bytes: u64| bytes.is_multiple_of(sector).then_some(bytes / sector);
        let records = records(survey, moved.number);
        let relative = records.and_then(|(old, new)| {
            let old = whole(moved.from.checked_sub(old)?)?;
            Some((old, whole(moved.to.checked_sub(new)?)?))
        });
        Self {
            absolute: (whole(moved.from), whole(moved.to)),
            relative,
        }
    }

    /// The verdict on `value`, in a field with this many bits.
    pub fn judge(&self, value: u64, bits: u32) -> HiddenVerdict {
        let fits = |new: u64| new.checked_shr(bits).is_none_or(|rest| rest == 0);
        if value == 0 {
            return HiddenVerdict::Unknown;
        }
        match (self.absolute, self.relative) {
            ((Some(old), new), _) if old == value => new
                .filter(|new| fits(*new))
                .map_or(HiddenVerdict::CannotBe, HiddenVerdict::Becomes),
            (_, Some((old, new))) if old == value => HiddenVerdict::Becomes(new),
            _ => HiddenVerdict::Odd,
        }
    }
}

/// A boot sector with a BIOS parameter block.
pub struct BootSector<'a> {
    /// Whose, for people.
    pub name: &'a str,
    /// Its place.
    pub at: u64,
    /// Its bytes.
    pub bytes: &'a [u8],
    /// What the file system counts in.
    pub sector: u64,
}

impl BootSector<'_> {
    /// Sets its hidden sectors to the new start if they were the old one. `same`: a verdict that was
    /// reported already.
    pub fn place(
        &self,
        survey: &mut BootSurvey<'_>,
        moved: &Moved,
        same: Option<HiddenVerdict>,
    ) -> HiddenVerdict {
        let value = u64::from(le32(self.bytes, 0x1c));
        let verdict = Starts::of(survey, moved, self.sector).judge(value, 32);
        if let Some(new) = verdict.new_start().and_then(|new| u32::try_from(new).ok()) {
            let at = self.at.saturating_add(IN_BLOCK);
            survey.edits.set(at, &new.to_le_bytes());
        }
        if same != Some(verdict) {
            survey.add_some(stated(self.name, moved, value, verdict));
        }
        verdict
    }
}

/// Where the record of a logical partition is and will be.
fn records(survey: &BootSurvey<'_>, number: u32) -> Option<(u64, u64)> {
    let RewritableTable::Dos(dos) = survey.table else {
        return None;
    };
    let old = dos.record_of(number)?;
    let chain = dos.rewritten(&survey.placed()).ok()?;
    let index = usize::try_from(number.checked_sub(5)?).ok()?;
    Some((old, chain.first()?.get(index)?.at))
}

/// The message for a verdict about one partition's boot sector.
pub fn stated(
    what: &str,
    moved: &Moved,
    value: u64,
    verdict: HiddenVerdict,
) -> Option<Consequence> {
    let number = Some(moved.number);
    match verdict {
        HiddenVerdict::Becomes(new) => Some(Consequence::stated(
            number,
            format!("{what}: hidden sectors {value} become {new}"),
        )),
        HiddenVerdict::CannotBe => Some(
            Consequence::warned(
                number,
                format!("{what}: hidden sectors {value} cannot hold the new start"),
            )
            .advised("choose a start that is a whole number of its sectors, below 2^32 of them"),
        ),
        HiddenVerdict::Odd => Some(Consequence::stated(
            number,
            format!(
                "{what}: hidden sectors are {value}, which is not where the partition starts: left as they are"
            ),
        )),
        HiddenVerdict::Unknown => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_of_counting_are_understood_and_nothing_else() {
        let starts = Starts {
            absolute: (Some(30063), Some(1 << 33)),
            relative: Some((63, 2048)),
        };
        assert_eq!(starts.judge(63, 32), HiddenVerdict::Becomes(2048));
        assert_eq!(starts.judge(30063, 32), HiddenVerdict::CannotBe);
        assert_eq!(starts.judge(30063, 64), HiddenVerdict::Becomes(1 << 33));
        assert_eq!(starts.judge(0, 32), HiddenVerdict::Unknown);
        assert_eq!(starts.judge(64, 32), HiddenVerdict::Odd);
    }
}
