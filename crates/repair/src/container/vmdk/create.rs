//! A new monolithicSparse VMDK.

use std::io;

use super::super::fields::{HeaderFields, narrow, random};
use super::super::store::Store;
use super::{PER_TABLE, SECTOR, TABLE_BYTES};

const GRAIN: u64 = 64 << 10;
const DESCRIPTOR_AT: u64 = SECTOR;
const DESCRIPTOR_BYTES: u64 = 20 * SECTOR;

fn descriptor(bytes: u64, name: &str) -> String {
    let sectors = bytes / SECTOR;
    let cylinders = (sectors / (63 * 16)).min(16383);
    let id = random() >> 33;
    let name: String = name
        .chars()
        .filter(|c| !c.is_control() && *c != '"')
        .take(255)
        .collect();
    format!(
        "# Disk DescriptorFile\nversion=1\nCID={id:08x}\nparentCID=ffffffff\ncreateType=\"monolithicSparse\"\n\n\
         # Extent description\nRW {sectors} SPARSE \"{name}\"\n\n\
         # The Disk Data Base\n#DDB\n\nddb.virtualHWVersion = \"4\"\n\
         ddb.geometry.cylinders = \"{cylinders}\"\nddb.geometry.heads = \"16\"\n\
         ddb.geometry.sectors = \"63\"\nddb.adapterType = \"ide\"\n"
    )
}

/// Writes a new one without grains: all of its tables are there.
pub fn create(store: &mut dyn Store, bytes: u64, name: &str) -> io::Result<()> {
    let tables = bytes.div_ceil(GRAIN).div_ceil(PER_TABLE);
    let directory = (tables * 4).next_multiple_of(SECTOR);
    let spare = DESCRIPTOR_AT + DESCRIPTOR_BYTES;
    let main = spare + directory + tables * TABLE_BYTES;
    let overhead = (main + directory + tables * TABLE_BYTES).next_multiple_of(GRAIN);
    let sectors = |bytes: u64| (bytes / SECTOR).to_le_bytes();
    let mut header = HeaderFields::new(512);
    header
        .put(0, b"KDMV")
        .put(4, &1_u32.to_le_bytes())
        .put(8, &3_u32.to_le_bytes())
        .put(12, &sectors(bytes))
        .put(20, &sectors(GRAIN))
        .put(28, &sectors(DESCRIPTOR_AT))
        .put(36, &sectors(DESCRIPTOR_BYTES))
        .put(44, &512_u32.to_le_bytes())
        .put(48, &sectors(spare))
        .put(56, &sectors(main))
        .put(64, &sectors(overhead))
        .put(73, b"\n \r\n");
    store.put(0, &header.0)?;
    store.put(DESCRIPTOR_AT, descriptor(bytes, name).as_bytes())?;
    for at in [spare, main] {
        let mut entries = Vec::new();
        for table in 0..tables {
            let place = (at + directory + table * TABLE_BYTES) / SECTOR;
            entries.extend(narrow(place, "a grain table")?.to_le_bytes());
        }
        store.put(at, &entries)?;
    }
    store.set_len(overhead)
}
