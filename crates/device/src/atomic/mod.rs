//! Atomic writes: what the kernel says of a file, and what it accepts.

mod prove;

use std::path::Path;

use ioalign_core::Bytes;
use ioalign_core::atomic_write::AtomicFileLimits;
use rustix::fs::{AtFlags, CWD, StatxFlags, statx};

pub(crate) use prove::limits_of;
pub use prove::{ATOMIC_WRITE, prove_atomic_writes, scratch_file_limits};

use crate::{Error, ErrorKind};

/// `STATX_WRITE_ATOMIC` of `linux/stat.h`.
const WRITE_ATOMIC: StatxFlags = StatxFlags::from_bits_retain(0x0001_0000);

/// What `statx` says of atomic writes to a file or block device; all zero where it has none, or the kernel knows no such
/// writes. File systems answer for regular files alone.
pub fn atomic_file_limits(path: &Path) -> AtomicFileLimits {
    statx(CWD, path, AtFlags::empty(), WRITE_ATOMIC)
        .map_or_else(|_| AtomicFileLimits::default(), |found| stated(&found))
}

fn stated(found: &rustix::fs::Statx) -> AtomicFileLimits {
    if found.stx_mask & WRITE_ATOMIC.bits() == 0 {
        return AtomicFileLimits::default();
    }
    AtomicFileLimits {
        unit_min: found.stx_atomic_write_unit_min.into(),
        unit_max: found.stx_atomic_write_unit_max.into(),
        unit_max_opt: found.stx_atomic_write_unit_max_opt.into(),
    }
}

/// Writes of this size are not atomic.
pub fn no_atomic_writes(bytes: u64) -> Error {
    let why = format!("writes of {} are not atomic here", Bytes::new(bytes));
    Error::new(ErrorKind::Unsupported, why)
        .advise("`ioalign check` with --atomic says which layer refuses, and what would change it")
}

/// No write through the page cache is.
pub fn no_buffered_atomic_writes() -> Error {
    let why = "atomic writes go past the page cache: leave --buffered off";
    Error::new(ErrorKind::Unsupported, why)
}
