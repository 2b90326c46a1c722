//! All files written again, one behind the other, in clusters that are multiples of the new sector.

use ioalign_core::on_disk::bytes::{put, u8_at};
use ioalign_core::on_disk::{FAT12_BELOW, FAT16_BELOW};

use super::chains::Chains;
use super::lay;
use super::table::{self, END, FatTable};
use super::tree::{self, Directory, ENTRY, FatEntry, FatTarget};
use super::{ByteSource, FatWish, Old, OverlayPiece, RemadeFat, refused};
use crate::Result;
use crate::content::fat::{FatGeometry, FatKind};

/// Reserved sectors of FAT32: two boot sectors with their counts, at the usual places.
const RESERVED_32: u64 = 8;

/// The file system with everything elsewhere.
pub fn rebuilt(
    old: &mut Old<'_>,
    geometry: &FatGeometry,
    boot: &[u8],
    wish: FatWish,
) -> Result<RemadeFat> {
    let table = FatTable::read(old, geometry)?;
    if table.has_bad() {
        return Err(refused(
            "it has bad clusters, which would be others afterwards",
        ));
    }
    let mut chains = Chains::new(geometry, &table);
    let directories = tree::read(old, geometry, &mut chains)?;
    let lost = table.used().saturating_sub(chains.count());
    let in_root = directories.first().map_or(0, |root| root.entries.len());
    let new = designed(geometry, wish.sector, in_root as u64)?;
    let mut laid = Laid::new(geometry, new);
    laid.directories(&directories)?;
    laid.files(&directories)?;
    laid.entries(&directories);
    let root = laid.firsts.first().copied().unwrap_or(0);
    let geometry = FatGeometry { root, ..new };
    let free = u32::try_from(geometry.clusters()).unwrap_or(u32::MAX) + 2 - laid.next;
    let mut counts = [0; 8];
    put(&mut counts, 0, &free.to_le_bytes());
    put(&mut counts, 4, &laid.next.to_le_bytes());
    let mut pieces = vec![OverlayPiece {
        at: 0,
        from: ByteSource::Bytes(lay::sectors(&geometry, boot, wish, Some(counts))),
    }];
    pieces.extend(laid.tables(u8_at(boot, 21)));
    pieces.append(&mut laid.pieces);
    Ok(RemadeFat {
        geometry,
        pieces,
        kept: false,
        lost,
    })
}

/// Entries that the root directory of a FAT12 or FAT16 usually has room for.
const USUAL_ROOT: u64 = 512;

/// What the new file system looks like: as many clusters as fit, of the old size if that can be.
///
/// A FAT32 with fewer clusters than its specification has becomes a FAT16: firmware goes by their number,
/// and does not read it otherwise.
fn designed(old: &FatGeometry, sector: u64, in_root: u64) -> Result<FatGeometry> {
    let cluster = old.cluster.max(sector).min(sector * 128);
    let mut new = FatGeometry {
        sector,
        cluster,
        reserved: RESERVED_32,
        sectors: old.bytes() / sector,
        active: 0,
        ..*old
    };
    if old.kind == FatKind::Fat32 {
        with_tables(&mut new);
        if new.clusters() >= FAT16_BELOW {
            return sound(new);
        }
        new.root_entries = USUAL_ROOT.max(in_root);
        new.root = 0;
    }
    let per_sector = (sector / 32).max(1);
    new.root_entries = new.root_entries.next_multiple_of(per_sector);
    new.reserved = 1;
    new.kind = FatKind::Fat16;
    with_tables(&mut new);
    sound(new)
}

/// Makes the tables as long as the clusters need. A longer table leaves fewer clusters: the first length
/// that is enough is the one.
fn with_tables(new: &mut FatGeometry) {
    new.fat_sectors = 1;
    loop {
        let clusters = new.clusters();
        if new.kind != FatKind::Fat32 {
            new.kind = FatKind::of(clusters);
        }
        let needed = ((clusters + 2) * new.kind.bits()).div_ceil(8 * new.sector.max(1));
        if needed <= new.fat_sectors {
            return;
        }
        new.fat_sectors = needed;
    }
}

fn sound(new: FatGeometry) -> Result<FatGeometry> {
    let kind_holds = match new.kind {
        FatKind::Fat12 => new.clusters() < FAT12_BELOW,
        FatKind::Fat16 => new.clusters() < FAT16_BELOW && u16::try_from(new.fat_sectors).is_ok(),
        FatKind::Fat32 => true,
    };
    if new.clusters() == 0 || !kind_holds || u16::try_from(new.root_entries).is_err() {
        return Err(refused(format!(
            "no layout with sectors of {} bytes exists for it",
            new.sector
        )));
    }
    Ok(new)
}

/// Clusters given out, one behind the other.
struct Laid<'a> {
    old: &'a FatGeometry,
    new: FatGeometry,
    /// The table of the new file system, as far as it is given out.
    links: Vec<u32>,
    next: u32,
    /// First clusters of the directories; 0: the root that has none.
    firsts: Vec<u32>,
    /// First clusters of the files, in the order in which directories name them.
    file_firsts: Vec<u32>,
    pieces: Vec<OverlayPiece>,
}

