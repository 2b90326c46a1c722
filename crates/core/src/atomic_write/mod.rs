//! Atomic writes: whether a page of a database reaches the medium whole or not at all, so that nothing has to be
//! written twice.
//!
//! Linux writes what is marked `RWF_ATOMIC` in one piece or refuses it. Each layer has a limit; this module composes
//! them as the kernel does and names the one that is too small. Two means are known: the *device* writes in one piece, and
//! every layer above passes that on; or the *file system* writes elsewhere and puts the new place into the file in one
//! transaction (XFS since 6.16), which needs nothing of the device.

mod certify;
mod claims;
mod device;
mod drivers;
mod engine;
mod filesystem;
mod kernel_release;
mod proof;
mod stacking;
mod steps;
mod subject;

use serde::Serialize;

pub use certify::{AtomicQuestion, certify};
pub use kernel_release::KernelRelease;
pub use proof::{AtomicProof, AtomicTry, WriteOutcome, planned_writes};
pub use stacking::{AtomicLeg, stacked};

/// What the queue of a block device says of atomic writes, in bytes (`queue/atomic_write_*_bytes` in sysfs, Linux 6.11).
/// All zero: it has none.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct AtomicLimits {
    /// The smallest atomic write: a power of two.
    pub unit_min: u64,
    /// The largest atomic write: a power of two.
    pub unit_max: u64,
    /// The largest run of atomic writes that are merged.
    pub max: u64,
    /// What an atomic write must not cross; 0: nothing.
    pub boundary: u64,
}

impl AtomicLimits {
    /// Whether a device that begins at this byte of the one with these limits keeps them
    /// (`blk_atomic_write_start_sect_aligned` in include/linux/blkdev.h).
    pub const fn allow_start(&self, start: u64) -> bool {
        let unit = if self.unit_min > self.boundary {
            self.unit_min
        } else {
            self.boundary
        };
        unit == 0 || start.is_multiple_of(unit)
    }

    /// The same limits in the words of a file on it.
    const fn of_file(&self) -> AtomicFileLimits {
        AtomicFileLimits {
            unit_min: self.unit_min,
            unit_max: self.unit_max,
            unit_max_opt: 0,
        }
    }
}

/// What `statx` says of a file or device (`STATX_WRITE_ATOMIC`, Linux 6.11), in bytes. All zero: it has no atomic writes.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct AtomicFileLimits {
    /// The smallest.
    pub unit_min: u64,
    /// The largest.
    pub unit_max: u64,
    /// The largest that the device writes by itself; 0: not said (Linux 6.16).
    pub unit_max_opt: u64,
}

impl AtomicFileLimits {
    /// Whether a page of this size is written in one piece, at multiples of itself.
    pub const fn hold(&self, page: u64) -> bool {
        self.unit_max != 0 && page >= self.unit_min && page <= self.unit_max
    }
}

/// The answer to the question.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum AtomicVerdict {
    /// Each layer says so.
    Guaranteed,
    /// Not known of some layer.
    #[default]
    Unknown,
    /// Some layer does not.
    NotGuaranteed,
}

impl AtomicVerdict {
    /// For people.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Guaranteed => "certified",
            Self::Unknown => "unknown",
            Self::NotGuaranteed => "refused",
        }
    }
}

/// One layer's part.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AtomicLayer {
    /// Its label in the stack; `engine` and `file system` where it has none.
    pub layer: String,
    /// The largest write that it passes on in one piece; 0: none; `None`: not known.
    pub guarantee_bytes: Option<u64>,
    /// Whose word or rule that is.
    pub source: String,
    /// What makes it smaller than what lies below, or than what is asked.
    pub breaks: Option<String>,
}

/// What holds the pages: a file system, a device, a database on one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AtomicSubject {
    /// Its label in the stack.
    pub layer: String,
    /// The page.
    pub unit_bytes: u64,
    /// The answer for it.
    pub predicted: AtomicVerdict,
    /// The label of the layer that decides, unless it is guaranteed.
    pub weakest: Option<String>,
    /// One sentence.
    pub why: String,
    /// Its layers, bottom first.
    pub layers: Vec<AtomicLayer>,
    /// Steps and commands.
    pub r#do: Vec<String>,
}

/// Whether pages are written whole, layer by layer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct AtomicCertificate {
    /// The page that was asked for; `None`: nothing names one.
    pub unit_bytes: Option<u64>,
    /// The worst answer of all subjects.
    pub predicted: AtomicVerdict,
    /// Whether each write that was tried ended as predicted; `None`: none was tried.
    pub proved: Option<bool>,
    /// The layers of all subjects, each once, bottom first.
    pub layers: Vec<AtomicLayer>,
    /// What the pages may lie in, each with its answer.
    pub subjects: Vec<AtomicSubject>,
    /// What vendors promise of such disks. The kernel confirms none of it.
    pub claims: Vec<String>,
    /// The writes that were tried.
    pub proof: Option<AtomicProof>,
}
