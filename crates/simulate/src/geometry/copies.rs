//! RAID 0, 1 and 10: elements dealt out, each one on one disk or on several.

use ioalign_core::array::RaidLevel;

use super::{ArrayGeometry, DiskIo, DiskSteps};

impl ArrayGeometry {
    /// All fragments are one group: of reads, or of writes that wait for nothing.
    pub(super) fn copied(&self, at: u64, len: u64, write: bool, out: &mut DiskSteps) {
        let copies = self.copies();
        let many = copies > 1;
        // Of an odd number of disks, neighbouring rows of a disk have their copies in different places.
        let joins =
            self.level != RaidLevel::Raid10 || self.is_far() || self.disks.is_multiple_of(2);
        let first = out.ios.len();
        let (mut at, end) = (at, at + len);
        while at < end {
            let (chunk, within) = self.in_element(at);
            let part = (self.element - within).min(end - at);
            let straight = self.straight(chunk);
            let place = |copy| match straight {
                Some((disk, start)) => (disk + copy, start),
                None => self.copy_of(chunk, copy),
            };
            let all = (0..copies).map(place);
            let mut working = all.filter(|(disk, _)| self.is_whole() || self.works(*disk));
            if write {
                for (disk, start) in working {
                    out.join(first, io(disk, true, false, start + within, part));
                }
            } else if let Some((disk, start)) = working.next() {
                let from = if joins { first } else { out.ios.len() };
                out.join(from, io(disk, false, many, start + within, part));
            }
            at += part;
        }
        let reads = if write { 0 } else { out.ios.len() - first };
        out.group(reads, first);
    }

    /// How many copies of an element there are.
    pub const fn copies(&self) -> u64 {
        match self.level {
            RaidLevel::Raid1 => self.disks,
            RaidLevel::Raid10 => 2,
            _ => 1,
        }
    }

    /// Disk and start of the first copy of an element, where the others are on the next disks at the same place.
    #[inline]
    fn straight(&self, chunk: u64) -> Option<(u64, u64)> {
        let columns = match self.level {
            RaidLevel::Raid0 => self.disks,
            RaidLevel::Raid1 => return Some((0, chunk * self.element)),
            RaidLevel::Raid10 if self.disks.is_multiple_of(2) && !self.is_far() => self.disks / 2,
            _ => return None,
        };
        let (column, row) = (chunk % columns, chunk / columns);
        Some((column * self.copies(), row * self.element))
    }

    /// Disk and start of a copy of an element (`__raid10_find_phys` in the kernel).
    fn copy_of(&self, chunk: u64, copy: u64) -> (u64, u64) {
        if let Some((disk, start)) = self.straight(chunk) {
            return (disk + copy, start);
        }
        let n = self.disks;
        if self.is_far() {
            let start = chunk / n * self.element + copy * self.per_disk;
            return ((chunk % n + copy) % n, start);
        }
        let place = chunk * 2 + copy;
        (place % n, place / n * self.element)
    }

    /// Whether the copies of everything are on disks 0 and 1, 2 and 3, and so on, at the same place, and all work.
    #[inline]
    pub fn has_pairs(&self) -> bool {
        let near = match self.level {
            RaidLevel::Raid1 => self.disks == 2,
            RaidLevel::Raid10 => !self.is_far() && self.disks.is_multiple_of(2),
            _ => false,
        };
        near && self.is_whole()
    }

    /// Whether reads go to the copy whose head is nearest: RAID 10 of md.
    #[inline]
    pub fn balances_by_distance(&self) -> bool {
        self.level == RaidLevel::Raid10 && self.is_md()
    }

    /// The other places that a read with [`DiskIo::any_copy`] may go to: disk and address of each copy that
    /// works.
    pub fn each_copy(&self, io: &DiskIo, mut each: impl FnMut(u32, u64)) {
        let (row, within) = self.in_element(io.at);
        let disk = u64::from(io.disk);
        // Reads are those of the first copy that works.
        let chunk = match self.level {
            RaidLevel::Raid10 if self.is_far() => {
                let rows = self.per_disk / self.element;
                let copy = row / rows;
                (row % rows) * self.disks + (disk + self.disks - copy) % self.disks
            }
            RaidLevel::Raid10 => (row * self.disks + disk) / 2,
            _ => row,
        };
        for copy in 0..self.copies() {
            let (disk, at) = self.copy_of(chunk, copy);
            if self.works(disk) {
                each(disk_number(disk), at + within);
            }
        }
    }

    /// The first disk of RAID 10 whose copies are all gone.
    pub(super) fn lost_copy(&self) -> Option<u32> {
        let gone = |chunk: &u64| (0..2).all(|copy| !self.works(self.copy_of(*chunk, copy).0));
        (0..self.disks)
            .find(gone)
            .map(|chunk| disk_number(self.copy_of(chunk, 0).0))
    }
}

const fn io(disk: u64, write: bool, any_copy: bool, at: u64, len: u64) -> DiskIo {
    DiskIo {
        disk: disk_number(disk),
        write,
        any_copy,
        at,
        len,
    }
}

/// Disks are at most [`super::MOST_DISKS`].
#[allow(clippy::cast_possible_truncation)]
pub(super) const fn disk_number(disk: u64) -> u32 {
    disk as u32
}
