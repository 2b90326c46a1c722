//! GUID partition tables, both copies, for any sector size.

use crate::{Disk, mbr};

/// Linux file system data.
pub const LINUX: &str = "0FC63DAF-8483-4772-8E79-3D69D8477DE4";
/// EFI system partition.
pub const ESP: &str = "C12A7328-F81F-11D2-BA4B-00A0C93EC93B";
/// BIOS boot (`EF02`).
pub const BIOS_BOOT: &str = "21686148-6449-6E6F-744E-656564454649";
/// Microsoft reserved.
pub const MSR: &str = "E3C9E316-0B5C-4DB8-817D-F92DF00215AE";
/// Solaris root.
pub const SOLARIS_ROOT: &str = "6A85CF4D-1DD2-11B2-99A6-080020736631";
/// Solaris reserved (slice 8).
pub const SOLARIS_RESERVED: &str = "6A945A3B-1DD2-11B2-99A6-080020736631";

/// An entry: type, first LBA, number of LBAs.
pub type Entry<'a> = (&'a str, u64, u64);

/// Writes protective MBR, primary and backup for `sector`-byte sectors.
pub fn write(disk: &Disk, sector: u64, entries: &[Entry<'_>]) {
    let last = disk.len() / sector - 1;
    let array_sectors = ARRAY.div_ceil(sector);
    write_at(disk, sector, entries, (2, last - array_sectors));
}

/// Bytes of the array of entries.
const ARRAY: u64 = 128 * 128;

/// The same with the arrays of both copies at these LBAs, so that tables for two sector sizes fit
/// into one disk.
pub fn write_at(disk: &Disk, sector: u64, entries: &[Entry<'_>], arrays: (u64, u64)) {
    let last = disk.len() / sector - 1;
    let array_sectors = ARRAY.div_ceil(sector);
    let mut array = vec![0_u8; 128 * 128];
    for (index, (entry, (kind, first, count))) in
        (1_u8..).zip(array.chunks_exact_mut(128).zip(entries))
    {
        entry[..16].copy_from_slice(&guid(kind));
        entry[16..32].fill(index);
        entry[32..40].copy_from_slice(&first.to_le_bytes());
        entry[40..48].copy_from_slice(&(first + count - 1).to_le_bytes());
    }
    let protective = u32::try_from(last).unwrap_or(u32::MAX);
    disk.write(0, &mbr::sector(&[(0xee, 1, protective)]));
    let (front, back) = arrays;
    let usable = (front + array_sectors, back - 1);
    disk.write(sector, &header(&array, 1, last, front, usable));
    disk.write(front * sector, &array);
    disk.write(back * sector, &array);
    disk.write(last * sector, &header(&array, last, 1, back, usable));
}

fn header(array: &[u8], here: u64, other: u64, entries: u64, usable: (u64, u64)) -> [u8; 92] {
    let mut bytes = [0; 92];
    bytes[..8].copy_from_slice(b"EFI PART");
    bytes[8..12].copy_from_slice(&0x0001_0000_u32.to_le_bytes());
    bytes[12..16].copy_from_slice(&92_u32.to_le_bytes());
    for (at, value) in [
        (24, here),
        (32, other),
        (40, usable.0),
        (48, usable.1),
        (72, entries),
    ] {
        bytes[at..at + 8].copy_from_slice(&value.to_le_bytes());
    }
    bytes[56..72].fill(0xd1);
    bytes[80..84].copy_from_slice(&128_u32.to_le_bytes());
    bytes[84..88].copy_from_slice(&128_u32.to_le_bytes());
    bytes[88..92].copy_from_slice(&crc32fast::hash(array).to_le_bytes());
    let crc = crc32fast::hash(&bytes);
    bytes[16..20].copy_from_slice(&crc.to_le_bytes());
    bytes
}

/// The on-disk bytes of a GUID: first three fields little-endian.
pub fn guid(text: &str) -> [u8; 16] {
    let hex: String = text.chars().filter(|c| *c != '-').collect();
    let mut bytes = [0; 16];
    for (byte, pair) in bytes.iter_mut().zip(hex.as_bytes().chunks(2)) {
        *byte = u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap();
    }
    bytes[..4].reverse();
    bytes[4..6].reverse();
    bytes[6..8].reverse();
    bytes
}
