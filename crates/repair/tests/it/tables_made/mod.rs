//! Tables in memory that are rewritten: what was asked for is read back, one copy is whole at every moment,
//! and what is odd is refused.

mod chain;
mod gpt;
mod remake;

use ioalign_repair::MemoryDisk;
use ioalign_repair::tables::{PartitionSlot, RewritableTable, TableSectors};
use ioalign_testkit::gpt::{ESP, GptImage, LINUX};

const LBAS: u64 = 2048;

fn disk(bytes: Vec<u8>, logical_bytes: u64) -> MemoryDisk {
    MemoryDisk {
        bytes,
        logical_bytes,
    }
}

fn index(at: u64) -> usize {
    usize::try_from(at).unwrap()
}

/// Two partitions of 100 blocks each.
fn image(unit: u64) -> GptImage<'static> {
    GptImage::new(unit, LBAS)
        .with(LINUX, 300, 399)
        .with(ESP, 500, 599)
}

fn table(bytes: &[u8], unit: u64) -> Result<RewritableTable, String> {
    RewritableTable::read(&mut disk(bytes.to_vec(), unit)).map_err(|error| error.to_string())
}

fn write(bytes: &mut [u8], sectors: &TableSectors) {
    bytes[index(sectors.at)..][..sectors.bytes.len()].copy_from_slice(&sectors.bytes);
}

fn places(table: &RewritableTable) -> Vec<(u32, u64, u64)> {
    let unit = table.unit();
    let place = |slot: &PartitionSlot| (slot.number, slot.start / unit, slot.size / unit);
    table.slots().iter().map(place).collect()
}

fn moved(table: &RewritableTable, number: u32, block: u64) -> PartitionSlot {
    let slots = table.slots();
    let slot = slots.iter().find(|slot| slot.number == number).unwrap();
    PartitionSlot {
        start: block * table.unit(),
        ..*slot
    }
}
