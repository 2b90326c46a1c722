//! What is known of the partitions of a disk, as plain data.

use ioalign_core::Boundaries;

use super::enlarge::Enlargement;
use crate::boot::{Consequence, Weight};
use crate::tables::PartitionSlot;

/// What is known of one partition, beside its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartitionFacts {
    /// Its number.
    pub number: u32,
    /// Its content, in words: `ext4`, `LVM`.
    pub what: String,
    /// The starts at which its data are on every required grid; `None`: it holds no data in the path
    /// of I/O, and may start anywhere.
    pub demand: Option<Boundaries>,
    /// The good start that `check` names for it.
    pub suggested: Option<u64>,
    /// Why it must not be moved.
    pub stays: Option<String>,
    /// The length that its contents say they have, where that is more than it has.
    pub needs: Option<u64>,
}

/// What is known of a disk.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DiskSurvey {
    /// Its partitions, but for an extended one.
    pub parts: Vec<PartitionFacts>,
    /// The grid in bytes off which the image file puts the data of the disk, wherever partitions start.
    pub container: Option<u64>,
}

impl DiskSurvey {
    /// What is known of a partition.
    pub fn part(&self, number: u32) -> Option<&PartitionFacts> {
        self.parts.iter().find(|part| part.number == number)
    }
}

/// What the operator wants.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choices {
    /// Only these partitions move; none: all that have to.
    pub only: Vec<u32>,
    /// Starts are multiples of this, wherever the data then lie; `None`: of a mebibyte if that costs no more than less would.
    pub align: Option<u64>,
    /// Use all of a disk that has become longer: the table's backup and the last partition go to its end.
    pub grow: bool,
    /// Cut off the last partition where nothing else makes room.
    pub shrink_last: bool,
    /// Partitions may go far over free space, where that saves writing them to the journal too.
    pub anywhere: bool,
    /// Make one partition longer, and do nothing else.
    pub enlarge: Option<Enlargement>,
}

impl Choices {
    /// Whether this partition may move.
    pub fn allow(&self, number: u32) -> bool {
        self.only.is_empty() || self.only.contains(&number)
    }
}

/// Partitions that stay although they should move: to be reported.
pub fn stays(survey: &DiskSurvey, slots: &[PartitionSlot]) -> Vec<Consequence> {
    let of_slot = |slot: &PartitionSlot| {
        let part = survey.part(slot.number)?;
        let why = part.stays.as_ref()?;
        let off = part.demand.is_some_and(|demand| !demand.holds(slot.start));
        off.then(|| Consequence {
            partition: Some(part.number),
            weight: Weight::Warned,
            what: format!(
                "partition {} is off its grid and is not moved: {why}",
                part.number
            ),
            advice: None,
        })
    };
    slots.iter().filter_map(of_slot).collect()
}
