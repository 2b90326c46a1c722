//! What was read of a device: its length, and the sectors in which something else than zeros was seen.
//!
//! Bytes of a sector that were not requested stay zero: a bundle holds the bytes that were read,
//! and no more.

use std::collections::BTreeMap;

/// Bytes a sector; every larger one is a multiple.
pub const SECTOR: usize = 512;
const SECTOR_BYTES: u64 = SECTOR as u64;

/// The copy of a device.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SectorCopy {
    len: u64,
    /// By the sector's number.
    map: BTreeMap<u64, Box<[u8; SECTOR]>>,
}

impl SectorCopy {
    /// A device of `len` bytes of which nothing was read.
    pub const fn new(len: u64) -> Self {
        let map = BTreeMap::new();
        Self { len, map }
    }

    /// Length in bytes.
    pub const fn len(&self) -> u64 {
        self.len
    }

    /// Whether the device has no bytes.
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Bytes that are kept.
    pub fn held(&self) -> usize {
        self.map.len().saturating_mul(SECTOR)
    }

    /// Puts `bytes` at `offset`; zeros make no sector. What lies past the end is dropped.
    pub fn write(&mut self, offset: u64, bytes: &[u8]) {
        let room = usize::try_from(self.len.saturating_sub(offset)).unwrap_or(usize::MAX);
        let mut rest = bytes.get(..bytes.len().min(room)).unwrap_or_default();
        let mut at = offset;
        while !rest.is_empty() {
            let from = usize::try_from(at % SECTOR_BYTES).unwrap_or(0);
            let (now, later) = rest.split_at(rest.len().min(SECTOR - from));
            self.put(at / SECTOR_BYTES, from, now);
            at += now.len() as u64;
            rest = later;
        }
    }

    fn put(&mut self, sector: u64, from: usize, bytes: &[u8]) {
        let zeros = bytes.iter().all(|byte| *byte == 0);
        if zeros && !self.map.contains_key(&sector) {
            return;
        }
        let kept = self
            .map
            .entry(sector)
            .or_insert_with(|| Box::new([0; SECTOR]));
        if let Some(place) = kept.get_mut(from..from + bytes.len()) {
            place.copy_from_slice(bytes);
        }
    }

    /// `len` bytes from `offset`, as a reader of the copy sees them; zeros past the end.
    pub fn read(&self, offset: u64, len: usize) -> Vec<u8> {
        let mut out = Vec::with_capacity(len);
        while out.len() < len {
            let at = offset.saturating_add(out.len() as u64);
            let from = usize::try_from(at % SECTOR_BYTES).unwrap_or(0);
            let part = (len - out.len()).min(SECTOR - from);
            let kept = self.map.get(&(at / SECTOR_BYTES));
            match kept.and_then(|sector| sector.get(from..from + part)) {
                Some(bytes) => out.extend_from_slice(bytes),
                None => out.resize(out.len() + part, 0),
            }
        }
        out
    }

    /// Writes zeros over a range. It takes the time of the bytes that are held there, however long the range is.
    pub fn clear(&mut self, offset: u64, len: usize) {
        let end = offset.saturating_add(len as u64);
        let numbers = offset / SECTOR_BYTES..end.div_ceil(SECTOR_BYTES);
        for (number, sector) in self.map.range_mut(numbers) {
            let start = number.saturating_mul(SECTOR_BYTES);
            let within = |at: u64| {
                usize::try_from(at.saturating_sub(start)).map_or(SECTOR, |at| at.min(SECTOR))
            };
            if let Some(part) = sector.get_mut(within(offset)..within(end)) {
                part.fill(0);
            }
        }
    }

    /// Where sectors begin that begin with `magic`, in bytes.
    pub fn find(&self, magic: &[u8], at: usize) -> Vec<u64> {
        let begins = |sector: &[u8; SECTOR]| sector.get(at..at + magic.len()) == Some(magic);
        self.map
            .iter()
            .filter(|(_, sector)| begins(sector))
            .map(|(number, _)| number.saturating_mul(SECTOR_BYTES))
            .collect()
    }

    /// What is not zero, in pieces of whole sectors: where each begins, and its bytes. Ascending.
    pub fn pieces(&self) -> Vec<(u64, Vec<u8>)> {
        let mut pieces: Vec<(u64, Vec<u8>)> = Vec::new();
        for (number, sector) in &self.map {
            if sector.iter().all(|byte| *byte == 0) {
                continue;
            }
            let at = number.saturating_mul(SECTOR_BYTES);
            let room = usize::try_from(self.len.saturating_sub(at)).unwrap_or(SECTOR);
            let bytes = sector.get(..room.min(SECTOR)).unwrap_or_default();
            match pieces.last_mut() {
                Some((start, piece)) if *start + piece.len() as u64 == at => {
                    piece.extend_from_slice(bytes);
                }
                _ => pieces.push((at, bytes.to_vec())),
            }
        }
        pieces
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_is_read_and_the_rest_is_zero() {
        let mut sectors = SectorCopy::new(10_000);
        sectors.write(510, b"abcd");
        sectors.write(9_998, b"xyz");
        sectors.write(4096, &[0; 512]);
        assert_eq!(sectors.read(509, 6), b"\0abcd\0");
        assert_eq!(sectors.read(9_996, 6), b"\0\0xy\0\0");
        assert_eq!(sectors.held(), 3 * SECTOR, "zeros are not kept");
        let pieces: Vec<_> = sectors
            .pieces()
            .iter()
            .map(|(at, bytes)| (*at, bytes.len()))
            .collect();
        assert_eq!(pieces, [(0, 1024), (9728, 272)]);
        sectors.clear(510, 4);
        assert_eq!(sectors.pieces().len(), 1);
        sectors.write(100, &[7; 2000]);
        sectors.clear(600, 1000);
        assert_eq!(sectors.read(599, 2), [7, 0]);
        assert_eq!(sectors.read(1599, 2), [0, 7]);
        assert_eq!(sectors.read(2099, 2), [7, 0]);
        sectors.clear(2000, usize::MAX);
        assert_eq!(sectors.read(1999, 2), [7, 0]);
        assert_eq!(sectors.read(9_998, 2), [0, 0]);
    }

    #[test]
    fn magics_are_found_where_sectors_begin() {
        let mut sectors = SectorCopy::new(1 << 20);
        sectors.write(512, b"LUKS");
        sectors.write(2049, b"LUKS");
        sectors.write(4096, b"xxLUKS");
        assert_eq!(sectors.find(b"LUKS", 0), [512]);
        assert_eq!(sectors.find(b"LUKS", 2), [4096]);
    }
}
