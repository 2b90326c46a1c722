//! A plan as plain data.

use ioalign_core::fix_document::{
    FixContainer, FixDone, FixMove, FixPartition, FixPlan, PartitionRank, UnreadablePlace,
};

use super::{RepairPlan, is_staged};
use crate::mover::{Done, MoverOptions};
use crate::tables::SlotKind;

impl RepairPlan {
    /// What is shown of it. The journal, the time that it takes and precautions are left to the caller, who knows
    /// where and how it is done.
    pub fn document(&self, options: &MoverOptions) -> FixPlan {
        FixPlan {
            name: self.name(),
            table: self.table.name(),
            disk_bytes: self.job.identity.size_bytes,
            sector_bytes: self.job.identity.logical_bytes,
            partitions: self.partitions(),
            moves: self.moves(options),
            moved_bytes: self.job.moved_bytes(),
            written_bytes: self.written(options),
            written_twice_bytes: self.written_twice(options),
            table_bytes: self.table_bytes(),
            journal: None,
            estimate: None,
            container: self
                .survey
                .container
                .map(|grid_bytes| FixContainer { grid_bytes }),
            consequences: self.consequences.clone(),
            precautions: Vec::new(),
        }
    }

    fn partitions(&self) -> Vec<FixPartition> {
        let pairs = self.old.iter().zip(&self.new);
        pairs
            .map(|(old, new)| FixPartition {
                number: old.number,
                kind: match old.kind {
                    SlotKind::Primary => PartitionRank::Primary,
                    SlotKind::Extended => PartitionRank::Extended,
                    SlotKind::Logical => PartitionRank::Logical,
                },
                what: self.what(old.number).map(str::to_owned),
                start_bytes: old.start,
                size_bytes: old.size,
                new_start_bytes: new.start,
                new_size_bytes: new.size,
            })
            .collect()
    }

    fn moves(&self, options: &MoverOptions) -> Vec<FixMove> {
        let pairs = self.shifts.iter().zip(&self.job.moves);
        pairs
            .map(|(shift, one)| FixMove {
                partition: shift.number,
                from_bytes: shift.from,
                to_bytes: shift.to,
                size_bytes: shift.size,
                through_journal: is_staged(*one, options),
            })
            .collect()
    }
}

impl Done {
    /// What is shown of it.
    pub fn document(&self, elapsed_us: u64) -> FixDone {
        let places = self.unreadable.iter();
        FixDone {
            moved_bytes: self.moved_bytes,
            written_bytes: self.written_bytes,
            verified_bytes: self.verified_bytes,
            elapsed_us,
            unreadable: places
                .map(|place| UnreadablePlace {
                    start_bytes: place.start,
                    end_bytes: place.end,
                })
                .collect(),
        }
    }
}
