//! Ends that change with a layout: the last partition is cut off, or grows.

use crate::boot::{Consequence, Weight};
use crate::resize::{self, Growth, Shrink};
use crate::tables::PartitionSlot;
use crate::{Disk, Result};

use super::data;

/// What becomes of the last partition's end.
#[derive(Debug, Default)]
pub struct Ends {
    /// It is cut off.
    pub shrink: Option<Shrink>,
    growth: Option<Growth>,
}

impl Ends {
    /// Shortens the last partition by this much.
    pub fn cut(&mut self, disk: &mut dyn Disk, old: &[PartitionSlot], bytes: u64) -> Result<()> {
        let last = data(old).max_by_key(|slot| slot.start);
        if let (Some(last), 1..) = (last, bytes) {
            let size = last.size.saturating_sub(bytes);
            self.shrink = Some(resize::shrink(disk, last, size)?);
        }
        Ok(())
    }

    /// Brings the last partition of the new layout to the end of the disk.
    pub fn grow(
        &mut self,
        disk: &mut dyn Disk,
        old: &[PartitionSlot],
        new: &[PartitionSlot],
        end: u64,
    ) -> Result<()> {
        let start = |number: u32| {
            let slot = old.iter().find(|slot| slot.number == number);
            slot.map_or(0, |slot| slot.start)
        };
        self.growth = resize::grown(disk, new, start, end)?;
        Ok(())
    }

    /// How long a partition will be.
    pub fn size(&self, slot: &PartitionSlot) -> u64 {
        let grown = self.growth.as_ref().map(|growth| growth.slot);
        let cut = self.shrink.as_ref();
        let cut = cut.map(|shrink| (shrink.slot.number, shrink.new_size));
        let grown = grown.map(|slot| (slot.number, slot.size));
        let own = [grown, cut].into_iter().flatten();
        let mut own = own.filter(|(number, _)| *number == slot.number);
        own.next().map_or(slot.size, |(_, size)| size)
    }

    /// The consequence to report.
    pub fn consequences(&self) -> Vec<Consequence> {
        let growth = self.growth.iter().map(|growth| growth.consequence.clone());
        growth.chain(self.shrink.iter().map(stated)).collect()
    }
}

fn stated(shrink: &Shrink) -> Consequence {
    let number = shrink.slot.number;
    let name = shrink.content.name();
    let commands = shrink.commands("PARTITION");
    let commands: Vec<_> = commands
        .iter()
        .map(|words| format!("`{}`", words.join(" ")))
        .collect();
    let (weight, what) = if shrink.needs_tool() {
        (
            Weight::Warned,
            format!(
                "the {name} in partition {number} becomes smaller first, by its own tool, which has no journal: {}",
                commands.join(", then ")
            ),
        )
    } else {
        (
            Weight::Told,
            format!("partition {number} is cut off behind the {name} in it, which ends before"),
        )
    };
    Consequence {
        partition: Some(number),
        weight,
        what,
        advice: shrink
            .needs_tool()
            .then(|| String::from("have a copy of what is in it")),
    }
}
