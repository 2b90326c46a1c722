//! The two headers, of which the newer good one counts, and where the block table is. \[MS-VHDX\] 2.2.

use std::io;

use super::super::fields::HeaderFields;
use super::super::store::{Store, damaged};
use super::{MIB, crc, sign};

const SLOTS: [u64; 2] = [64 << 10, 128 << 10];
const BYTES: usize = 4 << 10;
const REGIONS: [u64; 2] = [192 << 10, 256 << 10];
const REGION_BYTES: usize = 64 << 10;
/// `2DC27766-F623-4200-9D64-115E9BFD4A08`: the block allocation table.
pub const BAT: [u8; 16] = [
    0x66, 0x77, 0xC2, 0x2D, 0x23, 0xF6, 0x00, 0x42, 0x9D, 0x64, 0x11, 0x5E, 0x9B, 0xFD, 0x4A, 0x08,
];

/// The header that counts.
#[derive(Clone, Debug)]
pub struct WritableVhdxHeader {
    slot: usize,
    sequence: u64,
    pub file_write: [u8; 16],
    pub data_write: [u8; 16],
    /// Zeros where no log waits.
    pub log: [u8; 16],
    pub log_at: u64,
    pub log_bytes: u64,
}

impl WritableVhdxHeader {
    /// The first header of a new file.
    pub const fn new(log_at: u64, log_bytes: u64, file: [u8; 16], data: [u8; 16]) -> Self {
        Self {
            slot: 1,
            sequence: 0,
            file_write: file,
            data_write: data,
            log: [0; 16],
            log_at,
            log_bytes,
        }
    }

    pub fn read(store: &mut dyn Store) -> io::Result<Self> {
        let mut best: Option<Self> = None;
        for (slot, at) in SLOTS.into_iter().enumerate() {
            let raw = HeaderFields::read(store, at, BYTES)?;
            let whole = raw.0.starts_with(b"head") && crc(&raw.0) == raw.le32(4);
            if !whole
                || best
                    .as_ref()
                    .is_some_and(|best| best.sequence >= raw.le64(8))
            {
                continue;
            }
            best = Some(Self {
                slot,
                sequence: raw.le64(8),
                file_write: raw.get(16),
                data_write: raw.get(32),
                log: raw.get(48),
                log_at: raw.le64(72),
                log_bytes: u64::from(raw.le32(68)),
            });
        }
        best.ok_or_else(|| damaged("both headers are damaged"))?
            .checked(store)
    }

    fn checked(self, store: &dyn Store) -> io::Result<Self> {
        let end = self.log_at.checked_add(self.log_bytes);
        let inside = end.is_some_and(|end| end <= store.size_bytes());
        let whole = (self.log_at | self.log_bytes).is_multiple_of(MIB);
        if self.log_at >= MIB && self.log_bytes >= MIB && inside && whole {
            return Ok(self);
        }
        Err(damaged("the log is not where one can be"))
    }

    /// Writes it as the newer one over the older one, durably.
    pub fn write(&mut self, store: &mut dyn Store) -> io::Result<()> {
        self.slot = (self.slot + 1) % SLOTS.len();
        self.sequence = self.sequence.wrapping_add(1);
        let log_bytes = u32::try_from(self.log_bytes).map_err(|_| damaged("the log"))?;
        let mut raw = HeaderFields::new(BYTES);
        raw.put(0, b"head")
            .put(8, &self.sequence.to_le_bytes())
            .put(16, &self.file_write)
            .put(32, &self.data_write)
            .put(48, &self.log)
            .put(66, &1_u16.to_le_bytes())
            .put(68, &log_bytes.to_le_bytes())
            .put(72, &self.log_at.to_le_bytes());
        sign(&mut raw);
        let at = SLOTS.get(self.slot).copied().unwrap_or(SLOTS[0]);
        store.put(at, &raw.0)?;
        store.flush()
    }
}

/// The place of the block table, by the first region table that holds.
pub fn bat_at(store: &mut dyn Store) -> io::Result<u64> {
    for at in REGIONS {
        let table = HeaderFields::read(store, at, REGION_BYTES)?;
        if !table.0.starts_with(b"regi") || crc(&table.0) != table.le32(4) {
            continue;
        }
        for entry in (16..REGION_BYTES - 32).step_by(32) {
            if table.get::<16>(entry) == BAT {
                return Ok(table.le64(entry + 16));
            }
        }
    }
    Err(damaged("no region table names the block table"))
}

/// Both copies of the table of regions: identifiers, offsets, lengths.
pub fn write_regions(store: &mut dyn Store, regions: &[([u8; 16], u64, u32)]) -> io::Result<()> {
    let mut table = HeaderFields::new(REGION_BYTES);
    let count = u32::try_from(regions.len()).unwrap_or(0);
    table.put(0, b"regi").put(8, &count.to_le_bytes());
    for (index, (id, at, bytes)) in regions.iter().enumerate() {
        let entry = 16 + index * 32;
        table
            .put(entry, id)
            .put(entry + 16, &at.to_le_bytes())
            .put(entry + 24, &bytes.to_le_bytes())
            .put(entry + 28, &1_u32.to_le_bytes());
    }
    sign(&mut table);
    REGIONS.iter().try_for_each(|at| store.put(*at, &table.0))
}
