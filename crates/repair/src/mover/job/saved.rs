//! What is on a disk before a job in places that its mover writes on and the job does not name: tables and
//! superblocks, which are unrecognisable while data move, and free space that data go over. A rollback puts
//! all of it back.

use std::ops::Range;

use ioalign_core::move_marker::GPT_SIGNATURE;
use ioalign_core::on_disk::bytes::{has, le64};

use super::Move;
use super::ranges::{gaps, in_blocks, without};
use crate::Disk;
use crate::content;
use crate::disk::read_bytes;

/// Free space is kept up to this much in total, the smallest pieces first.
const GAP_MOST: u64 = 64 << 20;
/// The most blocks of one partition that are replaced.
const BLOCKS_MOST: u64 = 4096;
/// What is read at once.
const STEP: u64 = 1 << 20;
/// The grain of zeros that are remembered as such.
const GRAIN: u64 = 4096;

/// Bytes, and where they are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SavedBytes {
    /// The first one.
    pub at: u64,
    /// All of them: whole logical blocks.
    pub bytes: Vec<u8>,
}

impl SavedBytes {
    /// Their place.
    pub const fn place(&self) -> Range<u64> {
        self.at..self.at.saturating_add(self.bytes.len() as u64)
    }
}

/// What a disk holds beside what a job names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SavedBlocks {
    /// The first block, then those of GPT headers.
    pub tables: Vec<SavedBytes>,
    /// In the sources of moves: blocks by which a kernel or a tool takes them for what they are.
    pub superblocks: Vec<SavedBytes>,
    /// Where moves go over free space: what is no zeros there.
    pub gap: Vec<SavedBytes>,
    /// And the zeros.
    pub zeros: Vec<Range<u64>>,
}

impl SavedBlocks {
    /// Looks at a disk. What cannot be read is left out.
    pub fn take(disk: &mut dyn Disk, moves: &[Move]) -> Self {
        let mut saved = Self::default();
        let logical = disk.logical_bytes().max(1);
        for place in table_places(disk, logical) {
            read_into(disk, &place, &mut saved.tables);
        }
        for source in moves.iter().map(Move::source) {
            for place in superblock_places(disk, &source, logical) {
                read_into(disk, &place, &mut saved.superblocks);
            }
        }
        let mut gaps = gaps(moves);
        gaps.sort_by_key(|gap| gap.end - gap.start);
        let mut left = GAP_MOST;
        for gap in gaps {
            let Some(rest) = left.checked_sub(gap.end - gap.start) else {
                break;
            };
            left = rest;
            saved.take_gap(disk, &gap);
        }
        saved
    }

    fn take_gap(&mut self, disk: &mut dyn Disk, gap: &Range<u64>) {
        let logical = disk.logical_bytes().max(1);
        let mut at = gap.start;
        while at < gap.end {
            let zeros = disk.zeros_from(at).min(gap.end - at);
            let zeros = zeros - zeros % logical;
            if zeros > 0 {
                self.add_zeros(at..at + zeros, gap);
                at += zeros;
                continue;
            }
            let end = gap.end.min(at.saturating_add(STEP));
            let mut read = Vec::new();
            read_into(disk, &(at..end), &mut read);
            for piece in &read {
                self.sort_out(piece, GRAIN.max(logical), gap);
            }
            at = end;
        }
    }

    /// Zeros to the zeros. Pieces are joined within a gap only: what is kept lies in one destination.
    fn sort_out(&mut self, read: &SavedBytes, grain: u64, gap: &Range<u64>) {
        let grain = usize::try_from(grain).unwrap_or(1).max(1);
        let mut at = read.at;
        for bytes in read.bytes.chunks(grain) {
            let end = at + bytes.len() as u64;
            if bytes.iter().all(|byte| *byte == 0) {
                self.add_zeros(at..end, gap);
            } else if let Some(last) = self.gap.last_mut()
                && last.place().end == at
                && last.at >= gap.start
            {
                last.bytes.extend_from_slice(bytes);
            } else {
                let bytes = bytes.to_vec();
                self.gap.push(SavedBytes { at, bytes });
            }
            at = end;
        }
    }

