//! The GPT: both copies, rewritten so that one of them is whole at every instant.

use ioalign_core::on_disk::{DosEntry, GPT_ENTRY_BYTES, GptEntry, GptHeader, PROTECTIVE};

use super::{PartitionSlot, SlotKind, TableSectors, in_sectors, read_block, refused};
use crate::{Disk, Error, Result};

/// More entries than this are no table that a partitioner wrote.
const MOST_ENTRIES: u32 = 4096;
const MOST_ENTRY_BYTES: u32 = 4096;

/// Both copies of a GPT that agree.
#[derive(Clone, Debug)]
pub struct Gpt {
    pub(super) unit: u64,
    /// The boot code and the entry that guards the table.
    pub(super) boot: Vec<u8>,
    pub(super) primary: GptCopy,
    pub(super) backup: GptCopy,
}

/// One copy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct GptCopy {
    /// The contents of its header.
    pub header: GptHeader,
    /// The whole block with the header.
    pub block: Vec<u8>,
    /// All entries, rounded up to whole blocks.
    pub entries: Vec<u8>,
}

impl Gpt {
    /// Reads both copies. What is damaged, or stands beside other MBR entries, is refused.
    pub fn read(disk: &mut dyn Disk, boot: &[u8]) -> Result<Self> {
        let gpt = Self::read_anywhere(disk, boot)?;
        let last = (disk.size_bytes() / gpt.unit).saturating_sub(1);
        let backup = gpt.backup.header.own;
        if backup != last {
            let what = format!("the backup GPT is at block {backup} and the disk ends at {last}");
            let advice = "--grow moves it there, and the last partition grows up to it";
            return Err(refused(what).advise(advice));
        }
        Ok(gpt)
    }

    /// The same, with the backup wherever the primary says that it is.
    pub fn read_anywhere(disk: &mut dyn Disk, boot: &[u8]) -> Result<Self> {
        guarded_alone(boot)?;
        let unit = disk.logical_bytes();
        let primary = GptCopy::read(disk, 1, "primary")?;
        let named = primary.header.alternate;
        let backup = GptCopy::read(disk, named, "backup")?;
        let own = (primary.header.own, backup.header.own);
        if own != (1, named) || backup.header.alternate != 1 {
            return Err(refused("the two GPT headers do not name each other"));
        }
        if primary.entries != backup.entries {
            return Err(refused(
                "the two copies of the GPT list different partitions",
            ));
        }
        Ok(Self {
            unit,
            boot: boot.to_vec(),
            primary,
            backup,
        })
    }

    /// Its logical block.
    pub const fn unit(&self) -> u64 {
        self.unit
    }

    /// The entries that are used, with the numbers of their partitions.
    fn used(&self) -> impl Iterator<Item = (u32, GptEntry)> {
        let GptHeader {
            count, entry_bytes, ..
        } = self.primary.header;
        let size = usize::try_from(entry_bytes).unwrap_or(GPT_ENTRY_BYTES);
        let entries = self.primary.entries.chunks_exact(size.max(1));
        let numbered = (1..=count).zip(entries);
        numbered.filter_map(|(number, raw)| Some((number, GptEntry::read(raw)?)))
    }

    /// The partitions by number.
    pub fn slots(&self) -> Vec<PartitionSlot> {
        let slot = |(number, entry): (u32, GptEntry)| {
            let count = entry.last.saturating_add(1).saturating_sub(entry.first);
            PartitionSlot {
                number,
                start: entry.first.saturating_mul(self.unit),
                size: count.saturating_mul(self.unit),
                kind: SlotKind::Primary,
            }
        };
        self.used().map(slot).collect()
    }

    /// The type of a partition.
    pub fn kind_of(&self, number: u32) -> Option<[u8; 16]> {
        let mut used = self.used();
        used.find(|(own, _)| *own == number)
            .map(|(_, entry)| entry.kind)
    }

    /// What the header says is usable.
    pub const fn usable(&self) -> (u64, u64) {
        let header = &self.primary.header;
        (
            header.first_usable.saturating_mul(self.unit),
            header
                .last_usable
                .saturating_add(1)
                .saturating_mul(self.unit),
        )
    }

