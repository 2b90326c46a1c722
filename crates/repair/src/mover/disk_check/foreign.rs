//! Bytes in tables and superblocks that no step of a move has written.

use std::fmt;

/// Some of them, side by side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForeignBytes {
    /// Where they begin.
    pub at: u64,
    /// How many.
    pub bytes: u64,
    /// What belongs there: "a superblock".
    pub what: &'static str,
}

impl fmt::Display for ForeignBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { at, bytes, what } = self;
        write!(f, "{bytes} bytes at byte {at} ({what})")
    }
}

/// Adds bytes; neighbours become one.
pub(super) fn add(all: &mut Vec<ForeignBytes>, what: &'static str, at: u64, bytes: u64) {
    match all.last_mut() {
        Some(last) if last.what == what && last.at.saturating_add(last.bytes) == at => {
            last.bytes += bytes;
        }
        _ => all.push(ForeignBytes { at, bytes, what }),
    }
}
