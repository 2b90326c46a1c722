//! DOS partition tables.

use crate::Disk;

/// An entry: type, start and length in sectors.
pub type Entry = (u8, u32, u32);

/// The 512 bytes of a table with up to four entries.
pub fn sector(entries: &[Entry]) -> [u8; 512] {
    let mut bytes = [0; 512];
    for (entry, (kind, start, len)) in bytes[446..510].chunks_exact_mut(16).zip(entries) {
        entry[4] = *kind;
        entry[8..12].copy_from_slice(&start.to_le_bytes());
        entry[12..16].copy_from_slice(&len.to_le_bytes());
    }
    bytes[510] = 0x55;
    bytes[511] = 0xaa;
    bytes
}

/// A disk of `mib` MiB with a primary table.
pub fn disk(name: &str, mib: u64, entries: &[Entry]) -> Disk {
    let disk = Disk::new(name, mib << 20);
    disk.write(0, &sector(entries));
    disk
}
