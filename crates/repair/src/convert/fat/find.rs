//! One file, by its path.

use std::ops::Range;

use super::chains::Chains;
use super::geometry::{Geometry, Kind};
use super::table::{self, Table};
use super::tree::{self, DELETED, DIRECTORY, ENTRY, LABEL, LONG};
use super::{Old, refused};
use crate::bytes::{le16, le32, u8_at};
use crate::{Disk, Result};

/// Where the characters of a long name stand in a piece of it.
const CHARACTERS: [Range<usize>; 3] = [1..11, 14..26, 28..32];

/// A file that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// Where its bytes are on the disk, in order.
    pub places: Vec<Range<u64>>,
    /// Whether the file system was unmounted, and is not marked as damaged.
    pub is_clean: bool,
}

/// A file of the file system in bytes `[start, start + size)` of a disk, whatever the case of its name; `None`
/// where there is none.
pub fn find(disk: &mut dyn Disk, start: u64, size: u64, path: &[&str]) -> Result<Option<File>> {
    let mut old = Old { disk, start, size };
    let head = old.read(0, 512)?;
    let geometry = Geometry::read(&head).ok_or_else(|| refused("it is no FAT file system"))?;
    let table = Table::read(&mut old, &geometry)?;
    let mut chains = Chains::new(&geometry, &table);
    let mut folder = match geometry.kind {
        Kind::Fat32 => chains.follow(geometry.root, "the root directory")?,
        _ => Vec::new(),
    };
    let mut names = path.iter().peekable();
    while let Some(name) = names.next() {
        let bytes = tree::contents(&mut old, &geometry, &folder)?;
        let Some(raw) = named(&bytes, name) else {
            return Ok(None);
        };
        let is_last = names.peek().is_none();
        let first = tree::first(&geometry, &raw);
        if is_last == (u8_at(&raw, 11) & DIRECTORY != 0) || first == 0 {
            return Ok(None);
        }
        folder = chains.follow(first, name)?;
        if is_last {
            let bytes = u64::from(le32(&raw, 28));
            return Ok(Some(File {
                places: places(&geometry, start, &folder, bytes),
                is_clean: table::clean(&mut old, &geometry, &head).is_ok(),
            }));
        }
    }
    Ok(None)
}

/// The first so many bytes of clusters, on the disk.
fn places(geometry: &Geometry, start: u64, chain: &[u32], bytes: u64) -> Vec<Range<u64>> {
    let mut all: Vec<Range<u64>> = Vec::new();
    let mut left = bytes;
    for cluster in chain {
        let at = start.saturating_add(geometry.cluster_at(*cluster));
        let end = at.saturating_add(geometry.cluster.min(left));
        left -= end - at;
        match all.last_mut() {
            _ if at == end => {}
            Some(last) if last.end == at => last.end = end,
            _ => all.push(at..end),
        }
    }
    all
}

/// The entry of a name in the bytes of a directory.
fn named(bytes: &[u8], name: &str) -> Option<[u8; ENTRY]> {
    let (raws, _) = bytes.as_chunks::<ENTRY>();
    let mut long = String::new();
    for raw in raws.iter().take_while(|raw| u8_at(*raw, 0) != 0) {
        let attributes = u8_at(raw, 11);
        if u8_at(raw, 0) == DELETED {
            long.clear();
        } else if attributes & LONG == LONG {
            // The last piece stands first.
            long.insert_str(0, &piece(raw));
        } else {
            let is_it = [&long, &tree::name(raw)].map(|one| one.eq_ignore_ascii_case(name));
            if attributes & LABEL == 0 && is_it.contains(&true) {
                return Some(*raw);
            }
            long.clear();
        }
    }
    None
}

/// A piece of a long name; it ends with a zero where it is not full.
fn piece(raw: &[u8]) -> String {
    let units = CHARACTERS.into_iter().flat_map(|range| range.step_by(2));
    let units = units.map(|at| le16(raw, at)).take_while(|unit| *unit != 0);
    char::decode_utf16(units)
        .map(|one| one.unwrap_or(char::REPLACEMENT_CHARACTER))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_and_long_names_are_found_whatever_their_case() {
        let short = |name: &[u8; 11]| {
            let mut raw = [0; ENTRY];
            raw[..11].copy_from_slice(name);
            raw
        };
        let mut long = [0xff; ENTRY];
        long[0] = 0x41;
        long[11] = LONG;
        let units = "Microsoft\0".encode_utf16();
        let places = CHARACTERS.into_iter().flat_map(|range| range.step_by(2));
        for (at, unit) in places.zip(units) {
            long[at..at + 2].copy_from_slice(&unit.to_le_bytes());
        }
        let mut label = short(b"BCD        ");
        label[11] = LABEL;
        let mut gone = short(b"BCD        ");
        gone[0] = DELETED;
        let micros = short(b"MICROS~1   ");
        let bytes = [label, long, micros, gone, short(b"BCD     LOG")].concat();
        assert_eq!(named(&bytes, "microsoft"), Some(micros));
        assert_eq!(named(&bytes, "bcd.log"), Some(short(b"BCD     LOG")));
        assert_eq!(named(&bytes, "BCD"), None);
    }
}
