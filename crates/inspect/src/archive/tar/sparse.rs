//! Maps of sparse files: where the stored bytes lie in the file.

use super::TarArchive;
use super::header::{BLOCK, number, padding};
use super::pax::{MOST_PIECES, decimal};
use crate::error::{Error, Result};

type Map = Vec<(u64, u64)>;

/// In the old GNU header: four pieces, whether more follow, and the length of the file.
const PIECES: (usize, usize) = (386, 4);
const MORE: usize = 482;
const REAL_SIZE: std::ops::Range<usize> = 483..495;
/// In the blocks that follow it.
const MORE_PIECES: (usize, usize) = (0, 21);
const STILL_MORE: usize = 504;
/// Longest line of a map in the data: a number of 20 digits.
const MOST_DIGITS: usize = 20;

/// The map of the old GNU format, which lies in the header and the blocks after it.
pub(super) fn gnu(archive: &mut TarArchive<'_>, header: &[u8; BLOCK]) -> Result<(Map, u64)> {
    let mut map = Map::new();
    let wrong = || Error::malformed("The map of a sparse file is nonsense").field("sparse");
    let len = header.get(REAL_SIZE).and_then(number);
    let len = len.ok_or_else(|| wrong().at(archive.at))?;
    add(header, PIECES, &mut map).ok_or_else(|| wrong().at(archive.at))?;
    let mut more = header.get(MORE).is_some_and(|flag| *flag != 0);
    while more {
        let block = archive.block()?.ok_or_else(|| wrong().at(archive.at))?;
        add(&block, MORE_PIECES, &mut map).ok_or_else(|| wrong().at(archive.at))?;
        more = block.get(STILL_MORE).is_some_and(|flag| *flag != 0);
        if map.len() > MOST_PIECES {
            let what = format!("A sparse file has more than {MOST_PIECES} pieces");
            return Err(Error::too_large(what).at(archive.at));
        }
    }
    Ok((map, len))
}

fn add(block: &[u8], (at, most): (usize, usize), map: &mut Map) -> Option<()> {
    let pieces = block.get(at..at + most * 24)?.chunks_exact(24);
    for piece in pieces {
        let (start, len) = piece.split_at(12);
        if start.first() == Some(&0) {
            break;
        }
        map.push((number(start)?, number(len)?));
    }
    Some(())
}

/// The map of GNU sparse 1.0: decimal lines before the data, filled up to a block.
pub(super) fn in_data(archive: &mut TarArchive<'_>) -> Result<Map> {
    let mut lines = SparseLines {
        archive,
        block: [0; BLOCK],
        at: BLOCK,
    };
    let count = lines.number()?;
    if count > MOST_PIECES as u64 {
        let what = format!("A sparse file has more than {MOST_PIECES} pieces");
        return Err(Error::too_large(what).at(archive.at));
    }
    let mut map = Map::new();
    for _ in 0..count {
        map.push((lines.number()?, lines.number()?));
    }
    Ok(map)
}

/// Numbers, one a line.
struct SparseLines<'a, 'b> {
    archive: &'a mut TarArchive<'b>,
    block: [u8; BLOCK],
    at: usize,
}

impl SparseLines<'_, '_> {
    fn number(&mut self) -> Result<u64> {
        let mut digits = Vec::with_capacity(MOST_DIGITS);
        loop {
            match self.byte()? {
                b'\n' => break,
                digit if digits.len() < MOST_DIGITS => digits.push(digit),
                _ => break,
            }
        }
        let wrong = || Error::malformed("The map of a sparse file is nonsense").field("sparse");
        decimal(&digits).ok_or_else(|| wrong().at(self.archive.at))
    }

    fn byte(&mut self) -> Result<u8> {
        if self.at >= BLOCK {
            self.archive.data(&mut self.block)?;
            self.at = 0;
        }
        let byte = self.block.get(self.at).copied().unwrap_or(0);
        self.at += 1;
        Ok(byte)
    }
}

/// Pieces ascend, end inside the file, and are all that is stored.
pub(super) fn check(map: &Map, len: u64, stored: u64) -> Result<()> {
    let wrong = |what: &str| {
        let what = format!("The map of a sparse file is nonsense: {what}");
        Err(Error::malformed(what).field("sparse"))
    };
    let (mut end, mut sum) = (0_u64, 0_u64);
    for (start, bytes) in map {
        if *start < end {
            return wrong("its pieces overlap or go back");
        }
        end = match start.checked_add(*bytes) {
            Some(end) if end <= len => end,
            _ => return wrong("a piece ends behind the end of the file"),
        };
        sum = sum.saturating_add(*bytes);
    }
    // Some writers count the padding of the last piece, none leaves bytes out.
    if sum > stored.saturating_add(padding(stored)) {
        return wrong("its pieces are more than what is stored");
    }
    Ok(())
}
