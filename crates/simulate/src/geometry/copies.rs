//! RAID 0, 1 and 10: elements dealt out, each one on one disk or on several.

use ioalign_core::array::RaidLevel;

use super::{ArrayGeometry, DiskIo, DiskSteps};

impl ArrayGeometry {
    /// Every fragment is a group of its own: nothing waits for anything.
    pub(super) fn copied(&self, at: u64, len: u64, write: bool, out: &mut DiskSteps) {
        let copies = self.copies();
        let many = copies > 1;
        // Of an odd number of disks, neighbouring rows of a disk have their copies in different places.
        let joins =
            self.level != RaidLevel::Raid10 || self.is_far() || self.disks.is_multiple_of(2);
        let first = out.ios.len();
        let (mut at, end) = (at, at + len);
        while at < end {
            let (chunk, within) = (at / self.element, at % self.element);
            let part = (self.element - within).min(end - at);
            if write {
                for copy in 0..copies {
                    let (disk, place) = self.copy_of(chunk, copy);
                    if self.works(disk.into()) {
                        out.join(first, io(disk, true, false, place + within, part));
                    }
                }
            } else if let Some((disk, place)) = self.first_copy(chunk, copies) {
                let from = if joins { first } else { out.ios.len() };
                out.join(from, io(disk, false, many, place + within, part));
            }
            at += part;
        }
        for index in first..out.ios.len() {
            let one = index..index + 1;
            let none = index + 1..index + 1;
            out.groups.push(if write {
                super::StepGroup {
                    reads: index..index,
                    writes: one,
                }
            } else {
                super::StepGroup {
                    reads: one,
                    writes: none,
                }
            });
        }
    }

    /// How many copies of an element there are.
    pub const fn copies(&self) -> u64 {
        match self.level {
            RaidLevel::Raid1 => self.disks,
            RaidLevel::Raid10 => 2,
            _ => 1,
        }
    }

    fn first_copy(&self, chunk: u64, copies: u64) -> Option<(u32, u64)> {
        let mut all = (0..copies).map(|copy| self.copy_of(chunk, copy));
        all.find(|(disk, _)| self.works((*disk).into()))
    }

    /// Disk and start of a copy of an element (`__raid10_find_phys` in the kernel).
    #[inline]
    fn copy_of(&self, chunk: u64, copy: u64) -> (u32, u64) {
        let n = self.disks;
        let (disk, row, half) = match self.level {
            RaidLevel::Raid1 => (copy, chunk, 0),
            RaidLevel::Raid10 if self.is_far() => ((chunk % n + copy) % n, chunk / n, copy),
            RaidLevel::Raid10 => {
                let place = chunk * 2 + copy;
                (place % n, place / n, 0)
            }
            _ => (chunk % n, chunk / n, 0),
        };
        (disk_number(disk), row * self.element + half * self.per_disk)
    }

    /// The other places that a read with [`DiskIo::any_copy`] may go to: disk and address of each copy that
    /// works.
    pub fn each_copy(&self, io: &DiskIo, mut each: impl FnMut(u32, u64)) {
        let (row, within) = (io.at / self.element, io.at % self.element);
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
            if self.works(disk.into()) {
                each(disk, at + within);
            }
        }
    }

    /// The first disk of RAID 10 whose copies are all gone.
    pub(super) fn lost_copy(&self) -> Option<u32> {
        let gone =
            |chunk: &u64| (0..2).all(|copy| !self.works(self.copy_of(*chunk, copy).0.into()));
        (0..self.disks)
            .find(gone)
            .map(|chunk| self.copy_of(chunk, 0).0)
    }
}

const fn io(disk: u32, write: bool, any_copy: bool, at: u64, len: u64) -> DiskIo {
    DiskIo {
        disk,
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
