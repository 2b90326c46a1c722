//! Boot sectors, boot loaders and what is behind the table, on a disk of arbitrary bytes with a table.
#![no_main]

use ioalign_repair::MemoryDisk;
use ioalign_repair::boot::{Moved, fixups, reserved};
use ioalign_repair::tables::RewritableTable;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let mut bytes = data.to_vec();
    bytes.resize(bytes.len().next_multiple_of(512).max(64 << 10), 0);
    bytes[510..512].copy_from_slice(&[0x55, 0xaa]);
    let mut disk = MemoryDisk {
        bytes,
        logical_bytes: 512,
    };
    let Ok(table) = RewritableTable::read(&mut disk) else {
        return;
    };
    let _ = reserved(&mut disk, &table);
    let moved: Vec<_> = table
        .slots()
        .iter()
        .map(|slot| Moved {
            number: slot.number,
            from: slot.start,
            to: slot.start.saturating_add(512),
            bytes: slot.size,
        })
        .collect();
    let _ = fixups(&mut disk, &table, &moved);
});
