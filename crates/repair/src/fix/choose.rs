//! The choice of a layout: a mebibyte where it costs no more, else the grid that moves least.

use ioalign_core::Boundaries;

use super::no_room;
use super::survey::{Choices, DiskSurvey};
use super::{data, survey};
use crate::Result;
use crate::boot::Reserved;
use crate::layout::{BlockShift, MovableBlock, least};
use crate::resize;
use crate::tables::{PartitionSlot, RewritableTable, SlotKind, refused};

/// What starts are made multiples of beyond what is asked of them, the best first.
const HABITS: [u64; 3] = [1 << 20, 64 << 10, 4 << 10];

/// A layout.
#[derive(Debug, Default)]
pub struct Chosen {
    /// The moves, in order; none if everything is right.
    pub shifts: Vec<BlockShift>,
    /// By how much the last partition is cut off.
    pub cut: u64,
    /// The bytes that would move with whole mebibytes; `None` where there is no room for those.
    pub mebibyte_bytes: Option<u64>,
}

/// The layout that writes least, between `low` and `end`.
pub fn layout(
    table: &RewritableTable,
    (low, end): (u64, u64),
    reserved: &[Reserved],
    survey: &DiskSurvey,
    choices: &Choices,
) -> Result<Chosen> {
    let slots = table.slots();
    for number in &choices.only {
        if !data(&slots).any(|slot| slot.number == *number) {
            return Err(refused(format!("there is no partition {number}")));
        }
    }
    let line = PartitionLine {
        slots: &slots,
        within: (low, end),
        unit: table.unit(),
        islands: islands(&slots, low, reserved),
        survey,
        choices,
    };
    if !data(&slots).any(|slot| line.has_to_move(slot)) {
        return Ok(Chosen::default());
    }
    let habits: Vec<_> = choices.align.map_or_else(
        || HABITS.map(Some).into_iter().chain([None]).collect(),
        |align| vec![Some(align)],
    );
    // Starts near the present one come first: a distant place may save a second write, but scatters
    // the partitions.
    let best = [LayoutReach::Near, LayoutReach::Far]
        .into_iter()
        .find_map(|reach| {
            let found = habits.iter().filter_map(|habit| line.solve(*habit, reach));
            found.min_by_key(|shifts| bytes(shifts))
        });
    let mebibyte = [LayoutReach::Near, LayoutReach::Far]
        .into_iter()
        .find_map(|reach| line.solve(Some(HABITS[0]), reach));
    let mebibyte_bytes = mebibyte.as_deref().map(bytes);
    if let Some(shifts) = best {
        return Ok(Chosen {
            shifts,
            cut: 0,
            mebibyte_bytes,
        });
    }
    let cut = habits.iter().filter(|_| choices.shrink_last);
    let cut = cut.filter_map(|habit| line.cut(*habit));
    cut.min_by_key(|chosen| chosen.cut)
        .ok_or_else(|| line.no_room(&habits))
}

/// All that moves.
pub fn bytes(shifts: &[BlockShift]) -> u64 {
    shifts
        .iter()
        .fold(0, |sum, shift| sum.saturating_add(shift.size))
}

/// Boot code between partitions: nothing may go over it, and it does not move.
fn islands(slots: &[PartitionSlot], low: u64, reserved: &[Reserved]) -> Vec<MovableBlock> {
    let places = reserved.iter().map(|one| one.place.clone());
    let between = places.filter(|place| {
        let inside = |slot: &PartitionSlot| slot.start < place.end && place.start < slot.end();
        place.start >= low && !place.is_empty() && !data(slots).any(inside)
    });
    let block = |place: std::ops::Range<u64>| MovableBlock {
        number: 0,
        start: place.start,
        size: place.end - place.start,
        ahead: 0,
        within: (place.start, place.end),
        grid: None,
        fixed: true,
    };
    between.map(block).collect()
}

/// How far behind the last partition the layout may go.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LayoutReach {
    /// By a few steps of the grid.
    Near,
    /// To the end of the disk.
    Far,
}

/// The partitions on their line.
struct PartitionLine<'a> {
    slots: &'a [PartitionSlot],
    within: (u64, u64),
    unit: u64,
    /// What stays although it is no partition.
    islands: Vec<MovableBlock>,
    survey: &'a DiskSurvey,
    choices: &'a Choices,
}

