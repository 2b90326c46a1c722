//! If a plan and `check` name different starts, the plan says why.

use ioalign_core::Bytes;

use super::choose::{Chosen, WhyElsewhere};
use super::line::aligned;
use super::survey::{Choices, DiskSurvey};
use crate::boot::{Consequence, Weight};
use crate::layout::BlockShift;
use crate::tables::PartitionSlot;

const MIB: u64 = 1 << 20;

/// Partitions that go elsewhere than to the good start that `check` names.
pub fn differing(chosen: &Chosen, unit: u64) -> Vec<Consequence> {
    let mut reasons: Vec<(WhyElsewhere, Vec<String>)> = Vec::new();
    for (number, good, why) in &chosen.elsewhere {
        let one = format!("{} for partition {number}", good / unit.max(1));
        match reasons.iter_mut().find(|(known, _)| known == why) {
            Some((_, all)) => all.push(one),
            None => reasons.push((*why, vec![one])),
        }
    }
    let stated = reasons.into_iter().map(|(why, all)| {
        let what = format!("`check` names sector {}: {}", all.join(", "), reason(why));
        Consequence::stated(None, what)
    });
    stated.collect()
}

fn reason(why: WhyElsewhere) -> String {
    match why {
        WhyElsewhere::Aligned(align) => format!("--align asks for multiples of {align} B"),
        WhyElsewhere::OffGrid => "that start is off a grid that is asked for here".to_owned(),
        WhyElsewhere::NoRoom => {
            "there is no room for that, and this start is on every grid that is asked for"
                .to_owned()
        }
        WhyElsewhere::OthersOff => {
            "it looks at one at a time, and with that start its neighbours would have room on smaller boundaries alone"
                .to_owned()
        }
        WhyElsewhere::MovesMore(more) => format!(
            "going there would move {} MiB more, and this start is on every grid that is asked for",
            more.div_ceil(MIB)
        ),
        WhyElsewhere::WritesMore(more) => format!(
            "going there would write {} MiB more, to the journal as well, and --anywhere asks for the fewest",
            more.div_ceil(MIB)
        ),
        WhyElsewhere::GoesFarther(more) => format!(
            "this start is nearer, and on every grid that is asked for: all that moves goes {} less far",
            Bytes::new(more)
        ),
        WhyElsewhere::Same => {
            "this start is as near, and on every grid that is asked for".to_owned()
        }
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
