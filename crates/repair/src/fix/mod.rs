//! A fix from end to end: what is known of a disk becomes a layout, a job, and its consequences.
//!
//! What is in the partitions and which grids they have to be on is handed in as plain data
//! ([`DiskSurvey`]): who reads it, and from where, is not known here.

mod build;
mod choose;
mod dirty;
mod document;
mod ends;
mod enlarge;
mod extended;
mod line;
mod no_room;
mod opinion;
mod sector;
mod survey;

use std::ops::Range;

pub use dirty::{LogState, is_about_a_log, log};
pub use enlarge::Enlargement;
pub use sector::Sectored;
pub use survey::{Choices, DiskSurvey, PartitionFacts};

use crate::boot::{self, Consequence, Reserved, Weight};
use crate::convert;
use crate::layout::BlockShift;
use crate::mover::{MoverOptions, Track};
use crate::resize::Shrink;
use crate::tables::{Ground, PartitionSlot, RewritableTable, SlotKind, refused};
use crate::{Disk, Error, ErrorKind, Job, Result};
use choose::Chosen;

/// What a fix would do.
#[derive(Clone, Debug)]
pub struct RepairPlan {
    /// Which table it is.
    pub table: RewritableTable,
    /// The partitions as they are.
    pub old: Vec<PartitionSlot>,
    /// As they will be, in the same order.
    pub new: Vec<PartitionSlot>,
    /// The moves, in order.
    pub shifts: Vec<BlockShift>,
    /// All that is done. Without moves there is nothing in it.
    pub job: Job,
    /// What is in the partitions.
    pub survey: DiskSurvey,
    /// The consequences for boot and contents, the most severe first.
    pub consequences: Vec<Consequence>,
    /// What has to become smaller before anything moves.
    pub shrink: Option<Shrink>,
}

impl RepairPlan {
    /// Whether everything is where it should be, or has to stay.
    pub const fn is_empty(&self) -> bool {
        self.shifts.is_empty() && self.job.patches.is_empty()
    }

    /// Names this plan: the same moves of the same data give the same name.
    pub fn name(&self) -> String {
        name(&self.job)
    }

    /// The bytes that are written twice: to the journal, then to their place.
    pub fn written_twice(&self, options: &MoverOptions) -> u64 {
        let moves = self.job.moves.iter();
        let twice = moves.filter(|one| is_staged(**one, options));
        twice.fold(0, |sum, one| sum.saturating_add(one.bytes))
    }

    /// What is in a partition, in words.
    pub fn what(&self, number: u32) -> Option<&str> {
        self.survey.part(number).map(|part| part.what.as_str())
    }

    /// The bytes of tables, boot sectors and boot code that are written.
    pub fn table_bytes(&self) -> u64 {
        let patches = self.job.patches.iter();
        patches.map(|patch| patch.after.len() as u64).sum()
    }

    /// All bytes that are written, to the disk and to the journal.
    pub fn written(&self, options: &MoverOptions) -> u64 {
        let all = self.job.moved_bytes();
        all.saturating_add(self.written_twice(options))
    }
}

/// Names a job by all that it does.
pub fn name(job: &Job) -> String {
    let sizes = MoverOptions::default().sizes(job.identity.logical_bytes);
    let hash = sizes.map_or(0, |sizes| crate::journal::header_for(job, sizes).job_hash);
    format!("{hash:032x}").chars().take(16).collect()
}

/// Whether a move goes through the journal.
pub fn is_staged(one: crate::Move, options: &MoverOptions) -> bool {
    Track(one).overlaps() && one.distance() < options.direct_from
}

/// Of two tables one would be written, and the other would name the old places.
fn one_table(disk: &mut dyn Disk, job: &Job) -> Result<()> {
    if job.patches.is_empty() || !convert::has_both(disk) {
        return Ok(());
    }
    Err(refused("there are tables for sectors of 512 and of 4096 bytes, and one of them would be changed").advise(
        "take the one for 4096 away (write zeros over bytes 4096 to 4607), and make it again afterwards (`ioalign fix --universal`)",
    ))
}

/// The plan for a disk: the layout that moves least, and all that has to be written for it.
pub fn plan(disk: &mut dyn Disk, survey: &DiskSurvey, choices: &Choices) -> Result<RepairPlan> {
    let (table, end) = bounds(disk, choices)?;
    let old = table.slots();
    let reserved = boot::reserved(disk, &table)?;
    let low = first_free(&table, &reserved);
    if let Some(wanted) = choices.enlarge {
        return longer(disk, survey, table, &reserved, low, wanted);
    }
    let chosen = choose::layout(&table, (low, end), &reserved, survey, choices)?;
    let Chosen { shifts, cut, .. } = &chosen;
    let mut ends = ends::Ends::default();
    ends.cut(disk, &old, *cut)?;
    let mut new = placed(&old, shifts, &ends);
    if choices.grow {
        ends.grow(disk, &old, &new, end)?;
        new = placed(&old, shifts, &ends);
    }
    let mut consequences = stated(disk, survey, &old, shifts);
    consequences.extend(opinion::differing(&chosen, table.unit()));
    consequences.extend(opinion::container(survey));
    consequences.extend(opinion::made_up_for(survey, shifts));
    consequences.extend(opinion::off_grid(survey, &new, choices));
    consequences.extend(ends.consequences());
    let job = if shifts.is_empty() && !choices.grow {
        build::nothing(disk)
    } else {
        extended::place(&table, &mut new, low)?;
        let grow = choices.grow;
        let (job, stated) = build::job(disk, &table, &old, &new, shifts, &reserved, grow)?;
        consequences.extend(stated);
        one_table(disk, &job)?;
        job
    };
    consequences.sort_by(|a, b| b.weight.cmp(&a.weight).then(a.partition.cmp(&b.partition)));
    Ok(RepairPlan {
        table,
        old,
        new,
        shifts: chosen.shifts,
        job,
        survey: survey.clone(),
        consequences,
        shrink: ends.shrink,
    })
}

