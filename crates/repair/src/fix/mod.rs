//! A fix from end to end: what is known of a disk becomes a layout, a job, and its consequences.
//!
//! What is in the partitions and which grids they have to be on is handed in as plain data
//! ([`Survey`]): who reads it, and from where, is not known here.

mod build;
mod choose;
mod dirty;
mod extended;
mod gap;
mod sector;
mod survey;

use std::ops::Range;

pub use dirty::{Log, is_about_a_log, log};
pub use sector::Sectored;
pub use survey::{Choices, Part, Survey};

use crate::boot::{self, Consequence, Weight};
use crate::layout::Shift;
use crate::mover::{Options, Track};
use crate::tables::{Slot, SlotKind, Table};
use crate::{Disk, Error, ErrorKind, Job, Result};

/// What a fix would do.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Which table it is.
    pub table: Table,
    /// The partitions as they are.
    pub old: Vec<Slot>,
    /// As they will be, in the same order.
    pub new: Vec<Slot>,
    /// What moves, in order.
    pub shifts: Vec<Shift>,
    /// All that is done. Without moves there is nothing in it.
    pub job: Job,
    /// What is in the partitions.
    pub survey: Survey,
    /// What it means for boot and contents, the weightiest first.
    pub consequences: Vec<Consequence>,
}

impl Plan {
    /// Whether everything is where it should be, or has to stay.
    pub const fn is_empty(&self) -> bool {
        self.shifts.is_empty()
    }

    /// Names this plan: the same moves of the same data give the same name.
    pub fn name(&self) -> String {
        let options = Options::default();
        let sizes = options.sizes(self.job.identity.logical_bytes);
        let hash = sizes.map_or(0, |sizes| {
            crate::journal::header_for(&self.job, sizes).job_hash
        });
        format!("{hash:032x}").chars().take(16).collect()
    }

    /// The bytes that are written twice: to the journal, then to their place.
    pub fn written_twice(&self, options: &Options) -> u64 {
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
    pub fn written(&self, options: &Options) -> u64 {
        let all = self.job.moved_bytes();
        all.saturating_add(self.written_twice(options))
    }
}

/// Whether a move goes through the journal.
pub fn is_staged(one: crate::Move, options: &Options) -> bool {
    Track(one).overlaps() && one.distance() < options.direct_from
}

/// The plan for a disk: the layout that moves least, and all that has to be written for it.
pub fn plan(disk: &mut dyn Disk, survey: &Survey, choices: &Choices) -> Result<Plan> {
    let table = Table::read(disk)?;
    let old = table.slots();
    let reserved = boot::reserved(disk, &table)?;
    let low = gap::first_free(disk, &table, &reserved)?;
    let shifts = choose::shifts(&table, low, &reserved, survey, choices)?;
    let new = placed(&table, &old, &shifts)?;
    let mut consequences = told(disk, survey, &old, &shifts);
    let job = if shifts.is_empty() {
        build::nothing(disk)
    } else {
        let (job, told) = build::job(disk, &table, &old, &new, &shifts, &reserved)?;
        consequences.extend(told);
        job
    };
    consequences.sort_by(|a, b| b.weight.cmp(&a.weight).then(a.partition.cmp(&b.partition)));
    Ok(Plan {
        table,
        old,
        new,
        shifts,
        job,
        survey: survey.clone(),
        consequences,
    })
}

/// All partitions where they will be, the extended one around its own.
fn placed(table: &Table, old: &[Slot], shifts: &[Shift]) -> Result<Vec<Slot>> {
    let to = |slot: &Slot| shifts.iter().find(|shift| shift.number == slot.number);
    let mut new: Vec<_> = old
        .iter()
        .map(|slot| Slot {
            start: to(slot).map_or(slot.start, |shift| shift.to),
            ..*slot
        })
        .collect();
    if !shifts.is_empty() {
        extended::place(table, &mut new)?;
    }
    Ok(new)
}

/// What the survey and the logs of the file systems have to say.
fn told(disk: &mut dyn Disk, survey: &Survey, old: &[Slot], shifts: &[Shift]) -> Vec<Consequence> {
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
pub(crate) fn data(slots: &[Slot]) -> impl Iterator<Item = &Slot> {
    slots.iter().filter(|slot| slot.kind != SlotKind::Extended)
}

/// Refuses a plan whose consequences nobody has taken upon himself.
pub fn consent(plan: &Plan, accepts: impl Fn(&Consequence) -> bool) -> Result<()> {
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
