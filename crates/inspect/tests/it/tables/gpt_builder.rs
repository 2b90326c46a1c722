//! Writes GPTs that no tool writes: 4 KiB sectors, odd entry sizes and places, false fields.

use super::disk::{boot_record, put};

pub const LINUX: &str = "0FC63DAF-8483-4772-8E79-3D69D8477DE4";

/// What to write. Offsets are LBAs.
#[derive(Clone)]
pub struct Gpt {
    pub sector: usize,
    pub lbas: u64,
    pub entry_size: u32,
    pub count: u32,
    pub array: u64,
    /// Type, first, last, name.
    pub entries: Vec<(&'static str, u64, u64, &'static str)>,
}

impl Gpt {
    pub fn new(sector: usize, lbas: u64) -> Self {
        Self {
            sector,
            lbas,
            entry_size: 128,
            count: 128,
            array: 2,
            entries: Vec::new(),
        }
    }

    pub fn with(mut self, kind: &'static str, first: u64, last: u64) -> Self {
        self.entries.push((kind, first, last, ""));
        self
    }

    /// LBAs of the entry array.
    pub fn array_lbas(&self) -> u64 {
        let bytes = u64::from(self.count) * u64::from(self.entry_size);
        bytes.div_ceil(self.sector as u64)
    }

    /// The disk with protective MBR, primary and backup.
    pub fn build(&self) -> Vec<u8> {
        let mut image = vec![0; self.sector * usize::try_from(self.lbas).unwrap()];
        boot_record(
            &mut image,
            0,
            &[(0xee, 1, u32::try_from(self.lbas - 1).unwrap())],
        );
        self.write(&mut image);
        image
    }

    /// Both copies into an image.
    pub fn write(&self, image: &mut [u8]) {
        let last = self.lbas - 1;
        let array = self.array_bytes();
        for (own, other, at) in [(1, last, self.array), (last, 1, last - self.array_lbas())] {
            put(image, self.byte(at), &array);
            let header = self.header(own, other, at, crc32fast::hash(&array));
            put(image, self.byte(own), &header);
        }
    }

    pub fn byte(&self, lba: u64) -> usize {
        usize::try_from(lba).unwrap() * self.sector
    }

    fn array_bytes(&self) -> Vec<u8> {
        let size = self.entry_size as usize;
        let mut array = vec![0; size * self.count as usize];
        for (i, (kind, first, last, name)) in self.entries.iter().enumerate() {
            let at = i * size;
            put(&mut array, at, &guid(kind));
            put(
                &mut array,
                at + 16,
                &[u8::try_from(i % 255).unwrap() + 1; 16],
            );
            put(&mut array, at + 32, &first.to_le_bytes());
            put(&mut array, at + 40, &last.to_le_bytes());
            for (j, unit) in name.encode_utf16().enumerate() {
                put(&mut array, at + 56 + 2 * j, &unit.to_le_bytes());
            }
        }
        array
    }

    fn header(&self, own: u64, other: u64, array: u64, crc: u32) -> Vec<u8> {
        let mut header = vec![0; 92];
        put(&mut header, 0, b"EFI PART");
        put(&mut header, 8, &0x1_0000_u32.to_le_bytes());
        put(&mut header, 12, &92_u32.to_le_bytes());
        let usable = (
            self.array + self.array_lbas(),
            self.lbas - 2 - self.array_lbas(),
        );
        for (at, field) in [
            (24, own),
            (32, other),
            (40, usable.0),
            (48, usable.1),
            (72, array),
        ] {
            put(&mut header, at, &field.to_le_bytes());
        }
        put(&mut header, 56, &[0xD1; 16]);
        put(&mut header, 80, &self.count.to_le_bytes());
        put(&mut header, 84, &self.entry_size.to_le_bytes());
        put(&mut header, 88, &crc.to_le_bytes());
        seal(&mut header);
        header
    }
}

/// Writes the header's checksum.
pub fn seal(header: &mut [u8]) {
    put(header, 16, &[0; 4]);
    let crc = crc32fast::hash(&header[..92]);
    put(header, 16, &crc.to_le_bytes());
}

/// A GUID in its on-disk byte order.
pub fn guid(text: &str) -> [u8; 16] {
    let digits = text.replace('-', "");
    let plain: Vec<u8> = (0..16)
        .map(|i| u8::from_str_radix(&digits[2 * i..2 * i + 2], 16).unwrap())
        .collect();
    let order = [3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15];
    order.map(|i: usize| plain[i])
}
