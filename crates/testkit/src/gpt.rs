//! GUID partition tables, both copies, for any sector size: also those that no tool writes, with odd entries and places.

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
    let gpt = GptImage::on(disk, sector, entries);
    let back = gpt.lbas - 1 - gpt.array_lbas();
    write_at(disk, sector, entries, (2, back));
}

/// The same with the arrays of both copies at these LBAs, so that tables for two sector sizes fit
/// into one disk.
pub fn write_at(disk: &Disk, sector: u64, entries: &[Entry<'_>], (front, back): (u64, u64)) {
    let gpt = GptImage {
        array: front,
        back: Some(back),
        ..GptImage::on(disk, sector, entries)
    };
    disk.write(0, &gpt.protective());
    for (at, bytes) in gpt.copies() {
        disk.write(at, &bytes);
    }
}

/// A table to be written. Offsets are LBAs.
#[derive(Clone)]
pub struct GptImage<'a> {
    /// Bytes of a sector.
    pub sector: u64,
    /// The length of the disk.
    pub lbas: u64,
    /// Bytes of an entry.
    pub entry_size: u32,
    /// How many entries.
    pub count: u32,
    /// Where those of the primary begin.
    pub array: u64,
    /// Where those of the backup begin; right before its header, unless said otherwise.
    pub back: Option<u64>,
    /// Type, first, last, name.
    pub entries: Vec<(&'a str, u64, u64, &'a str)>,
}

impl<'a> GptImage<'a> {
    /// An empty table of 128 entries.
    pub const fn new(sector: u64, lbas: u64) -> Self {
        Self {
            sector,
            lbas,
            entry_size: 128,
            count: 128,
            array: 2,
            back: None,
            entries: Vec::new(),
        }
    }

    fn on(disk: &Disk, sector: u64, entries: &[Entry<'a>]) -> Self {
        let place = |(kind, first, count): &Entry<'a>| (*kind, *first, first + count - 1, "");
        Self {
            entries: entries.iter().map(place).collect(),
            ..Self::new(sector, disk.len() / sector)
        }
    }

    /// With one more partition.
    #[must_use]
    pub fn with(mut self, kind: &'a str, first: u64, last: u64) -> Self {
        self.entries.push((kind, first, last, ""));
        self
    }

    /// LBAs of the entries.
    pub fn array_lbas(&self) -> u64 {
        let bytes = u64::from(self.count) * u64::from(self.entry_size);
        bytes.div_ceil(self.sector)
    }

    /// The disk with protective MBR, primary and backup.
    pub fn build(&self) -> Vec<u8> {
        let mut image = vec![0; self.byte(self.lbas)];
        put(&mut image, 0, &self.protective());
        self.write(&mut image);
        image
    }

    /// Both copies into an image.
    pub fn write(&self, image: &mut [u8]) {
        for (at, bytes) in self.copies() {
            put(image, usize::try_from(at).unwrap(), &bytes);
        }
    }

    /// Where an LBA lies in an image.
    pub fn byte(&self, lba: u64) -> usize {
        usize::try_from(lba * self.sector).unwrap()
    }

    fn protective(&self) -> [u8; 512] {
        let last = u32::try_from(self.lbas - 1).unwrap_or(u32::MAX);
        mbr::sector(&[(0xee, 1, last)])
    }

    /// Entries and header of both copies, with the bytes at which they lie.
    fn copies(&self) -> Vec<(u64, Vec<u8>)> {
        let last = self.lbas - 1;
        let back = self.back.unwrap_or(last - self.array_lbas());
        let usable = (self.array + self.array_lbas(), back - 1);
        let array = self.array_bytes();
        let mut all = Vec::new();
        for (own, other, at) in [(1, last, self.array), (last, 1, back)] {
            all.push((at * self.sector, array.clone()));
            let places = [own, other, usable.0, usable.1];
            all.push((own * self.sector, self.header(places, at, &array)));
        }
        all
    }

    fn array_bytes(&self) -> Vec<u8> {
        let size = self.entry_size as usize;
        let mut array = vec![0; size * self.count as usize];
        for (index, (kind, first, last, name)) in self.entries.iter().enumerate() {
            let entry = &mut array[index * size..];
            put(entry, 0, &guid(kind));
            put(entry, 16, &[u8::try_from(index % 255).unwrap() + 1; 16]);
            put(entry, 32, &first.to_le_bytes());
            put(entry, 40, &last.to_le_bytes());
            for (unit, character) in name.encode_utf16().enumerate() {
                put(entry, 56 + 2 * unit, &character.to_le_bytes());
            }
        }
        array
    }

    fn header(&self, places: [u64; 4], array_at: u64, array: &[u8]) -> Vec<u8> {
        let mut header = vec![0; 92];
        put(&mut header, 0, b"EFI PART");
        put(&mut header, 8, &0x1_0000_u32.to_le_bytes());
        put(&mut header, 12, &92_u32.to_le_bytes());
        for (index, place) in places.into_iter().enumerate() {
            put(&mut header, 24 + 8 * index, &place.to_le_bytes());
        }
        put(&mut header, 56, &[0xd1; 16]);
        put(&mut header, 72, &array_at.to_le_bytes());
        put(&mut header, 80, &self.count.to_le_bytes());
        put(&mut header, 84, &self.entry_size.to_le_bytes());
        put(&mut header, 88, &crc32fast::hash(array).to_le_bytes());
        seal(&mut header);
        header
    }
}

/// Writes the checksum of a header.
pub fn seal(header: &mut [u8]) {
    put(header, 16, &[0; 4]);
    let crc = crc32fast::hash(&header[..92]);
    put(header, 16, &crc.to_le_bytes());
}

fn put(bytes: &mut [u8], at: usize, new: &[u8]) {
    bytes[at..at + new.len()].copy_from_slice(new);
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
