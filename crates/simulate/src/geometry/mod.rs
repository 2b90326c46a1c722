//! Where the bytes of an array lie, and what a request has to read and write: whole numbers, no time.
//!
//! Layouts are those of Linux md (`drivers/md/raid0.c`, `raid10.c`, `raid5.c`): near or far copies, left-symmetric
//! parity. Controllers lay out in the same way; they differ in what a small write costs (`parity`).

mod controller;
mod copies;
mod md;
mod parity;
mod room;
mod steps;

use ioalign_core::array::{Maker, PlannedArray, RaidLevel};

pub use steps::{DiskIo, DiskSteps, StepGroup};

/// More disks than this are a mistake.
pub const MOST_DISKS: u32 = 512;
/// The page in which md works on parity.
pub const PAGE: u64 = 4096;

/// Where RAID 10 has its copies.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum CopyLayout {
    /// Two, on neighbouring disks at the same place.
    #[default]
    Near,
    /// Two, the second in the other half of the next disk.
    Far,
}

/// What a write of less than a stripe does.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum SmallWrite {
    /// That of the two which reads from fewer disks.
    #[default]
    Fewest,
    /// Read-modify-write: old data and old parity are read.
    Modify,
    /// Reconstruct-write: the other data of the stripe are read.
    Reconstruct,
}

/// An array to be laid out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArrayShape {
    /// RaidLevel, disks, element and owner. A level 0 of one disk is a single disk.
    pub array: PlannedArray,
    /// Of RAID 10.
    pub copies: CopyLayout,
    /// Of parity levels.
    pub small_write: SmallWrite,
    /// Bytes of each disk that hold data.
    pub disk_bytes: u64,
    /// Disks that do not work.
    pub failed: Vec<u32>,
}

/// A laid-out array.
#[derive(Clone, Debug)]
pub struct ArrayGeometry {
    shape: ArrayShape,
    level: RaidLevel,
    disks: u64,
    element: u64,
    bearing: u64,
    /// Bytes of each disk that whole elements take, of far copies those of one half.
    per_disk: u64,
    failed: Vec<bool>,
    /// The power of two that an element is; `None`: it is none.
    shift: Option<u32>,
}

impl ArrayGeometry {
    /// Lays out an array, or says why there is none like it.
    pub fn new(shape: ArrayShape) -> Result<Self, String> {
        let array = shape.array;
        let single = is_single(&array);
        let fault = if single { None } else { array.fault() };
        if let Some(fault) = fault {
            return Err(fault);
        }
        if array.disks == 0 || array.disks > MOST_DISKS {
            return Err(format!(
                "an array has 1 to {MOST_DISKS} disks, not {}",
                array.disks
            ));
        }
        let whole = single || array.level == RaidLevel::Raid1;
        let element = if whole {
            shape.disk_bytes / 512 * 512
        } else {
            array.element.get()
        };
        let halves = match (array.level, shape.copies) {
            (RaidLevel::Raid10, CopyLayout::Far) => 2,
            _ => 1,
        };
        let per_disk = (shape.disk_bytes / halves)
            .checked_div(element)
            .unwrap_or(0)
            * element;
        if per_disk == 0 || shape.disk_bytes > 1 << 60 {
            return Err(format!(
                "disks of {} bytes: they hold an element of {element} bytes or more, and less than an exbibyte",
                shape.disk_bytes
            ));
        }
        let bearing = match (array.level, shape.copies) {
            (RaidLevel::Raid10, CopyLayout::Far) => array.disks,
            _ => array.bearing(),
        };
        let out = Self {
            shift: element
                .is_power_of_two()
                .then_some(element.trailing_zeros()),
            level: array.level,
            disks: array.disks.into(),
            element,
            bearing: bearing.into(),
            per_disk,
            failed: failed(&shape)?,
            shape,
        };
        if let Some(disk) = out.lost() {
            return Err(format!("without disk {disk} data are lost"));
        }
        Ok(out)
    }

