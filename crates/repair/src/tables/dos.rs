//! The MBR: four entries, one of which may be the container of logical partitions.

use ioalign_core::on_disk::DosEntry;
use ioalign_core::on_disk::bytes::le32;

use super::ebr::{self, Link, narrow};
use super::{PartitionSlot, SlotKind, TableSectors, in_sectors, refused};
use crate::{Disk, Result};

/// An MBR and its chain.
#[derive(Clone, Debug)]
pub struct Dos {
    unit: u64,
    size: u64,
    sector: Vec<u8>,
    /// The entry of the extended partition.
    extended: Option<DosEntry>,
    links: Vec<Link>,
}

impl Dos {
    /// Reads the chain behind a signed sector that guards no GPT.
    pub fn read(disk: &mut dyn Disk, sector: Vec<u8>) -> Result<Self> {
        let unit = disk.logical_bytes();
        let entries = DosEntry::all(&sector);
        if let Some(odd) = entries.iter().find(|entry| entry.flags & 0x7f != 0) {
            let flags = odd.flags;
            return Err(refused(format!(
                "sector 0 is no partition table: an entry has the flags {flags:#04x}"
            )));
        }
        if entries
            .iter()
            .any(|entry| entry.kind == 0x42 && entry.is_used())
        {
            return Err(refused(
                "the disk is a dynamic disk of Windows (LDM): its volumes are listed at its end",
            ));
        }
        let mut extended = entries.into_iter().filter(DosEntry::is_extended);
        let first = extended.next();
        if extended.next().is_some() {
            return Err(refused("there are two extended partitions"));
        }
        let links = match first {
            Some(entry) => ebr::read(disk, u64::from(entry.start), entry.end(), unit)?,
            None => Vec::new(),
        };
        Ok(Self {
            unit,
            size: disk.size_bytes(),
            sector,
            extended: first,
            links,
        })
    }

    /// The sector with the boot code and the four entries.
    pub(super) fn boot_sector(&self) -> &[u8] {
        &self.sector
    }

    /// The partitions by number.
    pub fn slots(&self) -> Vec<PartitionSlot> {
        let primaries = DosEntry::all(&self.sector)
            .into_iter()
            .filter(DosEntry::is_used)
            .map(|entry| PartitionSlot {
                number: u32::from(entry.slot) + 1,
                start: u64::from(entry.start) * self.unit,
                size: u64::from(entry.count) * self.unit,
                kind: if entry.is_extended() {
                    SlotKind::Extended
                } else {
                    SlotKind::Primary
                },
            });
        primaries
            .chain(ebr::slots(&self.links, self.unit))
            .collect()
    }

    /// Its logical block.
    pub const fn unit(&self) -> u64 {
        self.unit
    }

    /// The records of logical partitions, as they are now.
    pub fn records(&self) -> Vec<TableSectors> {
        let one = |link: &Link| TableSectors {
            at: link.lba * self.unit,
            bytes: link.sector.clone(),
        };
        self.links.iter().map(one).collect()
    }

    /// From the sector after the MBR to the end of the disk, as far as 32 bits count.
    pub fn usable(&self) -> (u64, u64) {
        let most = u64::from(u32::MAX) * self.unit;
        (self.unit, self.size.min(most))
    }

    /// The sectors with all partitions at `slots`: the records first, the MBR last.
    pub fn rewritten(&self, slots: &[PartitionSlot]) -> Result<Vec<Vec<TableSectors>>> {
        let mut boot = self.sector.clone();
        for slot in slots.iter().filter(|slot| slot.kind == SlotKind::Primary) {
            self.place(&mut boot, slot)?;
        }
        let mut groups = Vec::new();
        if let Some(old) = self.extended {
            let container = self.container(&old, slots)?;
            let chain = self.chain(slots, container)?;
            groups.push(chain);
            let entry = DosEntry {
                start: narrow(container.0)?,
                count: narrow(container.1 - container.0)?,
                ..old
            };
            entry.write(&mut boot, 0);
        }
        groups.push(vec![TableSectors { at: 0, bytes: boot }]);
        Ok(groups)
    }

    /// The entry of a partition.
    fn entry(&self, number: u32) -> Option<DosEntry> {
        let entry = match number.checked_sub(5) {
            None => DosEntry::read(&self.sector, index(number)),
            Some(link) => {
                let link = self.links.get(usize::try_from(link).ok()?)?;
                DosEntry::read(&link.sector, 0)
            }
        };
        entry.is_used().then_some(entry)
    }

    /// The type of a partition.
    pub fn kind_of(&self, number: u32) -> Option<u8> {
        self.entry(number).map(|entry| entry.kind)
    }

    /// By what Windows, and Linux in PARTUUIDs, tell this disk from others.
    pub fn signature(&self) -> u32 {
        le32(&self.sector, 440)
    }

    /// The place of the record of a logical partition.
    pub fn record_of(&self, number: u32) -> Option<u64> {
        let index = usize::try_from(number.checked_sub(5)?).ok()?;
        Some(self.links.get(index)?.lba.saturating_mul(self.unit))
    }

    fn place(&self, boot: &mut [u8], slot: &PartitionSlot) -> Result<()> {
        let old = DosEntry::read(boot, index(slot.number));
        let entry = DosEntry {
            start: narrow(in_sectors(slot.start, self.unit, "a partition")?)?,
            count: narrow(in_sectors(slot.size, self.unit, "a size")?)?,
            ..old
        };
        if entry != old {
            entry.write(boot, 0);
        }
        Ok(())
    }

    /// Where the extended partition lies now: where it was asked to, grown over its logical partitions.
    fn container(&self, old: &DosEntry, slots: &[PartitionSlot]) -> Result<(u64, u64)> {
        let mut ends = (u64::from(old.start), old.end());
        for slot in slots {
            let start = in_sectors(slot.start, self.unit, "a partition")?;
            let end = in_sectors(slot.end(), self.unit, "an end")?;
            match slot.kind {
                SlotKind::Extended => ends = (start, end),
                SlotKind::Logical => ends.1 = ends.1.max(end),
                SlotKind::Primary => {}
            }
        }
        let over = slots.iter().find(|slot| {
            slot.kind == SlotKind::Primary
                && slot.start < ends.1 * self.unit
                && ends.0 * self.unit < slot.end()
        });
        match over {
            Some(slot) => Err(refused(format!(
                "partition {} would lie in the extended partition",
                slot.number
            ))),
            None => Ok(ends),
        }
    }

    fn chain(&self, slots: &[PartitionSlot], container: (u64, u64)) -> Result<Vec<TableSectors>> {
        let logical = slots.iter().filter(|slot| slot.kind == SlotKind::Logical);
        let places = logical
            .map(|slot| {
                let start = in_sectors(slot.start, self.unit, "a partition")?;
                Ok((start, in_sectors(slot.size, self.unit, "a size")?))
            })
            .collect::<Result<Vec<_>>>()?;
        let links = ebr::placed(&self.links, &places, container)?;
        let sectors = links.into_iter().map(|link| TableSectors {
            at: link.lba * self.unit,
            bytes: link.sector,
        });
        Ok(sectors.collect())
    }
}

/// The entry of a primary partition; for any other number one that no sector has.
pub(super) fn index(number: u32) -> u8 {
    u8::try_from(number).map_or(u8::MAX, |number| number.wrapping_sub(1))
}
