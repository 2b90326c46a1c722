//! If a plan and `check` name different starts, the plan says why.

use super::choose::{Chosen, aligned, bytes};
use super::survey::{Choices, DiskSurvey};
use crate::boot::{Consequence, Weight};
use crate::layout::BlockShift;
use crate::tables::PartitionSlot;

const MIB: u64 = 1 << 20;

/// Partitions that go elsewhere than to the good start that `check` names.
pub fn differing(
    survey: &DiskSurvey,
    chosen: &Chosen,
    choices: &Choices,
    unit: u64,
) -> Vec<Consequence> {
    let named =
        |shift: &&BlockShift| suggested(survey, shift).is_some_and(|start| start != shift.to);
    let mut reasons: Vec<(String, Vec<String>)> = Vec::new();
    for shift in chosen.shifts.iter().filter(named) {
        let (Some(good), unit) = (suggested(survey, shift), unit.max(1)) else {
            continue;
        };
        let why = reason(shift, good, chosen, choices);
        let one = format!("{} for partition {}", good / unit, shift.number);
        match reasons.iter_mut().find(|(known, _)| *known == why) {
            Some((_, all)) => all.push(one),
            None => reasons.push((why, vec![one])),
        }
    }
    let stated = reasons.into_iter().map(|(why, all)| Consequence {
        partition: None,
        weight: Weight::Told,
        what: format!("`check` names sector {}: {why}", all.join(", ")),
        advice: None,
    });
    stated.collect()
}

fn suggested(survey: &DiskSurvey, shift: &BlockShift) -> Option<u64> {
    survey.part(shift.number)?.suggested
}

fn reason(shift: &BlockShift, good: u64, chosen: &Chosen, choices: &Choices) -> String {
    if let Some(align) = choices.align {
        return format!("--align asks for multiples of {align} B");
    }
    let moved = bytes(&chosen.shifts);
    match chosen.mebibyte_bytes {
        _ if shift.to % MIB == good % MIB => {
            "it looks at one at a time, and here they lie side by side".to_owned()
        }
        Some(all) if all > moved => format!(
            "going there would move {} MiB more, and this start is on every grid that is asked for",
            (all - moved).div_ceil(MIB)
        ),
        _ => "there is no room for that, and this start is on every grid that is asked for"
            .to_owned(),
    }
}

/// Partitions whose own start is off the grid so that the data in them are on it.
pub fn made_up_for(survey: &DiskSurvey, shifts: &[BlockShift]) -> Vec<Consequence> {
    let of_shift = |shift: &BlockShift| {
        let demand = survey.part(shift.number)?.demand?;
        (demand.phase != 0 && demand.holds(shift.to)).then(|| Consequence {
            partition: Some(shift.number),
            weight: Weight::Told,
            what: format!(
                "partition {} starts {} B past a boundary of {} B on purpose: its contents begin as far \
                 before one, so that the data are on it (`check` notes start-repaired-above)",
                shift.number, demand.phase, demand.period
            ),
            advice: None,
        })
    };
    shifts.iter().filter_map(of_shift).collect()
}

/// Partitions that an alignment leaves, or puts, where their data are off the grid.
pub fn off_grid(survey: &DiskSurvey, new: &[PartitionSlot], choices: &Choices) -> Vec<Consequence> {
    let Some(align) = choices.align else {
        return Vec::new();
    };
    let of_slot = |slot: &PartitionSlot| {
        let demand = survey.part(slot.number)?.demand?;
        let is_asked = choices.allow(slot.number) && aligned(demand, align).holds(slot.start);
        (is_asked && !demand.holds(slot.start)).then(|| Consequence {
            partition: Some(slot.number),
            weight: Weight::Warned,
            what: format!(
                "partition {}: no multiple of {align} B brings the data in it onto their grid, so that `check` \
                 goes on calling it misaligned",
                slot.number
            ),
            advice: Some("leave --align away: then its start makes up for where the data begin".to_owned()),
        })
    };
    new.iter().filter_map(of_slot).collect()
}

/// A file that puts the data of the disk off their grid, wherever partitions start.
pub fn container(survey: &DiskSurvey) -> Option<Consequence> {
    let grid = survey.container?;
    Some(Consequence {
        partition: None,
        weight: Weight::Warned,
        what: format!(
            "the image file itself puts data off the boundaries of {grid} B below it, wherever partitions start: \
             moving them does not help"
        ),
        advice: Some(
            "write a new image in a format that keeps the grid (--output): qcow2, VHDX or raw"
                .to_owned(),
        ),
    })
}
