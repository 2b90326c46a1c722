//! VMFS 3, 5, 6 and VMFS-L: version, block, label; recognised for any partition type.
//!
//! Layout: vmfs-tools (`libvmfs/vmfs_volume.h`, `vmfs_fs.h`). The volume header lies at 1 MiB.
//! Volume address 0 of the first extent is 16 MiB later, at 17 MiB; the file-system header is
//! 2 MiB into it. File blocks count from volume address 0.

use ioalign_core::Bytes;

use super::FileSystem;
use crate::error::Result;
use crate::view::{Record, View};

const VOLUME: u64 = 0x10_0000;
const VOLUME_MAGIC: [u8; 4] = 0xc001_d00d_u32.to_le_bytes();
const VOLUME_DATA: u64 = VOLUME + 0x100_0000;
const FS_MAGIC: [u8; 4] = 0x2fab_f15e_u32.to_le_bytes();
const FS_MAGIC_L: [u8; 4] = 0x2fab_f15f_u32.to_le_bytes();
/// The place of the file-system header, and where older descriptions of the format put it (they
/// leave out the 1 MiB before the volume header).
const FS_PLACES: [u64; 2] = [VOLUME_DATA + 0x20_0000, 0x120_0000];
/// Without a volume header: the logical volume itself.
const BARE_FS: u64 = 0x20_0000;
/// Blocks from 1 MiB (VMFS 5, 6) to 8 MiB (VMFS 3), with room.
const BLOCKS: std::ops::RangeInclusive<u64> = 4096..=1 << 30;

/// Tries VMFS.
pub(super) fn probe(view: &View) -> Result<Option<FileSystem>> {
    if view.has(VOLUME, &VOLUME_MAGIC)?
        && let Some(volume) = view.try_record(VOLUME, 1024)?
    {
        return in_volume(view, &volume).map(Some);
    }
    Ok(header(view, BARE_FS)?.map(|record| {
        let mut found = describe(&record);
        found.kind = kind(record.le32(4));
        found
    }))
}

fn in_volume(view: &View, volume: &Record) -> Result<FileSystem> {
    let mut found = FileSystem::default();
    for place in FS_PLACES {
        if let Some(record) = header(view, place)? {
            found = describe(&record);
            break;
        }
    }
    let version = volume.le32(4);
    found.kind = kind(version);
    found.data_start = Bytes::new(VOLUME_DATA);
    found.facts.insert("volume-version", version.to_string());
    found.facts.insert("volume-uuid", uuid(volume, 0x82));
    // VMFS 6 moved the LVM part of the header from 512 to 4096.
    let lvm = volume.text(0x214, 35);
    if version < 6 && lvm.is_ascii() && !lvm.is_empty() {
        found.facts.insert("lvm-uuid", lvm);
    }
    Ok(found)
}

const fn kind(version: u32) -> &'static str {
    match version {
        0..=2 => "vmfs2",
        3 | 4 => "vmfs3",
        5 => "vmfs5",
        _ => "vmfs6",
    }
}

fn header(view: &View, at: u64) -> Result<Option<Record>> {
    if view.has(at, &FS_MAGIC)? || view.has(at, &FS_MAGIC_L)? {
        return view.try_record(at, 512);
    }
    Ok(None)
}

fn describe(header: &Record) -> FileSystem {
    let mut found = FileSystem {
        label: header.text(0x1d, 128),
        uuid: uuid(header, 9),
        ..FileSystem::default()
    };
    let block = header.le64(0xa1);
    if BLOCKS.contains(&block) && block.is_power_of_two() {
        found.block = Some(Bytes::new(block));
    }
    let version = header.u8(8).to_string();
    found.facts.insert("version", version);
    if header.has(0, &FS_MAGIC_L) {
        found.facts.insert("variant", "VMFS-L".to_owned());
    }
    found
}

/// `5e1cf9d4-…`: two 32-bit and one 16-bit little-endian numbers, then six bytes.
fn uuid(record: &Record, at: usize) -> String {
    let (a, b, c) = (record.le32(at), record.le32(at + 4), record.le16(at + 8));
    let tail: String = record
        .slice(at + 10, 6)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    format!("{a:08x}-{b:08x}-{c:04x}-{tail}")
}
