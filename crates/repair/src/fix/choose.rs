//! The choice of a layout: a mebibyte where it costs no more, else the grid that moves least.

use super::line::PartitionLine;
use super::survey::{Choices, DiskSurvey};
use super::{data, no_room};
use crate::Result;
use crate::boot::Reserved;
use crate::layout::{BlockShift, LayoutAim};
use crate::resize;
use crate::tables::{RewritableTable, refused};

/// What starts are made multiples of beyond what is asked of them, the best first.
const HABITS: [u64; 3] = [1 << 20, 64 << 10, 4 << 10];

/// A layout.
#[derive(Debug, Default)]
pub struct Chosen {
    /// The moves, in order; none if everything is right.
    pub shifts: Vec<BlockShift>,
    /// By how much the last partition is cut off.
    pub cut: u64,
    /// The partitions that go elsewhere than to the start that `check` names, with that start.
    pub elsewhere: Vec<(u32, u64, WhyElsewhere)>,
}

/// Why a partition does not go to the start that `check` names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WhyElsewhere {
    /// Another alignment was typed.
    Aligned(u64),
    /// It is off a grid that was typed.
    OffGrid,
    /// With this start not all have room.
    NoRoom,
    /// With this start all have room, but not on boundaries as large as these.
    OthersOff,
    /// This many bytes more would move.
    MovesMore(u64),
    /// This many bytes more would be written, to the journal as well.
    WritesMore(u64),
    /// Everything together would go this much farther.
    GoesFarther(u64),
    /// Both cost the same.
    Same,
}

/// The layout that moves least, between `low` and `end`.
pub fn layout(
    table: &RewritableTable,
    within: (u64, u64),
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
    let line = PartitionLine::new(&slots, within, table.unit(), reserved, survey, choices);
    if !data(&slots).any(|slot| line.has_to_move(slot)) {
        return Ok(Chosen::default());
    }
    let habits: Vec<_> = choices.align.map_or_else(
        || HABITS.map(Some).into_iter().chain([None]).collect(),
        |align| vec![Some(align)],
    );
    // What moves the least far is never sent away over space that the table does not list: somebody may want back
    // what is there.
    let aim = match choices.anywhere {
        true => LayoutAim::Written,
        false => LayoutAim::Moved,
    };
    let found = habits
        .iter()
        .filter_map(|habit| Some((*habit, line.solve(*habit, aim)?)));
    if let Some((habit, shifts)) = found.min_by_key(|(_, shifts)| cost(shifts, aim)) {
        let instead = |number, good| {
            let pinned = |habit| line.pinned(habit, aim, (number, good));
            let others = || habits.iter().find_map(|habit| pinned(*habit));
            let same = pinned(habit).map(|shifts| (true, shifts));
            same.or_else(|| Some((false, others()?)))
        };
        let elsewhere = elsewhere(&shifts, survey, choices, aim, instead);
        return Ok(Chosen {
            shifts,
            cut: 0,
            elsewhere,
        });
    }
    let cut = habits.iter().filter(|_| choices.shrink_last);
    let cut = cut.filter_map(|habit| cut_off(&line, *habit));
    cut.min_by_key(|chosen| chosen.cut)
        .ok_or_else(|| no_room(&line, &habits, choices))
}

/// All that moves.
fn bytes(shifts: &[BlockShift]) -> u64 {
    sum(shifts, |shift| shift.size)
}

/// What is written for it.
fn cost(shifts: &[BlockShift], aim: LayoutAim) -> u64 {
    let again = |shift: &BlockShift| match shift.distance() < shift.size {
        true => shift.size,
        false => 0,
    };
    match aim {
        LayoutAim::Moved => bytes(shifts),
        LayoutAim::Written => bytes(shifts).saturating_add(sum(shifts, again)),
    }
}

fn sum(shifts: &[BlockShift], of: impl Fn(&BlockShift) -> u64) -> u64 {
    shifts.iter().map(of).fold(0, u64::saturating_add)
}

/// Why partitions do not go to the starts that `check` names: `instead` is the layout in which one does, and
/// whether the others are on boundaries as large then.
fn elsewhere(
    shifts: &[BlockShift],
    survey: &DiskSurvey,
    choices: &Choices,
    aim: LayoutAim,
    instead: impl Fn(u32, u64) -> Option<(bool, Vec<BlockShift>)>,
) -> Vec<(u32, u64, WhyElsewhere)> {
    let why = |number: u32, good: u64| {
        if let Some(align) = choices.align {
            return WhyElsewhere::Aligned(align);
        }
        let demand = survey.part(number).and_then(|part| part.demand);
        if demand.is_some_and(|demand| !demand.holds(good)) {
            return WhyElsewhere::OffGrid;
        }
        let Some((same_habit, other)) = instead(number, good) else {
            return WhyElsewhere::NoRoom;
        };
        let more = |of: fn(&[BlockShift], LayoutAim) -> u64| {
            let more = of(&other, aim).checked_sub(of(shifts, aim));
            more.filter(|more| *more > 0)
        };
        let far = |shifts: &[BlockShift], _| sum(shifts, BlockShift::distance);
        match (more(|shifts, _| bytes(shifts)), more(cost), more(far)) {
            (Some(more), ..) => WhyElsewhere::MovesMore(more),
            _ if !same_habit => WhyElsewhere::OthersOff,
            (None, Some(more), _) => WhyElsewhere::WritesMore(more),
            (None, None, Some(more)) => WhyElsewhere::GoesFarther(more),
            (None, None, None) => WhyElsewhere::Same,
        }
    };
    let one = |shift: &BlockShift| {
        let good = survey.part(shift.number)?.suggested;
        let good = good.filter(|good| *good != shift.to)?;
        Some((shift.number, good, why(shift.number, good)))
    };
    shifts.iter().filter_map(one).collect()
}

/// A layout with this habit for which the last partition is cut off by as little as can be.
fn cut_off(line: &PartitionLine<'_>, habit: Option<u64>) -> Option<Chosen> {
    let blocks = line.blocks(habit)?;
    let cut = resize::cut(&blocks)?;
    Some(Chosen {
        shifts: crate::layout::least(&resize::shortened(&blocks, cut))?,
        cut,
        elsewhere: Vec::new(),
    })
}

fn no_room(line: &PartitionLine<'_>, habits: &[Option<u64>], choices: &Choices) -> crate::Error {
    let moving = data(line.slots).filter(|slot| line.has_to_move(slot));
    let moving: Vec<_> = moving.map(|slot| slot.number).collect();
    let lines: Vec<_> = habits
        .iter()
        .filter_map(|habit| line.blocks(*habit))
        .collect();
    no_room::error(&moving, &lines, choices)
}
