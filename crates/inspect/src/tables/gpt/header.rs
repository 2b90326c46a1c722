//! A GPT header, primary or backup: fields, bounds, checksum (UEFI specification 5.3.2).

use ioalign_core::SectorSize;
use ioalign_core::on_disk::{GPT_SIGNATURE, GptHeader};

use crate::error::{Error, Result};
use crate::view::{Record, View};

/// Entries listed at most; every partitioner writes 128, the largest seen is 4096.
const MOST_ENTRIES: u32 = 16384;
/// Bytes of the entry array read at most.
const MOST_ARRAY: u64 = 8 << 20;

/// A header as it stands, with what is wrong with it.
pub struct LocatedHeader {
    /// Size of the sectors that it was looked for in; its LBAs count them.
    pub sector: SectorSize,
    /// Where it was read.
    pub lba: u64,
    /// Its contents.
    pub fields: GptHeader,
    /// First byte of the entry array.
    pub array: u64,
    /// The array cannot be read: field offset, field, what is wrong.
    pub impossible: Option<GptFault>,
    /// The fields can be followed but not trusted.
    pub doubtful: Option<GptFault>,
    record: Record,
}

/// What is wrong with a field.
#[derive(Clone)]
pub struct GptFault {
    at: usize,
    field: &'static str,
    what: String,
}

impl GptFault {
    fn new(at: usize, field: &'static str, what: String) -> Self {
        Self { at, field, what }
    }
}

impl LocatedHeader {
    /// The header at `lba`; `None` where there is no signature.
    pub fn read(view: &View, lba: u64, sector: SectorSize) -> Result<Option<Self>> {
        let Some(at) = sector.checked_bytes(lba) else {
            return Ok(None);
        };
        if !view.has(at.get(), &GPT_SIGNATURE)? {
            return Ok(None);
        }
        let len = usize::try_from(sector.get()).unwrap_or(512);
        let Some(record) = view.try_record(at.get(), len)? else {
            return Ok(None);
        };
        let Some(fields) = GptHeader::read(record.bytes()) else {
            return Ok(None);
        };
        let array = sector.checked_bytes(fields.array);
        let mut header = Self {
            sector,
            lba,
            fields,
            array: array.map_or(u64::MAX, |bytes| bytes.get()),
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

    /// The defect, in words.
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
        self.fields.array_bytes()
    }

    fn impossible(&self, view: &View) -> Option<GptFault> {
        let (size, count) = (self.fields.entry_bytes, self.fields.count);
        if !(128..=4096).contains(&size) || !size.is_multiple_of(8) {
            let what =
                format!("{size} bytes an entry; a multiple of 8 from 128 to 4096 is possible");
            return Some(GptFault::new(84, "size_of_partition_entry", what));
        }
        if count > MOST_ENTRIES || self.array_len() > MOST_ARRAY {
            let what = format!(
                "{count} entries of {size} bytes; {MOST_ENTRIES} entries in {MOST_ARRAY} bytes are the limit"
            );
            return Some(GptFault::new(80, "number_of_partition_entries", what));
        }
        let end = self.array.checked_add(self.array_len());
        if self.array == 0 || end.is_none_or(|end| end > view.len()) {
            let what = format!(
                "the entry array at LBA {} does not lie within {} bytes",
                self.fields.array,
                view.len()
            );
            return Some(GptFault::new(72, "partition_entry_lba", what));
        }
        None
    }

    fn doubtful(&self) -> Option<GptFault> {
        let GptHeader {
            length: len,
            crc: stored,
            own,
            ..
        } = self.fields;
        let Some(computed) = GptHeader::computed_crc(self.record.bytes(), len) else {
            let what = format!(
                "a header of {len} bytes in sectors of {}",
                self.sector.get()
            );
            return Some(GptFault::new(12, "header_size", what));
        };
        if stored != computed {
            let what = format!("the header CRC is {stored:08x}, computed {computed:08x}");
            return Some(GptFault::new(16, "header_crc32", what));
        }
        (own != self.lba).then(|| {
            let what = format!(
                "the header at LBA {} says that it is at LBA {own}",
                self.lba
            );
            GptFault::new(24, "my_lba", what)
        })
    }
}
