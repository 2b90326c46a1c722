//! A new VHDX without blocks. \[MS-VHDX\] 2.1 and 2.6.

use std::io;

use super::super::blocks::BlockDiskSizes;
use super::super::fields::{HeaderFields, guid, narrow};
use super::super::store::{Store, damaged};
use super::header::{BAT, WritableVhdxHeader, write_regions};
use super::{CHUNK_SECTORS, MIB};

const LOG_AT: u64 = MIB;
const METADATA_AT: u64 = 2 * MIB;
const BAT_AT: u64 = 3 * MIB;
/// Items begin here in the metadata region.
const ITEMS_AT: usize = 64 << 10;
const MOST_BYTES: u64 = 64 << 40;
/// An item of the disk, required to be known.
const REQUIRED: u32 = 4;
const OF_THE_DISK: u32 = 2;

/// Identifiers as they are stored.
const METADATA: u128 = 0x8B7C_A206_4790_4B9A_B8FE_575F_050F_886E;
const PARAMETERS: u128 = 0xCAA1_6737_FA36_4D43_B3B6_33F0_AA44_E76B;
const SIZE: u128 = 0x2FA5_4224_CD1B_4876_B211_5DBE_D83B_F4B8;
const DISK_ID: u128 = 0xBECA_12AB_B2E6_4523_93EF_C309_E000_C746;
const LOGICAL: u128 = 0x8141_BF1D_A96F_4709_BA47_F233_A8FA_AB5F;
const PHYSICAL: u128 = 0xCDA3_48C7_445D_4471_9CC9_E988_5251_C556;

/// An identifier as it is written in text, in Microsoft's order of bytes.
const fn stored(id: u128) -> [u8; 16] {
    let [a, b, c, d, e, f, g, h, rest @ ..] = id.to_be_bytes();
    let [i, j, k, l, m, n, o, p] = rest;
    [d, c, b, a, f, e, h, g, i, j, k, l, m, n, o, p]
}

/// Larger disks have larger blocks, as QEMU and Hyper-V choose them.
const fn block(bytes: u64) -> u64 {
    if bytes > 32 << 40 {
        64 * MIB
    } else if bytes > 100 << 30 {
        32 * MIB
    } else if bytes > 1 << 30 {
        16 * MIB
    } else {
        8 * MIB
    }
}

/// Writes all but blocks, and says how it is laid out.
pub fn create(store: &mut dyn Store, bytes: u64, logical: u64) -> io::Result<BlockDiskSizes> {
    if bytes > MOST_BYTES {
        return Err(damaged(format!("a VHDX holds {MOST_BYTES} bytes at most")));
    }
    let sizes = BlockDiskSizes {
        disk: bytes,
        block: block(bytes),
        logical,
    };
    let ratio = CHUNK_SECTORS * logical / sizes.block;
    let blocks = bytes.div_ceil(sizes.block);
    let entries = blocks + blocks.saturating_sub(1) / ratio;
    let table = (entries * 8).next_multiple_of(MIB);
    let mut start = HeaderFields::new(520);
    start.put(0, b"vhdxfile");
    for (index, letter) in "ioalign".encode_utf16().enumerate() {
        start.put(8 + index * 2, &letter.to_le_bytes());
    }
    store.set_len(BAT_AT + table)?;
    store.put(0, &start.0)?;
    let mib = narrow(MIB, "a region")?;
    let regions = [
        (BAT, BAT_AT, narrow(table, "the block table")?),
        (stored(METADATA), METADATA_AT, mib),
    ];
    write_regions(store, &regions)?;
    store.put(METADATA_AT, &metadata(sizes)?.0)?;
    let mut header = WritableVhdxHeader::new(LOG_AT, MIB, guid(), guid());
    header.write(store)?;
    header.write(store)?;
    Ok(sizes)
}

fn metadata(sizes: BlockDiskSizes) -> io::Result<HeaderFields> {
    let mut parameters = narrow(sizes.block, "a block")?.to_le_bytes().to_vec();
    parameters.extend([0; 4]);
    let sector = narrow(sizes.logical, "a sector")?.to_le_bytes().to_vec();
    let items: [(u128, Vec<u8>, u32); 5] = [
        (PARAMETERS, parameters, REQUIRED),
        (
            SIZE,
            sizes.disk.to_le_bytes().to_vec(),
            REQUIRED | OF_THE_DISK,
        ),
        (DISK_ID, guid().to_vec(), REQUIRED | OF_THE_DISK),
        (LOGICAL, sector, REQUIRED | OF_THE_DISK),
        (
            PHYSICAL,
            4096_u32.to_le_bytes().to_vec(),
            REQUIRED | OF_THE_DISK,
        ),
    ];
    let mut out = HeaderFields::new(ITEMS_AT + 4096);
    out.put(0, b"metadata").put(10, &[5, 0]);
    let mut at = ITEMS_AT;
    for (index, (id, value, flags)) in items.iter().enumerate() {
        let entry = 32 + index * 32;
        let narrow = |n: usize| narrow(n as u64, "an item");
        out.put(entry, &stored(*id))
            .put(entry + 16, &narrow(at)?.to_le_bytes())
            .put(entry + 20, &narrow(value.len())?.to_le_bytes())
            .put(entry + 24, &flags.to_le_bytes())
            .put(at, value);
        at += value.len();
    }
    Ok(out)
}
