//! The scratch image: an MBR with four partitions, three of them wrong in a different way.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

use anyhow::{Context, Result};
use ioalign_device::create::NewFile;

const SECTOR: u64 = 512;
const MIB_SECTORS: u32 = 2048;

/// A partition of the scratch disk.
struct ScratchPartition {
    start: u32,
    sectors: u32,
    kind: u8,
    holds: Holds,
}

enum Holds {
    /// A FAT16 file system with this many reserved sectors before its tables.
    Fat { reserved: u16 },
    /// A swap area.
    Swap,
}

/// 96 MiB, nearly all of them holes.
const DISK_SECTORS: u32 = 96 * MIB_SECTORS;

fn slots() -> [ScratchPartition; 4] {
    let fat = |start, sectors, reserved| ScratchPartition {
        start,
        sectors,
        kind: 0x06,
        holds: Holds::Fat { reserved },
    };
    [
        // Its own tables are laid out so that only the start is wrong.
        fat(63, 24 * MIB_SECTORS, 8),
        ScratchPartition {
            start: 25 * MIB_SECTORS + 1,
            sectors: 8 * MIB_SECTORS,
            kind: 0x82,
            holds: Holds::Swap,
        },
        fat(34 * MIB_SECTORS, 24 * MIB_SECTORS, 1),
        fat(60 * MIB_SECTORS, 32 * MIB_SECTORS, 8),
    ]
}

/// Writes the image; a sparse file of a few KiB on disk.
pub fn write(path: &Path) -> Result<()> {
    let new = NewFile::new(path).create()?;
    fill(new.file()).with_context(|| format!("{}: cannot be written", path.display()))?;
    Ok(new.keep()?)
}

fn fill(file: &File) -> io::Result<()> {
    file.set_len(u64::from(DISK_SECTORS) * SECTOR)?;
    let mut table = [0_u8; 512];
    for (slot, entry) in slots().iter().zip(table[446..510].chunks_exact_mut(16)) {
        entry[4] = slot.kind;
        entry[8..12].copy_from_slice(&slot.start.to_le_bytes());
        entry[12..16].copy_from_slice(&slot.sectors.to_le_bytes());
        let at = u64::from(slot.start) * SECTOR;
        match slot.holds {
            Holds::Fat { reserved } => fat16(file, at, slot, reserved)?,
            Holds::Swap => swap(file, at, slot.sectors)?,
        }
    }
    table[510..].copy_from_slice(&[0x55, 0xaa]);
    file.write_all_at(&table, 0)
}

/// An empty FAT16: 4 KiB clusters, 512 root entries, two tables of 64 sectors.
fn fat16(file: &File, at: u64, slot: &ScratchPartition, reserved: u16) -> io::Result<()> {
    let mut boot = [0_u8; 512];
    boot[..3].copy_from_slice(&[0xeb, 0x3c, 0x90]);
    boot[3..11].copy_from_slice(b"IOALIGN ");
    boot[11..13].copy_from_slice(&512_u16.to_le_bytes());
    boot[13] = 8; // sectors a cluster
    boot[14..16].copy_from_slice(&reserved.to_le_bytes());
    boot[16] = 2; // tables
    boot[17..19].copy_from_slice(&512_u16.to_le_bytes());
    boot[21] = 0xf8;
    boot[22..24].copy_from_slice(&64_u16.to_le_bytes());
    boot[28..32].copy_from_slice(&slot.start.to_le_bytes());
    boot[32..36].copy_from_slice(&slot.sectors.to_le_bytes());
    boot[36] = 0x80;
    boot[38] = 0x29;
    boot[39..43].copy_from_slice(&0x1a11_9000_u32.to_le_bytes());
    boot[43..54].copy_from_slice(b"SCRATCH    ");
    boot[54..62].copy_from_slice(b"FAT16   ");
    boot[510..].copy_from_slice(&[0x55, 0xaa]);
    file.write_all_at(&boot, at)?;
    for table in 0..2 {
        let start = at + (u64::from(reserved) + table * 64) * SECTOR;
        file.write_all_at(&[0xf8, 0xff, 0xff, 0xff], start)?;
    }
    Ok(())
}

/// A version 1 swap header for 4 KiB pages.
fn swap(file: &File, at: u64, sectors: u32) -> io::Result<()> {
    let mut page = [0_u8; 4096];
    page[1024..1028].copy_from_slice(&1_u32.to_le_bytes());
    page[1028..1032].copy_from_slice(&(sectors / 8 - 1).to_le_bytes());
    page[1052..1056].copy_from_slice(b"demo");
    page[4086..].copy_from_slice(b"SWAPSPACE2");
    file.write_all_at(&page, at)
}
