//! A GPT header and its entries (UEFI specification 5.3.2 and 5.3.3).

use super::bytes::{field, has, le32, le64, put};

/// What a header begins with.
pub const GPT_SIGNATURE: [u8; 8] = *b"EFI PART";
/// Bytes of a header that the specification defines.
pub const GPT_HEADER_BYTES: usize = 92;
/// Bytes of an entry that the specification defines.
pub const GPT_ENTRY_BYTES: usize = 128;

const CRC_AT: usize = 16;

/// What a header says; LBAs count the sectors of the disk.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct GptHeader {
    /// Bytes that its checksum covers.
    pub length: u32,
    /// CRC-32 of the header, as it is stored.
    pub crc: u32,
    /// Where it says that it lies.
    pub own: u64,
    /// Where the other copy lies.
    pub alternate: u64,
    /// First LBA that a partition may use.
    pub first_usable: u64,
    /// Last LBA that a partition may use.
    pub last_usable: u64,
    /// GUID of the disk, as it is on the disk.
    pub disk: [u8; 16],
    /// First LBA of the entries.
    pub array: u64,
    /// How many entries.
    pub count: u32,
    /// Bytes of an entry.
    pub entry_bytes: u32,
    /// CRC-32 of the entries, as it is stored.
    pub array_crc: u32,
}

impl GptHeader {
    /// The header at the start of a block; `None` without the signature. Nothing else is checked.
    pub fn read(block: &[u8]) -> Option<Self> {
        has(block, 0, &GPT_SIGNATURE).then(|| Self {
            length: le32(block, 12),
            crc: le32(block, CRC_AT),
            own: le64(block, 24),
            alternate: le64(block, 32),
            first_usable: le64(block, 40),
            last_usable: le64(block, 48),
            disk: field(block, 56).unwrap_or_default(),
            array: le64(block, 72),
            count: le32(block, 80),
            entry_bytes: le32(block, 84),
            array_crc: le32(block, 88),
        })
    }

    /// The checksum of the first `length` bytes of a block, whose own field counts as zero; `None` where there are
    /// fewer, or where a header would not fit into them.
    pub fn computed_crc(block: &[u8], length: u32) -> Option<u32> {
        let length = usize::try_from(length).ok()?;
        let header = block.get(..length).filter(|_| length >= GPT_HEADER_BYTES)?;
        let mut crc = crc32fast::Hasher::new();
        crc.update(header.get(..CRC_AT)?);
        crc.update(&[0; 4]);
        crc.update(header.get(CRC_AT + 4..)?);
        Some(crc.finalize())
    }

    /// Bytes of all entries.
    pub fn array_bytes(&self) -> u64 {
        u64::from(self.count) * u64::from(self.entry_bytes)
    }

    /// Writes its fields into a block, with the checksum of the header. Other bytes of the block stay.
    pub fn write(&self, block: &mut [u8]) {
        put(block, 0, &GPT_SIGNATURE);
        put(block, 12, &self.length.to_le_bytes());
        let wide = [
            self.own,
            self.alternate,
            self.first_usable,
            self.last_usable,
        ];
        for (index, number) in wide.into_iter().enumerate() {
            put(block, 24 + 8 * index, &number.to_le_bytes());
        }
        put(block, 56, &self.disk);
        put(block, 72, &self.array.to_le_bytes());
        for (index, number) in [self.count, self.entry_bytes, self.array_crc]
            .into_iter()
            .enumerate()
        {
            put(block, 80 + 4 * index, &number.to_le_bytes());
        }
        let crc = Self::computed_crc(block, self.length).unwrap_or(0);
        put(block, CRC_AT, &crc.to_le_bytes());
    }
}

/// What an entry says.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct GptEntry {
    /// GUID of the type, as it is on the disk; zeros where the entry is not used.
    pub kind: [u8; 16],
    /// GUID of the partition, as it is on the disk.
    pub id: [u8; 16],
    /// First LBA.
    pub first: u64,
    /// Last LBA.
    pub last: u64,
    /// Flags.
    pub attributes: u64,
    /// The name in UTF-16, ended by a zero.
    pub name: [u16; 36],
}

impl GptEntry {
    /// An entry that is used; `None` where it is not, or where it does not fit.
    pub fn read(raw: &[u8]) -> Option<Self> {
        let raw = raw.first_chunk::<GPT_ENTRY_BYTES>()?;
        let entry = Self {
            kind: field(raw, 0)?,
            id: field(raw, 16)?,
            first: le64(raw, 32),
            last: le64(raw, 40),
            attributes: le64(raw, 48),
            name: std::array::from_fn(|unit| super::bytes::le16(raw, 56 + 2 * unit)),
        };
        (entry.kind != [0; 16]).then_some(entry)
    }

    /// Writes first and last LBA into an entry. Its other bytes stay.
    pub fn write_place(raw: &mut [u8], first: u64, last: u64) {
        put(raw, 32, &first.to_le_bytes());
        put(raw, 40, &last.to_le_bytes());
    }

    /// The name as text; what is no UTF-16 is replaced.
    pub fn label(&self) -> String {
        let units = self.name.iter().copied().take_while(|unit| *unit != 0);
        char::decode_utf16(units)
            .map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_is_read_as_it_was_written() {
        let header = GptHeader {
            length: 92,
            crc: 0,
            own: 1,
            alternate: 99,
            first_usable: 34,
            last_usable: 66,
            disk: [7; 16],
            array: 2,
            count: 128,
            entry_bytes: 128,
            array_crc: 5,
        };
        let mut block = [0; 512];
        header.write(&mut block);
        let read = GptHeader::read(&block).unwrap();
        assert_eq!(Some(read.crc), GptHeader::computed_crc(&block, 92));
        assert_eq!(GptHeader { crc: 0, ..read }, header);
        assert_eq!(GptHeader::computed_crc(&block, 91), None);
        assert_eq!(GptHeader::computed_crc(&block, 513), None);
        assert_eq!(GptHeader::read(&block[1..]), None);
    }
}
