//! What one request becomes: I/Os of disks, in groups of reads and the writes that wait for them.

use std::ops::Range;

/// One I/O of one disk, in bytes of its data area.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct DiskIo {
    /// Which disk.
    pub disk: u32,
    /// Whether it writes.
    pub write: bool,
    /// Any disk with a copy will do: `ArrayGeometry` has the others.
    pub any_copy: bool,
    /// Where.
    pub at: u64,
    /// How much.
    pub len: u64,
}

/// I/Os of a request that depend on each other: all reads come before the first write. Groups are independent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepGroup {
    /// Indices of the reads in [`DiskSteps::ios`].
    pub reads: Range<usize>,
    /// Indices of the writes.
    pub writes: Range<usize>,
}

/// All I/Os of one request. It is filled again and again: nothing is allocated for a request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DiskSteps {
    /// The I/Os, group after group.
    pub ios: Vec<DiskIo>,
    /// The groups.
    pub groups: Vec<StepGroup>,
}

impl DiskSteps {
    /// Forgets everything.
    pub fn clear(&mut self) {
        self.ios.clear();
        self.groups.clear();
    }

    /// Adds I/Os as a group: the reads first.
    pub(super) fn group(&mut self, reads: usize, from: usize) {
        let end = self.ios.len();
        if end > from {
            self.groups.push(StepGroup {
                reads: from..from + reads,
                writes: from + reads..end,
            });
        }
    }

    /// Adds an I/O to those behind `from`, joined with the last one if it goes on where that ends.
    pub(super) fn join(&mut self, from: usize, io: DiskIo) {
        let others = self.ios.iter_mut().skip(from);
        let ahead = |one: &&mut DiskIo| {
            (one.disk, one.write, one.any_copy) == (io.disk, io.write, io.any_copy)
                && one.at + one.len == io.at
        };
        match others.rev().find(ahead) {
            Some(one) => one.len += io.len,
            None => self.ios.push(io),
        }
    }
}