/// The plan that makes one partition longer, and moves nothing.
fn longer(
    disk: &mut dyn Disk,
    survey: &DiskSurvey,
    table: RewritableTable,
    reserved: &[Reserved],
    low: u64,
    wanted: Enlargement,
) -> Result<RepairPlan> {
    let old = table.slots();
    let mut new = enlarge::enlarged(&table, reserved, wanted)?;
    let (job, consequences) = if new == old {
        (build::nothing(disk), Vec::new())
    } else {
        extended::place(&table, &mut new, low)?;
        let (job, mut stated) = build::job(disk, &table, &old, &new, &[], reserved, false)?;
        one_table(disk, &job)?;
        stated.push(enlarge::stated(wanted));
        (job, stated)
    };
    Ok(RepairPlan {
        table,
        old,
        new,
        shifts: Vec::new(),
        job,
        survey: survey.clone(),
        consequences,
        shrink: None,
    })
}

/// The table, and where the last partition has to end.
fn bounds(disk: &mut dyn Disk, choices: &Choices) -> Result<(RewritableTable, u64)> {
    if !choices.grow {
        let table = RewritableTable::read(disk)?;
        let (_, end) = table.usable();
        return Ok((table, end));
    }
    let table = RewritableTable::read_anywhere(disk)?;
    let (_, end) = table.usable_on(Ground::of(disk))?;
    Ok((table, end))
}

/// Where boot loaders embed themselves on a disk with an MBR of 512-byte sectors: `check` asks that nothing
/// starts there.
const MBR_GAP: u64 = 63 * 512;

/// The first byte that something may move to: after the table, the gap of an MBR, and what lies behind it up to
/// the first partition, as boot loaders live there, outside of every table.
fn first_free(table: &RewritableTable, reserved: &[Reserved]) -> u64 {
    let (usable, _) = table.usable();
    let usable = match table {
        RewritableTable::Dos(_) if table.unit() == 512 => usable.max(MBR_GAP),
        _ => usable,
    };
    let slots = table.slots();
    let records = table.records();
    let records = records.iter().map(|record| record.at);
    let first = data(&slots).map(|slot| slot.start).chain(records).min();
    let ends = reserved.iter().map(|one| one.place.end);
    let before = ends.filter(|end| first.is_none_or(|first| *end <= first));
    before.fold(usable, u64::max)
}

/// All partitions where they will be, with the lengths that they will have.
fn placed(old: &[PartitionSlot], shifts: &[BlockShift], ends: &ends::Ends) -> Vec<PartitionSlot> {
    let to = |slot: &PartitionSlot| shifts.iter().find(|shift| shift.number == slot.number);
    let place = |slot: &PartitionSlot| PartitionSlot {
        start: to(slot).map_or(slot.start, |shift| shift.to),
        size: ends.size(slot),
        ..*slot
    };
    old.iter().map(place).collect()
}

/// What the survey and the logs of the file systems have to say.
fn stated(
    disk: &mut dyn Disk,
    survey: &DiskSurvey,
    old: &[PartitionSlot],
    shifts: &[BlockShift],
) -> Vec<Consequence> {
    let mut all = survey::stays(survey, old);
    for shift in shifts {
        let place: Range<u64> = shift.from..shift.from.saturating_add(shift.size);
        if let Some(log) = dirty::log(disk, place) {
            all.extend(log.consequence(shift.number));
        }
    }
    all
}

/// The partitions that hold data.
pub(crate) fn data(slots: &[PartitionSlot]) -> impl Iterator<Item = &PartitionSlot> {
    slots.iter().filter(|slot| slot.kind != SlotKind::Extended)
}

/// Refuses a plan with a consequence that was not accepted.
pub fn consent(plan: &RepairPlan, accepts: impl Fn(&Consequence) -> bool) -> Result<()> {
    let weighty = |one: &&Consequence| one.weight == Weight::Refused && !accepts(one);
    match plan.consequences.iter().find(weighty) {
        None => Ok(()),
        Some(one) => {
            let error = Error::new(ErrorKind::Refused, one.what.clone());
            Err(match &one.advice {
                Some(advice) => error.advise(advice.clone()),
                None => error,
            })
        }
    }
}
