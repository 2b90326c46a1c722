//! A GPT header and its entries as bytes, with their checksums (UEFI specification 5.3).

use super::refused;
use crate::Result;
pub use crate::bytes::{le32, le64, put};

/// One copy: the block with the header, and the blocks with the entries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Copy {
    /// The whole block.
    pub header: Vec<u8>,
    /// All entries, rounded up to whole blocks.
    pub entries: Vec<u8>,
}

/// Numbers of a header.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Numbers {
    /// Where this copy lies.
    pub own: u64,
    /// Where the other copy lies.
    pub other: u64,
    /// First block that a partition may use.
    pub first: u64,
    /// Last block that a partition may use.
    pub last: u64,
    /// First block of the entries.
    pub array: u64,
    /// How many entries.
    pub count: u32,
    /// Bytes an entry.
    pub entry: u32,
}

/// More entries than this are nobody's table.
const MOST_ENTRIES: u32 = 4096;
const SIGNATURE: &[u8] = b"EFI PART";

impl Numbers {
    /// Reads a header, whose checksum has to be right.
    pub fn read(block: &[u8], what: &str) -> Result<Self> {
        let bad = |why: &str| {
            refused(format!(
                "the {what} GPT header {why}: repair it first with gdisk (an image that is not raw: through qemu-nbd)"
            ))
        };
        if block.get(..8) != Some(SIGNATURE) {
            return Err(bad("is not there"));
        }
        let len = usize::try_from(le32(block, 12)).unwrap_or(usize::MAX);
        let header = block.get(..len).filter(|_| len >= 92);
        let header = header.ok_or_else(|| bad("has an impossible length"))?;
        if crc_without(header) != le32(block, 16) {
            return Err(bad("has a wrong checksum"));
        }
        let numbers = Self {
            own: le64(block, 24),
            other: le64(block, 32),
            first: le64(block, 40),
            last: le64(block, 48),
            array: le64(block, 72),
            count: le32(block, 80),
            entry: le32(block, 84),
        };
        let sound = numbers.count <= MOST_ENTRIES
            && (128..=4096).contains(&numbers.entry)
            && numbers.entry.is_power_of_two()
            && numbers.first <= numbers.last;
        if sound {
            Ok(numbers)
        } else {
            Err(bad("has impossible numbers"))
        }
    }

    /// Bytes of all entries.
    pub fn array_bytes(&self) -> usize {
        usize::try_from(u64::from(self.count) * u64::from(self.entry)).unwrap_or(0)
    }
}

impl Copy {
    /// Whether the entries are those that the header was made for.
    pub fn is_whole(&self, numbers: &Numbers) -> bool {
        let entries = self.entries.get(..numbers.array_bytes());
        entries.is_some_and(|bytes| crc32fast::hash(bytes) == le32(&self.header, 88))
    }

    /// Writes the checksums anew.
    pub fn seal(&mut self, numbers: &Numbers) {
        let entries = self.entries.get(..numbers.array_bytes());
        let crc = crc32fast::hash(entries.unwrap_or_default());
        put(&mut self.header, 88, &crc.to_le_bytes());
        let len = usize::try_from(le32(&self.header, 12)).unwrap_or(92);
        let crc = self.header.get(..len).map_or(0, crc_without);
        put(&mut self.header, 16, &crc.to_le_bytes());
    }
}

/// The checksum of a header, whose own field counts as zero.
fn crc_without(header: &[u8]) -> u32 {
    let mut copy = header.to_vec();
    put(&mut copy, 16, &[0; 4]);
    crc32fast::hash(&copy)
}
