//! RAID arithmetic: how many disks bear data, and how wide a stripe is. The planner and the simulator share it.

use crate::units::Bytes;

/// How disks are joined.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum RaidLevel {
    /// Striped, no redundancy.
    Raid0,
    /// Mirrored, no stripes.
    Raid1,
    /// Striped over mirrored pairs (1+0).
    Raid10,
    /// One disk's worth of parity.
    Raid5,
    /// Two disks' worth of parity.
    Raid6,
}

impl RaidLevel {
    /// All levels with their names, as typed.
    pub const ALL: [(&'static str, Self); 5] = [
        ("0", Self::Raid0),
        ("1", Self::Raid1),
        ("10", Self::Raid10),
        ("5", Self::Raid5),
        ("6", Self::Raid6),
    ];

    /// The name, as typed: `10`.
    pub fn name(self) -> &'static str {
        let known = Self::ALL.iter().find(|(_, level)| *level == self);
        known.map_or("", |(name, _)| name)
    }

    /// The fewest disks that make one.
    pub const fn least_disks(self) -> u32 {
        match self {
            Self::Raid0 | Self::Raid1 => 2,
            Self::Raid5 => 3,
            Self::Raid10 | Self::Raid6 => 4,
        }
    }

    /// Whether a write of less than a full stripe reads first.
    pub const fn has_parity(self) -> bool {
        matches!(self, Self::Raid5 | Self::Raid6)
    }
}

/// Its owner.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Maker {
    /// Linux md: works in 4 KiB pages of its stripe cache.
    Md,
    /// A controller or a storage array: a partial write of an element is read-modify-write.
    Controller,
}

/// An array: every width that the layers above need follows from it.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct PlannedArray {
    /// How the disks are joined.
    pub level: RaidLevel,
    /// How many there are, spares not counted.
    pub disks: u32,
    /// Bytes on one disk before the next one's turn: element, stripe unit, chunk.
    pub element: Bytes,
    /// Its owner.
    pub maker: Maker,
}

impl PlannedArray {
    /// Disks that bear data: all of RAID 0, half of RAID 1+0, all but one of RAID 5, all but two of
    /// RAID 6. Near-2 RAID 10 of an odd number of disks bears half of them as a fraction: its stripe
    /// is counted over two rounds.
    pub const fn bearing(&self) -> u32 {
        match self.level {
            RaidLevel::Raid0 => self.disks,
            RaidLevel::Raid1 => 1,
            RaidLevel::Raid10 if self.disks.is_multiple_of(2) => self.disks / 2,
            RaidLevel::Raid10 => self.disks,
            RaidLevel::Raid5 => self.disks.saturating_sub(1),
            RaidLevel::Raid6 => self.disks.saturating_sub(2),
        }
    }

    /// A full stripe: element × bearing disks. A mirror has none.
    pub fn stripe(&self) -> Option<Bytes> {
        if self.level == RaidLevel::Raid1 {
            return None;
        }
        let bytes = self.element.get().checked_mul(u64::from(self.bearing()))?;
        Some(Bytes::new(bytes))
    }

    /// Its defect; `None`: nothing.
    pub fn fault(&self) -> Option<String> {
        let (level, least) = (self.level.name(), self.level.least_disks());
        if self.disks < least {
            return Some(format!(
                "RAID {level} needs {least} disks or more, not {}",
                self.disks
            ));
        }
        let element = self.element.get();
        if self.level != RaidLevel::Raid1 && (element == 0 || !element.is_multiple_of(512)) {
            return Some(format!(
                "an element of {element} bytes is not of whole sectors"
            ));
        }
        if self.maker == Maker::Md && self.level != RaidLevel::Raid1 && element < 4096 {
            return Some("md takes chunks from 4 KiB on (mdadm --chunk)".to_owned());
        }
        let parity_chunk = self.maker == Maker::Md && self.level.has_parity();
        if parity_chunk && !element.is_power_of_two() {
            return Some(format!(
                "md RAID {level} takes chunks that are powers of two, not {} KiB",
                element >> 10
            ));
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn array(level: RaidLevel, disks: u32, element: u64) -> PlannedArray {
        PlannedArray {
            level,
            disks,
            element: Bytes::new(element),
            maker: Maker::Md,
        }
    }

    #[test]
    fn bearing_disks_and_stripes() {
        for (level, disks, bearing) in [
            (RaidLevel::Raid0, 6, 6),
            (RaidLevel::Raid10, 6, 3),
            (RaidLevel::Raid5, 6, 5),
            (RaidLevel::Raid6, 6, 4),
        ] {
            let array = array(level, disks, 64 << 10);
            assert_eq!(array.bearing(), bearing);
            let stripe = (64 << 10) * u64::from(bearing);
            assert_eq!(array.stripe(), Some(Bytes::new(stripe)));
        }
        assert_eq!(array(RaidLevel::Raid1, 2, 0).stripe(), None);
    }

    #[test]
    fn what_cannot_be_built_is_said() {
        assert!(
            array(RaidLevel::Raid5, 2, 65536)
                .fault()
                .unwrap()
                .contains('3')
        );
        assert!(array(RaidLevel::Raid0, 2, 1000).fault().is_some());
        assert!(array(RaidLevel::Raid6, 5, 96 << 10).fault().is_some());
        assert_eq!(array(RaidLevel::Raid0, 3, 96 << 10).fault(), None);
        assert_eq!(array(RaidLevel::Raid1, 2, 0).fault(), None);
    }
}