    fn add_zeros(&mut self, place: Range<u64>, gap: &Range<u64>) {
        match self.zeros.last_mut() {
            Some(last) if last.end == place.start && last.start >= gap.start => {
                last.end = place.end;
            }
            _ => self.zeros.push(place),
        }
    }

    /// All places.
    pub fn places(&self) -> impl Iterator<Item = Range<u64>> {
        let bytes = [&self.tables, &self.superblocks, &self.gap].into_iter();
        let bytes = bytes.flatten().map(SavedBytes::place);
        bytes.chain(self.zeros.iter().cloned())
    }

    /// What of the free space that moves go over is not kept.
    pub(super) fn missing(&self, moves: &[Move]) -> u64 {
        let kept = || self.gap.iter().map(SavedBytes::place);
        let kept = || kept().chain(self.zeros.iter().cloned());
        let gaps = gaps(moves).into_iter();
        let missing = gaps.flat_map(|gap| without(&gap, kept()));
        missing.map(|place| place.end - place.start).sum()
    }
}

/// The first block, and where GPT headers can be: behind it in sectors of either size, at the end, and where
/// a header says that its copy is.
fn table_places(disk: &mut dyn Disk, logical: u64) -> Vec<Range<u64>> {
    let size = disk.size_bytes();
    let mut headers = Vec::new();
    for unit in [512u64, 4096] {
        headers.extend([Some(unit), size.checked_sub(unit)].into_iter().flatten());
        let header = read_bytes(disk, unit, 40).unwrap_or_default();
        if has(&header, 0, &GPT_SIGNATURE) {
            headers.extend(le64(&header, 32).checked_mul(unit));
        }
    }
    let mut is_header = |at: &u64| {
        let inside = at.checked_add(8).is_some_and(|end| end <= size);
        inside && read_bytes(disk, *at, 8).is_ok_and(|bytes| bytes == GPT_SIGNATURE)
    };
    headers.retain(|at| is_header(at));
    let headers = headers.into_iter().map(|at| at..at + 8).collect();
    let first = 0..logical;
    let others = in_blocks(headers, logical).into_iter();
    let others = others.flat_map(|place| without(&place, std::iter::once(first.clone())));
    let others: Vec<_> = others.collect();
    std::iter::once(first.clone()).chain(others).collect()
}

/// In whole blocks inside `source`, bounded.
fn superblock_places(disk: &mut dyn Disk, source: &Range<u64>, logical: u64) -> Vec<Range<u64>> {
    let mut left = BLOCKS_MOST;
    let mut places = Vec::new();
    for place in content::superblocks(disk, source) {
        let place = place.start.max(source.start)..place.end.min(source.end);
        let blocks = place.end.saturating_sub(place.start).div_ceil(logical) + 1;
        let Some(rest) = left.checked_sub(blocks) else {
            break;
        };
        left = rest;
        places.push(place);
    }
    in_blocks(places, logical)
}

/// Reads a place, block by block where it cannot be read as a whole.
fn read_into(disk: &mut dyn Disk, place: &Range<u64>, all: &mut Vec<SavedBytes>) {
    let logical = disk.logical_bytes().max(1);
    let whole = place.end.saturating_sub(place.start);
    let mut read = |at: u64, length: u64| {
        let mut bytes = vec![0; usize::try_from(length).ok()?];
        disk.read_at(at, &mut bytes).ok()?;
        Some(SavedBytes { at, bytes })
    };
    if let Some(one) = read(place.start, whole) {
        all.push(one);
        return;
    }
    for block in 0..whole / logical {
        all.extend(read(place.start + block * logical, logical));
    }
}
