//! New VHDs: dynamic ones.

use std::io;
use std::time::{SystemTime, UNIX_EPOCH};

use super::super::fields::{HeaderFields, guid, narrow};
use super::super::store::{Store, damaged};
use super::{FOOTER_BYTES, FREE, GRID, HEADER_BYTES, SECTOR, checksum};

const BLOCK: u64 = 2 << 20;
const TABLE_AT: u64 = 1536;
/// 2040 GiB: the most that Hyper-V and Virtual PC take.
const MOST_BYTES: u64 = 2040 << 30;
/// 2000-01-01, from which the format counts seconds.
const EPOCH: u64 = 946_684_800;

/// The kind of disk.
const DYNAMIC: u32 = 3;

/// Cylinders, heads and sectors after the appendix of the specification.
fn geometry(bytes: u64) -> (u16, u8, u8) {
    let sectors = (bytes / SECTOR).min(65535 * 16 * 255);
    let (mut heads, mut track, mut rest);
    if sectors >= 65535 * 16 * 63 {
        (track, heads) = (255, 16);
        rest = sectors / track;
    } else {
        track = 17;
        rest = sectors / track;
        heads = rest.div_ceil(1024).max(4);
        if rest >= heads * 1024 || heads > 16 {
            (track, heads) = (31, 16);
            rest = sectors / track;
        }
        if rest >= heads * 1024 {
            (track, heads) = (63, 16);
            rest = sectors / track;
        }
    }
    let small = |number: u64| u8::try_from(number).unwrap_or(u8::MAX);
    let cylinders = u16::try_from(rest / heads).unwrap_or(u16::MAX);
    (cylinders, small(heads), small(track))
}

/// `win ` is a creator whose disks are as long as they say, and not as their geometry says.
fn footer(bytes: u64) -> HeaderFields {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let now = now.map_or(0, |now| now.as_secs().saturating_sub(EPOCH));
    let (cylinders, heads, sectors) = geometry(bytes);
    let mut footer = HeaderFields::new(FOOTER_BYTES);
    footer
        .put(0, b"conectix")
        .put(8, &2_u32.to_be_bytes())
        .put(12, &0x0001_0000_u32.to_be_bytes())
        .put(16, &SECTOR.to_be_bytes())
        .put(24, &u32::try_from(now).unwrap_or(0).to_be_bytes())
        .put(28, b"win ")
        .put(32, &0x000A_0000_u32.to_be_bytes())
        .put(36, b"Wi2k")
        .put(40, &bytes.to_be_bytes())
        .put(48, &bytes.to_be_bytes())
        .put(56, &cylinders.to_be_bytes())
        .put(58, &[heads, sectors])
        .put(60, &DYNAMIC.to_be_bytes())
        .put(68, &guid());
    let sum = checksum(&footer.0, 64);
    footer.put(64, &sum.to_be_bytes());
    footer
}

fn check(bytes: u64) -> io::Result<()> {
    if bytes > MOST_BYTES || !bytes.is_multiple_of(SECTOR) {
        return Err(damaged(format!(
            "a VHD holds whole sectors and at most {MOST_BYTES} bytes, not {bytes}"
        )));
    }
    Ok(())
}

/// A disk without blocks.
pub fn create(store: &mut dyn Store, bytes: u64) -> io::Result<()> {
    check(bytes)?;
    let count = bytes.div_ceil(BLOCK);
    let footer = footer(bytes);
    let mut header = HeaderFields::new(HEADER_BYTES);
    header
        .put(0, b"cxsparse")
        .put(8, &u64::MAX.to_be_bytes())
        .put(16, &TABLE_AT.to_be_bytes())
        .put(24, &0x0001_0000_u32.to_be_bytes())
        .put(28, &narrow(count, "blocks")?.to_be_bytes())
        .put(32, &narrow(BLOCK, "a block")?.to_be_bytes());
    let sum = checksum(&header.0, 36);
    header.put(36, &sum.to_be_bytes());
    let end = (TABLE_AT + count * 4).next_multiple_of(GRID);
    let table = super::super::store::length(end - TABLE_AT)?;
    store.put(0, &footer.0)?;
    store.put(SECTOR, &header.0)?;
    store.put(TABLE_AT, &FREE.to_be_bytes().repeat(table / 4))?;
    store.put(end, &footer.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn geometry_of_the_specification() {
        assert_eq!(geometry(64 << 20), (963, 8, 17));
        assert_eq!(geometry(2 << 30), (4161, 16, 63));
        assert_eq!(geometry(2040 << 30), (65535, 16, 255));
    }
}
