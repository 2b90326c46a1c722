//! Directories and what they name.

use std::collections::VecDeque;

use ioalign_core::on_disk::bytes::{le16, le32, u8_at};

use super::chains::Chains;
use super::{Old, refused};
use crate::Result;
use crate::content::fat::{FatGeometry, FatKind};

/// A boot partition never has more entries than this.
const MOST_ENTRIES: usize = 1 << 20;
/// A directory has at most 65,536 entries; its last cluster may be one of 256 KiB.
const MOST_DIRECTORY: u64 = (2 << 20) + (256 << 10);
/// Bytes of an entry.
pub const ENTRY: usize = 32;
pub const DELETED: u8 = 0xe5;
pub const LABEL: u8 = 0x08;
pub const DIRECTORY: u8 = 0x10;
/// Attributes of a piece of a long name.
pub const LONG: u8 = 0x0f;

/// What an entry leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FatTarget {
    /// To no clusters: a piece of a name, a label, an empty file.
    Nothing,
    /// To a file's data in these clusters.
    File(Vec<u32>),
    /// To a directory, by its index.
    Directory(usize),
    /// To the directory itself, or the one that it is in.
    Dots(usize),
}

/// An entry, byte for byte, and where it leads.
#[derive(Clone, Debug)]
pub struct FatEntry {
    /// As it is on the disk.
    pub raw: [u8; ENTRY],
    /// Where it leads.
    pub target: FatTarget,
}

/// A directory.
#[derive(Clone, Debug, Default)]
pub struct Directory {
    /// All entries that are not deleted, in order.
    pub entries: Vec<FatEntry>,
}

/// A directory that is still to be read.
struct Waiting {
    chain: Vec<u32>,
    parent: usize,
}

struct FatWalk<'a, 'b, 'c> {
    old: &'a mut Old<'b>,
    geometry: &'a FatGeometry,
    chains: &'a mut Chains<'c>,
    waiting: VecDeque<Waiting>,
    /// Directories that were found, read or not.
    found: usize,
    entries: usize,
}

/// All directories; the first one is the root.
pub fn read(
    old: &mut Old<'_>,
    geometry: &FatGeometry,
    chains: &mut Chains<'_>,
) -> Result<Vec<Directory>> {
    let chain = match geometry.kind {
        FatKind::Fat32 => chains.follow(geometry.root, "the root directory")?,
        _ => Vec::new(),
    };
    let mut walk = FatWalk {
        old,
        geometry,
        chains,
        waiting: VecDeque::from([Waiting { chain, parent: 0 }]),
        found: 1,
        entries: 0,
    };
    let mut directories = Vec::new();
    while let Some(next) = walk.waiting.pop_front() {
        directories.push(walk.directory(directories.len(), &next)?);
    }
    Ok(directories)
}

impl FatWalk<'_, '_, '_> {
    fn directory(&mut self, own: usize, place: &Waiting) -> Result<Directory> {
        let bytes = contents(self.old, self.geometry, &place.chain)?;
        let mut entries = Vec::new();
        let (raws, _) = bytes.as_chunks::<ENTRY>();
        for raw in raws.iter().take_while(|raw| u8_at(*raw, 0) != 0) {
            if u8_at(raw, 0) == DELETED {
                continue;
            }
            self.entries += 1;
            if self.entries > MOST_ENTRIES {
                return Err(refused("it has more than a million entries"));
            }
            let target = self.target(raw, own, place.parent)?;
            entries.push(FatEntry { raw: *raw, target });
        }
        Ok(Directory { entries })
    }

    fn target(&mut self, raw: &[u8; ENTRY], own: usize, parent: usize) -> Result<FatTarget> {
        let attributes = u8_at(raw, 11);
        let first = first(self.geometry, raw);
        if attributes & LONG == LONG || attributes & LABEL != 0 {
            return Ok(FatTarget::Nothing);
        }
        if attributes & DIRECTORY == 0 {
            return self.file(raw, first);
        }
        if raw.starts_with(b".          ") {
            return Ok(FatTarget::Dots(own));
        }
        if raw.starts_with(b"..         ") {
            return Ok(FatTarget::Dots(parent));
        }
        let chain = self.chains.follow(first, &name(raw))?;
        self.waiting.push_back(Waiting { chain, parent: own });
        self.found += 1;
        Ok(FatTarget::Directory(self.found - 1))
    }

    fn file(&mut self, raw: &[u8; ENTRY], first: u32) -> Result<FatTarget> {
        let size = u64::from(le32(raw, 28));
        if first == 0 && size == 0 {
            return Ok(FatTarget::Nothing);
        }
        let mut chain = self.chains.follow(first, &name(raw))?;
        let needed =
            usize::try_from(size.div_ceil(self.geometry.cluster.max(1))).unwrap_or(usize::MAX);
        if chain.len() < needed {
            let name = name(raw);
            return Err(refused(format!(
                "{name} has {size} bytes and clusters for less; run `fsck.fat` on it first"
            )));
        }
        chain.truncate(needed);
        Ok(if chain.is_empty() {
            FatTarget::Nothing
        } else {
            FatTarget::File(chain)
        })
    }
}

/// The bytes of a directory; without a chain it is the root of FAT12 and FAT16.
pub fn contents(old: &mut Old<'_>, geometry: &FatGeometry, chain: &[u32]) -> Result<Vec<u8>> {
    if chain.is_empty() {
        return old.read(geometry.root_at(), geometry.root_entries * 32);
    }
    let bytes = (chain.len() as u64).saturating_mul(geometry.cluster);
    if bytes > MOST_DIRECTORY {
        return Err(refused(format!(
            "a directory of {bytes} bytes is longer than one can be"
        )));
    }
    let mut all = Vec::new();
    for cluster in chain {
        all.extend(old.read(geometry.cluster_at(*cluster), geometry.cluster)?);
    }
    Ok(all)
}

/// The first cluster of what an entry leads to.
pub fn first(geometry: &FatGeometry, raw: &[u8]) -> u32 {
    let high = match geometry.kind {
        FatKind::Fat32 => u32::from(le16(raw, 20)),
        _ => 0,
    };
    high << 16 | u32::from(le16(raw, 26))
}

/// The short name; what is not printed is `?`.
pub fn name(raw: &[u8]) -> String {
    let text = |part: Option<&[u8]>| {
        let part = part.unwrap_or_default();
        let printed = part.iter().map(|byte| match byte {
            0x20..0x7f => char::from(*byte),
            _ => '?',
        });
        printed.collect::<String>().trim_end().to_owned()
    };
    match (text(raw.get(..8)), text(raw.get(8..11))) {
        (base, end) if end.is_empty() => base,
        (base, end) => format!("{base}.{end}"),
    }
}
