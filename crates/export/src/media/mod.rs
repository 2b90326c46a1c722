//! What the array holds, and what a loss of power leaves of it.
//!
//! Without a write cache a write is on the disks when it is complete. With one ([`UnflushedFate`]) it is in the cache
//! until the next flush. A write with FUA is in the cache too, in its place among the others, but no loss of
//! power takes it.

mod cache;
mod power;
mod ranges;
mod torn;
mod zeros;

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use cache::WriteCache;
pub use cache::in_memory;
pub use power::{PowerLoss, PowerRules, UnflushedFate, WriteInFlight};
use zeros::punch;

/// Why an I/O failed.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum BlockFault {
    /// The power is off.
    PowerOff,
    /// Past the end of the device.
    PastEnd,
    /// The place where the data are kept is full.
    Full,
    /// The place where the data are kept cannot be read or written.
    Failed,
}

/// The data of the array.
#[derive(Debug)]
pub struct Media {
    bytes: u64,
    /// What a loss of power spares.
    disks: File,
    rules: PowerRules,
    state: RwLock<MediaState>,
}

#[derive(Debug)]
struct MediaState {
    is_on: bool,
    chance: u64,
    cache: Option<WriteCache>,
}

impl Media {
    /// Over a file of this many bytes. Holes in it are zeros.
    pub fn new(disks: File, bytes: u64, rules: PowerRules) -> io::Result<Self> {
        let cache = match rules.unflushed {
            UnflushedFate::Kept => None,
            _ => Some(WriteCache::new()?),
        };
        Ok(Self {
            bytes,
            disks,
            rules,
            state: RwLock::new(MediaState {
                is_on: true,
                chance: rules.seed,
                cache,
            }),
        })
    }

    /// How many bytes there are.
    pub const fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Whether an I/O lies within the device.
    pub fn check(&self, at: u64, len: u64) -> Result<(), BlockFault> {
        let end = at.checked_add(len).filter(|end| *end <= self.bytes);
        end.map(|_| ()).ok_or(BlockFault::PastEnd)
    }

    /// Reads what was written last.
    pub fn read(&self, at: u64, into: &mut [u8]) -> Result<(), BlockFault> {
        self.check(at, into.len() as u64)?;
        let state = self.powered()?;
        match &state.cache {
            None => self.disks.read_exact_at(into, at),
            Some(cache) => cache.read(&self.disks, at, into),
        }
        .map_err(fault)
    }

    /// Writes; `durable`: FUA.
    pub fn write(&self, at: u64, data: &[u8], durable: bool) -> Result<(), BlockFault> {
        self.check(at, data.len() as u64)?;
        if self.rules.unflushed == UnflushedFate::Kept {
            let _on = self.powered()?;
            return self.disks.write_all_at(data, at).map_err(fault);
        }
        let mut state = self.powered_mut()?;
        match &mut state.cache {
            None => self.disks.write_all_at(data, at),
            Some(cache) => cache.write(&self.disks, at, data, durable),
        }
        .map_err(fault)
    }

    /// Makes a range zeros, and gives its place back.
    pub fn zero(&self, at: u64, len: u64, durable: bool) -> Result<(), BlockFault> {
        self.check(at, len)?;
        let mut state = self.powered_mut()?;
        match &mut state.cache {
            None => punch(&self.disks, at, len),
            Some(cache) => cache.zero(&self.disks, at, len, durable),
        }
        .map_err(fault)
    }

    /// From now on everything that is complete survives.
    pub fn flush(&self) -> Result<(), BlockFault> {
        let mut state = self.powered_mut()?;
        match &mut state.cache {
            None => Ok(()),
            Some(cache) => cache.flush(&self.disks).map_err(fault),
        }
    }

    fn powered(&self) -> Result<RwLockReadGuard<'_, MediaState>, BlockFault> {
        let state = self.state.read().unwrap_or_else(PoisonError::into_inner);
        if state.is_on {
            Ok(state)
        } else {
            Err(BlockFault::PowerOff)
        }
    }

    fn state_mut(&self) -> RwLockWriteGuard<'_, MediaState> {
        self.state.write().unwrap_or_else(PoisonError::into_inner)
    }

    fn powered_mut(&self) -> Result<RwLockWriteGuard<'_, MediaState>, BlockFault> {
        let state = self.state_mut();
        if state.is_on {
            Ok(state)
        } else {
            Err(BlockFault::PowerOff)
        }
    }
}

// Passed on as it comes from `map_err`.
#[allow(clippy::needless_pass_by_value)]
fn fault(error: io::Error) -> BlockFault {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => BlockFault::Full,
        _ => BlockFault::Failed,
    }
}

#[cfg(test)]
mod tests;