impl PartitionLine<'_> {
    fn demand(&self, slot: &PartitionSlot) -> Option<Boundaries> {
        self.survey.part(slot.number)?.demand
    }

    fn is_fixed(&self, slot: &PartitionSlot) -> bool {
        let part: Option<&survey::PartitionFacts> = self.survey.part(slot.number);
        !self.choices.allow(slot.number) || part.is_none_or(|part| part.stays.is_some())
    }

    fn has_to_move(&self, slot: &PartitionSlot) -> bool {
        let wanted = self
            .demand(slot)
            .and_then(|demand| self.good(slot, demand, None));
        wanted.is_some_and(|good| !good.holds(slot.start)) && !self.is_fixed(slot)
    }

    /// The good starts by convention. A typed alignment is kept for any data.
    fn good(
        &self,
        slot: &PartitionSlot,
        demand: Boundaries,
        habit: Option<u64>,
    ) -> Option<Boundaries> {
        let suggested = self.survey.part(slot.number)?.suggested;
        match self.choices.align {
            Some(align) => Some(aligned(demand, align)),
            None => both(demand, habit, suggested),
        }
    }

    /// The least layout with this habit.
    fn solve(&self, habit: Option<u64>, reach: LayoutReach) -> Option<Vec<BlockShift>> {
        least(&self.blocks(habit, reach)?)
    }

    /// A layout with this habit for which the last partition is cut off by as little as can be.
    fn cut(&self, habit: Option<u64>) -> Option<Chosen> {
        let blocks = self.blocks(habit, LayoutReach::Far)?;
        let cut = resize::cut(&blocks)?;
        let shifts = least(&resize::shortened(&blocks, cut))?;
        Some(Chosen {
            shifts,
            cut,
            mebibyte_bytes: None,
        })
    }

    fn blocks(&self, habit: Option<u64>, reach: LayoutReach) -> Option<Vec<MovableBlock>> {
        let logical = data(self.slots).filter(|slot| slot.kind == SlotKind::Logical);
        let first = logical
            .min_by_key(|slot| slot.start)
            .map(|slot| slot.number);
        let blocks: Option<Vec<_>> = data(self.slots)
            .map(|slot| self.block(slot, habit, first))
            .collect();
        let mut blocks = blocks?;
        if reach == LayoutReach::Near {
            let steps = blocks.iter().filter_map(|block| block.grid);
            let slack = steps.fold(0, |sum: u64, grid| {
                sum.saturating_add(grid.period.max(self.unit))
            });
            let last = data(self.slots).map(PartitionSlot::end).max().unwrap_or(0);
            let end = last.saturating_add(slack).min(self.within.1);
            blocks.iter_mut().for_each(|block| block.within.1 = end);
        }
        blocks.extend(self.islands.iter().cloned());
        Some(blocks)
    }

    /// `None` where the demand and the habit have no start in common.
    fn block(
        &self,
        slot: &PartitionSlot,
        habit: Option<u64>,
        first: Option<u32>,
    ) -> Option<MovableBlock> {
        let demand = self.demand(slot);
        let grid = if self.has_to_move(slot) {
            Some(self.good(slot, demand?, habit)?)
        } else {
            let good = demand.and_then(|demand| self.good(slot, demand, None));
            good.filter(|good| good.holds(slot.start))
        };
        let ahead = match slot.kind {
            // The first record of the chain lies at the front, that of the first partition beside it.
            SlotKind::Logical if first == Some(slot.number) && slot.number != 5 => 2 * self.unit,
            SlotKind::Logical => self.unit,
            _ => 0,
        };
        Some(MovableBlock {
            number: slot.number,
            start: slot.start,
            size: slot.size,
            ahead,
            within: self.within,
            grid,
            fixed: self.is_fixed(slot),
        })
    }

    fn no_room(&self, habits: &[Option<u64>]) -> crate::Error {
        let moving = data(self.slots).filter(|slot| self.has_to_move(slot));
        let moving: Vec<_> = moving.map(|slot| slot.number).collect();
        let lines: Vec<_> = habits
            .iter()
            .filter_map(|habit| self.blocks(*habit, LayoutReach::Far))
            .collect();
        no_room::error(&moving, &lines, self.choices)
    }
}

/// Multiples of an alignment at which the data are on the demand too, or else multiples of it alone.
pub fn aligned(demand: Boundaries, align: u64) -> Boundaries {
    let multiples = Boundaries {
        period: align.max(1),
        phase: 0,
    };
    multiples.shared_near(demand).unwrap_or(multiples)
}

/// Starts that are on both: like the one that `check` names, or multiples of the habit, or else data that are.
fn both(demand: Boundaries, habit: Option<u64>, suggested: Option<u64>) -> Option<Boundaries> {
    let Some(habit) = habit else {
        return Some(demand);
    };
    match suggested.filter(|start| demand.holds(*start)) {
        Some(start) => demand.shared_near(Boundaries {
            period: habit,
            phase: start % habit,
        }),
        None => demand.by_habit(habit),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_habit_follows_what_check_names() {
        let demand = Boundaries {
            period: 4096,
            phase: 2048,
        };
        let wanted = Boundaries {
            period: 1 << 20,
            phase: 942 << 10,
        };
        let named = Some(942 << 10);
        assert_eq!(both(demand, Some(1 << 20), named), Some(wanted));
    }

    #[test]
    fn a_habit_follows_the_data() {
        let demand = |period, phase| Boundaries { period, phase };
        assert_eq!(
            both(demand(4096, 0), Some(1 << 20), None),
            Some(demand(1 << 20, 0))
        );
        assert_eq!(
            both(demand(4096, 512), Some(1 << 20), None),
            Some(demand(1 << 20, 512))
        );
        let both = both(demand(192 << 10, 0), Some(64 << 10), None);
        assert_eq!(both, Some(demand(192 << 10, 0)));
    }
}
