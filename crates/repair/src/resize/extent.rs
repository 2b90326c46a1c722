//! How much of its partition a file system takes, by its own word.

use ioalign_core::on_disk::NtfsBootSector;
use ioalign_core::on_disk::bytes::{be32, be64, has, le16, le32, le64, u8_at};

use crate::content::PartitionContent;
use crate::{Disk, Error, Result};

/// Bytes of the file system that starts at `start`; `None` where nothing is known of it.
pub fn extent(disk: &mut dyn Disk, start: u64, content: &PartitionContent) -> Result<Option<u64>> {
    let mut head = vec![0; 4096];
    disk.read_at(start, &mut head)
        .map_err(|error| Error::io(format!("byte {start} cannot be read"), error))?;
    Ok(match content {
        PartitionContent::Ext { block } => ext(&head).and_then(|blocks| blocks.checked_mul(*block)),
        // The last sector of its partition holds a copy of the boot sector, and is not counted.
        PartitionContent::Ntfs { sector } => NtfsBootSector::read(&head)
            .and_then(|volume| volume.sectors.checked_add(1)?.checked_mul(*sector)),
        PartitionContent::Fat { .. } => {
            crate::convert::fat::FatGeometry::read(&head).map(|fat| fat.bytes())
        }
        PartitionContent::Xfs { .. } => xfs(&head),
        PartitionContent::ExFat { sector } => le64(&head, 72).checked_mul(*sector),
        PartitionContent::Swap { page } => swap(&head, *page),
        _ => None,
    })
}

fn ext(head: &[u8]) -> Option<u64> {
    let low = u64::from(le32(head, 1024 + 4));
    let is_64 = le32(head, 1024 + 96) & 0x80 != 0;
    let high = if is_64 {
        u64::from(le32(head, 1024 + 0x150))
    } else {
        0
    };
    let blocks = high << 32 | low;
    (le16(head, 1024 + 56) == 0xef53).then_some(blocks)
}

fn xfs(head: &[u8]) -> Option<u64> {
    let (size, blocks) = (be32(head, 4), be64(head, 8));
    has(head, 0, b"XFSB").then(|| blocks.checked_mul(u64::from(size)))?
}

/// The last page is counted from 0.
fn swap(head: &[u8], page: u64) -> Option<u64> {
    let known = u8_at(head, 1024) == 1;
    let pages = u64::from(le32(head, 1028)).checked_add(1)?;
    known.then(|| pages.checked_mul(page))?
}
