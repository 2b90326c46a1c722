//! A GPT header, primary or backup: fields, bounds, checksum (UEFI specification 5.3.2).

use ioalign_core::SectorSize;

use crate::error::{Error, Result};
use crate::view::{Record, View};

const SIGNATURE: &[u8] = b"EFI PART";
/// Bytes of the header that the specification defines.
const LEAST_LEN: u32 = 92;
/// Entries listed at most; every partitioner writes 128, the largest seen is 4096.
const MOST_ENTRIES: u32 = 16384;
/// Bytes of the entry array read at most.
const MOST_ARRAY: u64 = 8 << 20;

/// A header as it stands, with what is wrong with it.
pub struct Header {
    /// Size of the sectors that it was looked for in; its LBAs count them.
    pub sector: SectorSize,
    /// Where it was read.
    pub lba: u64,
    /// Where it says the other copy is.
    pub alternate: u64,
    /// First LBA for partitions.
    pub first_usable: u64,
    /// Last LBA for partitions.
    pub last_usable: u64,
    /// Disk GUID.
    pub disk: [u8; 16],
    /// First byte of the entry array.
    pub array: u64,
    /// Entries in the array.
    pub count: u32,
    /// Bytes an entry.
    pub entry_size: u32,
    /// CRC-32 of the array.
    pub array_crc: u32,
    /// The array cannot be read: field offset, field, what is wrong.
    pub impossible: Option<Fault>,
    /// The fields can be followed but not trusted.
    pub doubtful: Option<Fault>,
    record: Record,
}

/// What is wrong with a field.
#[derive(Clone)]
pub struct Fault {
    at: usize,
    field: &'static str,
    what: String,
}

impl Fault {
    fn new(at: usize, field: &'static str, what: String) -> Self {
        Self { at, field, what }
    }
}

impl Header {
    /// The header at `lba`; `None` where there is no signature.
    pub fn read(view: &View, lba: u64, sector: SectorSize) -> Result<Option<Self>> {
        let Some(at) = sector.checked_bytes(lba) else {
            return Ok(None);
        };
        if !view.has(at.get(), SIGNATURE)? {
            return Ok(None);
        }
        let len = usize::try_from(sector.get()).unwrap_or(512);
        let Some(record) = view.try_record(at.get(), len)? else {
            return Ok(None);
        };
        let array = sector.checked_bytes(record.le64(72));
        let mut header = Self {
            sector,
            lba,
            alternate: record.le64(32),
            first_usable: record.le64(40),
            last_usable: record.le64(48),
            disk: raw_guid(&record, 56),
            array: array.map_or(u64::MAX, |bytes| bytes.get()),
            count: record.le32(80),
            entry_size: record.le32(84),
            array_crc: record.le32(88),
            impossible: None,
            doubtful: None,
            record,
        };
        header.impossible = header.impossible(view);
        header.doubtful = header.doubtful();
        Ok(Some(header))
    }

    /// Whether its own fields are possible and match its checksum; says nothing of the entries.
    pub const fn is_sound(&self) -> bool {
        self.impossible.is_none() && self.doubtful.is_none()
    }

    /// What is wrong, in words.
    pub fn fault(&self) -> Option<&str> {
        let fault = self.impossible.as_ref().or(self.doubtful.as_ref());
        fault.map(|fault| fault.what.as_str())
    }

    /// The error for a table that has no better copy.
    pub fn error(&self) -> Error {
        let fault = self.impossible.as_ref().or(self.doubtful.as_ref());
        match fault {
            Some(fault) => self.record.bad(fault.at, fault.field, fault.what.clone()),
            None => self.record.bad(
                88,
                "partition_entry_array_crc32",
                "the entries do not match",
            ),
        }
    }

    /// Bytes of the entry array; within the limit unless `impossible`.
    pub fn array_len(&self) -> u64 {
        u64::from(self.count) * u64::from(self.entry_size)
    }

    fn impossible(&self, view: &View) -> Option<Fault> {
        let size = self.entry_size;
        if !(128..=4096).contains(&size) || !size.is_multiple_of(8) {
            let what =
                format!("{size} bytes an entry; a multiple of 8 from 128 to 4096 is possible");
            return Some(Fault::new(84, "size_of_partition_entry", what));
        }
        if self.count > MOST_ENTRIES || self.array_len() > MOST_ARRAY {
            let what = format!(
                "{} entries of {size} bytes; {MOST_ENTRIES} entries in {MOST_ARRAY} bytes are the limit",
                self.count
            );
            return Some(Fault::new(80, "number_of_partition_entries", what));
        }
        let end = self.array.checked_add(self.array_len());
        if self.array == 0 || end.is_none_or(|end| end > view.len()) {
            let what = format!(
                "the entry array at LBA {} does not lie within {} bytes",
                self.record.le64(72),
                view.len()
            );
            return Some(Fault::new(72, "partition_entry_lba", what));
        }
        None
    }

    fn doubtful(&self) -> Option<Fault> {
        let len = self.record.le32(12);
        if len < LEAST_LEN || len > self.sector.get() {
            let what = format!(
                "a header of {len} bytes in sectors of {}",
                self.sector.get()
            );
            return Some(Fault::new(12, "header_size", what));
        }
        let (stored, computed) = (self.record.le32(16), self.checksum(len));
        if stored != computed {
            let what = format!("the header CRC is {stored:08x}, computed {computed:08x}");
            return Some(Fault::new(16, "header_crc32", what));
        }
        let own = self.record.le64(24);
        (own != self.lba).then(|| {
            let what = format!(
                "the header at LBA {} says that it is at LBA {own}",
                self.lba
            );
            Fault::new(24, "my_lba", what)
        })
    }

    /// CRC-32 of the header with its own field taken as zero.
    fn checksum(&self, len: u32) -> u32 {
        let len = usize::try_from(len).unwrap_or(0);
        let mut crc = crc32fast::Hasher::new();
        crc.update(self.record.slice(0, 16));
        crc.update(&[0; 4]);
        crc.update(self.record.slice(20, len.saturating_sub(20)));
        crc.finalize()
    }
}

fn raw_guid(record: &Record, at: usize) -> [u8; 16] {
    let mut guid = [0; 16];
    if let Some((bytes, _)) = record.slice(at, 16).split_first_chunk() {
        guid = *bytes;
    }
    guid
}
