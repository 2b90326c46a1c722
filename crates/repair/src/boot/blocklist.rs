//! Lists of sectors at the end of the first sector of GRUB's second stage: from the end backwards, each with
//! an absolute start, a length and the segment to load it to, ended by a length of 0.
//!
//! GRUB 2 (`diskboot.S`) has starts of 64 bits, GRUB Legacy (`start.S`) of 32.

use std::ops::Range;

use ioalign_core::on_disk::bytes::{le32, le64};

use super::survey::SECTOR;

/// Code ends before this; a list that reaches it has no end.
const FIRST: usize = 0x100;

/// How wide a start is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Width {
    /// GRUB Legacy.
    Four,
    /// GRUB 2.
    Eight,
}

impl Width {
    /// Bytes of a start.
    pub const fn bytes(self) -> usize {
        match self {
            Self::Four => 4,
            Self::Eight => 8,
        }
    }

    /// A start.
    pub fn get(self, bytes: &[u8], at: usize) -> u64 {
        match self {
            Self::Four => u64::from(le32(bytes, at)),
            Self::Eight => le64(bytes, at),
        }
    }

    /// A start as bytes, `None` where it is too large.
    pub fn packed(self, start: u64) -> Option<Vec<u8>> {
        match self {
            Self::Four => Some(u32::try_from(start).ok()?.to_le_bytes().to_vec()),
            Self::Eight => Some(start.to_le_bytes().to_vec()),
        }
    }
}

/// A run of sectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SectorRun {
    /// Where in the sector its start is written.
    pub field: usize,
    /// The first sector.
    pub start: u64,
    /// How many.
    pub count: u64,
}

impl SectorRun {
    /// Its bytes on the disk.
    pub fn place(&self) -> Option<Range<u64>> {
        let start = self.start.checked_mul(SECTOR)?;
        let bytes = self.count.checked_mul(SECTOR)?;
        Some(start..start.checked_add(bytes)?)
    }
}

/// Reads a list. The segments have to follow each other from `segment` on: other bytes are hardly so.
pub fn read(sector: &[u8], width: Width, segment: u64) -> Option<Vec<SectorRun>> {
    let len = width.bytes() + 4;
    let mut runs = Vec::new();
    let mut segment = segment;
    let mut field = 512usize.checked_sub(len)?;
    loop {
        let rest = le32(sector, field + width.bytes());
        let (count, at) = (u64::from(rest & 0xffff), u64::from(rest >> 16));
        if count == 0 {
            return Some(runs);
        }
        if at != segment {
            return None;
        }
        segment = segment.checked_add(count * SECTOR / 16)?;
        runs.push(SectorRun {
            field,
            start: width.get(sector, field),
            count,
        });
        field = field.checked_sub(len).filter(|field| *field >= FIRST)?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ioalign_core::on_disk::bytes::put;

    #[test]
    fn a_list_goes_backwards_and_its_segments_go_on() {
        let mut sector = vec![0; 512];
        put(
            &mut sector,
            500,
            &[100, 0, 0, 0, 1, 0, 0, 0, 3, 0, 0x20, 0x08],
        );
        put(
            &mut sector,
            488,
            &[7, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0x80, 0x08],
        );
        let runs = read(&sector, Width::Eight, 0x820).unwrap();
        let seen: Vec<_> = runs
            .iter()
            .map(|run| (run.field, run.start, run.count))
            .collect();
        assert_eq!(seen, [(500, (1 << 32) + 100, 3), (488, 7, 2)]);
        put(&mut sector, 498, &[0x81]);
        assert_eq!(read(&sector, Width::Eight, 0x820), None);
        assert_eq!(read(&[1; 512], Width::Four, 0x101), None);
    }
}