impl<'a> Laid<'a> {
    fn new(old: &'a FatGeometry, new: FatGeometry) -> Self {
        Self {
            old,
            new,
            links: vec![0, END],
            next: 2,
            firsts: Vec::new(),
            file_firsts: Vec::new(),
            pieces: Vec::new(),
        }
    }

    /// A chain that is long enough; its first cluster.
    fn chain(&mut self, bytes: u64) -> Result<u32> {
        let count = bytes.div_ceil(self.new.cluster.max(1)).max(1);
        let first = self.next;
        let end = u64::from(first) + count;
        if end > self.new.clusters() + 2 {
            return Err(refused(format!(
                "its files need more than the {} clusters of {} bytes that there would be: free some room in it first",
                self.new.clusters(),
                self.new.cluster
            )));
        }
        self.next = u32::try_from(end).unwrap_or(u32::MAX);
        self.links.extend(first + 1..self.next);
        self.links.push(END);
        Ok(first)
    }

    fn directories(&mut self, directories: &[Directory]) -> Result<()> {
        for (index, directory) in directories.iter().enumerate() {
            let bytes = (directory.entries.len() * ENTRY) as u64;
            let is_fixed = index == 0 && self.new.kind != FatKind::Fat32;
            let first = if is_fixed { 0 } else { self.chain(bytes)? };
            self.firsts.push(first);
        }
        Ok(())
    }

    fn files(&mut self, directories: &[Directory]) -> Result<()> {
        for entry in directories.iter().flat_map(|one| &one.entries) {
            if let FatTarget::File(clusters) = &entry.target {
                let bytes = (clusters.len() as u64).saturating_mul(self.old.cluster);
                let first = self.chain(bytes)?;
                self.file_firsts.push(first);
                self.copy(first, clusters, bytes);
            }
        }
        Ok(())
    }

    /// The data of a file: what lies together is one piece. The rest of its last cluster is zeros.
    fn copy(&mut self, first: u32, clusters: &[u32], bytes: u64) {
        let mut at = self.new.cluster_at(first);
        let end = at + bytes.next_multiple_of(self.new.cluster.max(1));
        for run in clusters.chunk_by(|a, b| a + 1 == *b) {
            let Some(start) = run.first() else { continue };
            let from = self.old.cluster_at(*start);
            let length = (run.len() as u64).saturating_mul(self.old.cluster);
            let from = ByteSource::Old(from..from + length);
            self.pieces.push(OverlayPiece { at, from });
            at += length;
        }
        if at < end {
            let from = ByteSource::Zeros(end - at);
            self.pieces.push(OverlayPiece { at, from });
        }
    }

    /// The directories as bytes: the entries as they were, with other first clusters.
    fn entries(&mut self, directories: &[Directory]) {
        let mut files = self.file_firsts.clone().into_iter();
        for (index, directory) in directories.iter().enumerate() {
            let own = self.firsts.get(index).copied().unwrap_or(0);
            let (at, room) = match own {
                0 => (self.new.root_at(), self.new.root_bytes()),
                own => {
                    let bytes = (directory.entries.len() * ENTRY) as u64;
                    let room = bytes.next_multiple_of(self.new.cluster.max(1));
                    (self.new.cluster_at(own), room.max(self.new.cluster))
                }
            };
            let raw = directory
                .entries
                .iter()
                .flat_map(|entry| self.raw(entry, &mut files));
            let mut raw: Vec<_> = raw.collect();
            raw.resize(usize::try_from(room).unwrap_or(raw.len()), 0);
            self.pieces.push(OverlayPiece {
                at,
                from: ByteSource::Bytes(raw),
            });
        }
    }

    fn raw(&self, entry: &FatEntry, files: &mut impl Iterator<Item = u32>) -> [u8; ENTRY] {
        let mut raw = entry.raw;
        let directory = |index: usize| self.firsts.get(index).copied().unwrap_or(0);
        let first = match &entry.target {
            FatTarget::Nothing if u8_at(&raw, 11) & 0x08 != 0 => return raw,
            FatTarget::Nothing => 0,
            FatTarget::File(_) => files.next().unwrap_or(0),
            FatTarget::Directory(index) => directory(*index),
            // The root is 0 in what names it from below, on FAT32 as well.
            FatTarget::Dots(0) => 0,
            FatTarget::Dots(index) => directory(*index),
        };
        let [a, b, high @ ..] = first.to_le_bytes();
        put(&mut raw, 26, &[a, b]);
        if self.old.kind == FatKind::Fat32 {
            put(&mut raw, 20, &high);
        }
        raw
    }

    fn tables(&mut self, media: u8) -> Vec<OverlayPiece> {
        if let Some(first) = self.links.first_mut() {
            *first = END & !0xff | u32::from(media);
        }
        let length = usize::try_from(self.new.fat_bytes()).unwrap_or(0);
        let bytes = table::encoded(&self.links, self.new.kind, length);
        let piece = |index: u64| OverlayPiece {
            at: self.new.fat_at(index),
            from: ByteSource::Bytes(bytes.clone()),
        };
        (0..self.new.fats).map(piece).collect()
    }
}