    /// The backup first: while it is written the primary is whole, and the other way about.
    pub fn rewritten(&self, slots: &[PartitionSlot]) -> Result<Vec<Vec<TableSectors>>> {
        let mut entries = self.primary.entries.clone();
        for slot in slots {
            self.place_in(self.unit, &mut entries, slot)?;
        }
        let group = |copy: &GptCopy| copy.written(copy.header, &entries, self.unit);
        Ok(vec![group(&self.backup), group(&self.primary)])
    }

    /// Writes a place into an entry, counted in blocks of `unit` bytes.
    pub(super) fn place_in(
        &self,
        unit: u64,
        entries: &mut [u8],
        slot: &PartitionSlot,
    ) -> Result<()> {
        let first = in_sectors(slot.start, unit, "a partition")?;
        let count = in_sectors(slot.size, unit, "a size")?;
        let size = u64::from(self.primary.header.entry_bytes);
        let at = u64::from(slot.number.saturating_sub(1)) * size;
        let at = usize::try_from(at).unwrap_or(usize::MAX);
        if let Some(entry) = entries.get_mut(at..) {
            GptEntry::write_place(entry, first, first + count - 1);
        }
        Ok(())
    }
}

impl GptCopy {
    fn read(disk: &mut dyn Disk, lba: u64, what: &str) -> Result<Self> {
        let unit = disk.logical_bytes();
        let at = lba.checked_mul(unit).filter(|at| *at < disk.size_bytes());
        let at =
            at.ok_or_else(|| refused(format!("the {what} GPT header would lie past the end")))?;
        let block = read_block(disk, at)?;
        let header = sound(&block, what)?;
        let length = header.array_bytes().next_multiple_of(unit);
        let mut entries = vec![0; usize::try_from(length).unwrap_or(0)];
        disk.read_at(header.array.saturating_mul(unit), &mut entries)
            .map_err(|error| {
                Error::io(format!("cannot read the entries of the {what} GPT"), error)
            })?;
        if array_crc(&header, &entries) != Some(header.array_crc) {
            return Err(refused(format!(
                "the entries of the {what} GPT do not match their checksum: repair it first (gdisk)"
            )));
        }
        Ok(Self {
            header,
            block,
            entries,
        })
    }

    /// The blocks of this copy with another header and other entries: the entries first.
    pub fn written(&self, header: GptHeader, entries: &[u8], unit: u64) -> Vec<TableSectors> {
        let array_crc = array_crc(&header, entries).unwrap_or(0);
        let header = GptHeader {
            array_crc,
            ..header
        };
        let mut block = self.block.clone();
        header.write(&mut block);
        let at = |lba: u64| lba.saturating_mul(unit);
        vec![
            TableSectors {
                at: at(header.array),
                bytes: entries.to_vec(),
            },
            TableSectors {
                at: at(header.own),
                bytes: block,
            },
        ]
    }
}

/// The header in a block, whose checksum has to be right.
fn sound(block: &[u8], what: &str) -> Result<GptHeader> {
    let bad = |why: &str| {
        refused(format!(
            "the {what} GPT header {why}: repair it first with gdisk (an image that is not raw: through qemu-nbd)"
        ))
    };
    let header = GptHeader::read(block).ok_or_else(|| bad("is not there"))?;
    let crc = GptHeader::computed_crc(block, header.length);
    let crc = crc.ok_or_else(|| bad("has an impossible length"))?;
    if crc != header.crc {
        return Err(bad("has a wrong checksum"));
    }
    let least = u32::try_from(GPT_ENTRY_BYTES).unwrap_or(0);
    let is_sound = header.count <= MOST_ENTRIES
        && (least..=MOST_ENTRY_BYTES).contains(&header.entry_bytes)
        && header.entry_bytes.is_power_of_two()
        && header.first_usable <= header.last_usable;
    is_sound
        .then_some(header)
        .ok_or_else(|| bad("has impossible numbers"))
}

/// The checksum of the entries that a header counts.
fn array_crc(header: &GptHeader, entries: &[u8]) -> Option<u32> {
    let length = usize::try_from(header.array_bytes()).ok()?;
    entries.get(..length).map(crc32fast::hash)
}

/// A hybrid MBR names partitions a second time: two tables cannot be changed at one instant.
fn guarded_alone(boot: &[u8]) -> Result<()> {
    let mut entries = DosEntry::all(boot).into_iter();
    if entries.any(|entry| entry.kind != PROTECTIVE && entry.is_used()) {
        return Err(refused(
            "the MBR in front of the GPT lists partitions as well (hybrid MBR): the two could disagree",
        ));
    }
    Ok(())
}
