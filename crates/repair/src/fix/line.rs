//! The partitions of a disk as blocks on a line, with the starts that are good for each.

use ioalign_core::Boundaries;

use super::data;
use super::survey::{Choices, DiskSurvey, PartitionFacts};
use crate::boot::Reserved;
use crate::layout::{BlockShift, LayoutAim, MovableBlock, least_of};
use crate::tables::{PartitionSlot, SlotKind};

/// Above every place on a disk: multiples of it are one place.
const ONE_PLACE: u64 = 1 << 62;

/// The partitions on their line.
pub struct PartitionLine<'a> {
    /// All of them, as they are.
    pub slots: &'a [PartitionSlot],
    within: (u64, u64),
    unit: u64,
    /// What stays although it is no partition.
    islands: Vec<MovableBlock>,
    survey: &'a DiskSurvey,
    choices: &'a Choices,
}

impl<'a> PartitionLine<'a> {
    /// Between these bytes, in sectors of `unit`.
    pub fn new(
        slots: &'a [PartitionSlot],
        within: (u64, u64),
        unit: u64,
        reserved: &[Reserved],
        survey: &'a DiskSurvey,
        choices: &'a Choices,
    ) -> Self {
        Self {
            slots,
            within,
            unit,
            islands: islands(slots, within.0, reserved),
            survey,
            choices,
        }
    }

    fn demand(&self, slot: &PartitionSlot) -> Option<Boundaries> {
        self.survey.part(slot.number)?.demand
    }

    fn is_fixed(&self, slot: &PartitionSlot) -> bool {
        let part: Option<&PartitionFacts> = self.survey.part(slot.number);
        !self.choices.allow(slot.number) || part.is_none_or(|part| part.stays.is_some())
    }

    /// Whether its start is no good one, and may change.
    pub fn has_to_move(&self, slot: &PartitionSlot) -> bool {
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
    pub fn solve(&self, habit: Option<u64>, aim: LayoutAim) -> Option<Vec<BlockShift>> {
        least_of(&self.blocks(habit)?, aim)
    }

    /// The least layout in which one partition starts there.
    pub fn pinned(
        &self,
        habit: Option<u64>,
        aim: LayoutAim,
        (number, start): (u32, u64),
    ) -> Option<Vec<BlockShift>> {
        let mut blocks = self.blocks(habit)?;
        let pinned = blocks.iter_mut().find(|block| block.number == number)?;
        pinned.grid = Some(Boundaries {
            period: ONE_PLACE,
            phase: start,
        });
        least_of(&blocks, aim)
    }

    /// All of them, with the starts that are good by this habit; `None` where one has none.
    pub fn blocks(&self, habit: Option<u64>) -> Option<Vec<MovableBlock>> {
        let logical = data(self.slots).filter(|slot| slot.kind == SlotKind::Logical);
        let first = logical
            .min_by_key(|slot| slot.start)
            .map(|slot| slot.number);
        let blocks: Option<Vec<_>> = data(self.slots)
            .map(|slot| self.block(slot, habit, first))
            .collect();
        let mut blocks = blocks?;
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