    /// What was laid out.
    pub const fn shape(&self) -> &ArrayShape {
        &self.shape
    }

    /// How many disks there are.
    pub const fn disks(&self) -> u32 {
        self.shape.array.disks
    }

    /// Bytes on one disk before the next one's turn; of a single disk and a mirror all of it.
    pub const fn element(&self) -> u64 {
        self.element
    }

    /// Elements of data in a stripe.
    pub const fn bearing(&self) -> u64 {
        self.bearing
    }

    /// Whether small writes read first.
    pub const fn has_parity(&self) -> bool {
        self.level.has_parity()
    }

    /// Whether all disks work.
    pub fn is_whole(&self) -> bool {
        self.shape.failed.is_empty()
    }

    /// Whether md owns it.
    pub fn is_md(&self) -> bool {
        self.shape.array.maker == Maker::Md
    }

    /// The bytes that the array offers.
    pub const fn capacity(&self) -> u64 {
        let rows = self.per_disk / self.element;
        match self.level {
            RaidLevel::Raid1 => self.per_disk,
            // Two copies of each element, over all disks.
            RaidLevel::Raid10 if self.bearing == self.disks && !self.is_far() => {
                rows * self.disks / 2 * self.element
            }
            _ => rows * self.bearing * self.element,
        }
    }

    /// The number of the element that a byte is in, and where in it.
    #[inline]
    const fn in_element(&self, at: u64) -> (u64, u64) {
        match self.shift {
            Some(shift) => (at >> shift, at & (self.element - 1)),
            None => (at / self.element, at % self.element),
        }
    }

    const fn is_far(&self) -> bool {
        matches!(self.shape.copies, CopyLayout::Far)
    }

    /// What a request becomes. The caller keeps it within the [`ArrayGeometry::capacity`].
    pub fn steps(&self, at: u64, len: u64, write: bool, out: &mut DiskSteps) {
        out.clear();
        self.add_steps(at, len, write, out);
    }

    /// Adds what a request becomes to the steps of others, with which it is not joined.
    pub fn add_steps(&self, at: u64, len: u64, write: bool, out: &mut DiskSteps) {
        match self.level {
            RaidLevel::Raid0 | RaidLevel::Raid1 | RaidLevel::Raid10 => {
                self.copied(at, len, write, out)
            }
            RaidLevel::Raid5 | RaidLevel::Raid6 if write => self.parity_write(at, len, out),
            RaidLevel::Raid5 | RaidLevel::Raid6 => self.parity_read(at, len, out),
        }
    }

    fn works(&self, disk: u64) -> bool {
        let index = usize::try_from(disk).unwrap_or(usize::MAX);
        !self.failed.get(index).copied().unwrap_or(true)
    }

    /// The first disk whose data no other disk has.
    fn lost(&self) -> Option<u32> {
        let first = *self.shape.failed.first()?;
        let spare = match self.level {
            RaidLevel::Raid0 => 0,
            RaidLevel::Raid1 => self.disks - 1,
            RaidLevel::Raid5 => 1,
            RaidLevel::Raid6 => 2,
            RaidLevel::Raid10 => return self.lost_copy(),
        };
        (self.shape.failed.len() as u64 > spare).then_some(first)
    }
}

fn failed(shape: &ArrayShape) -> Result<Vec<bool>, String> {
    let mut failed = vec![false; usize::try_from(shape.array.disks).unwrap_or(0)];
    for disk in &shape.failed {
        let index = usize::try_from(*disk).unwrap_or(usize::MAX);
        match failed.get_mut(index) {
            Some(one) if !*one => *one = true,
            Some(_) => return Err(format!("disk {disk} is named twice")),
            None => return Err(format!("there is no disk {disk}: they count from 0")),
        }
    }
    Ok(failed)
}

fn is_single(array: &PlannedArray) -> bool {
    array.level == RaidLevel::Raid0 && array.disks == 1
}
