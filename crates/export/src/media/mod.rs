//! What the array holds, and what a loss of power leaves of it.
//!
//! Without a write cache a write is on the disks when it is complete. With one ([`UnflushedFate`]) it is in the cache
//! until the next flush. A write with FUA is in the cache too, in its place among the others, but no loss of
//! power takes it.

mod cache;
mod ranges;
mod torn;

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use rustix::fs::{FallocateFlags, fallocate};
use rustix::io::Errno;

use cache::WriteCache;
pub use cache::in_memory;

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

/// What becomes of writes that are complete and not flushed when the power is lost.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum UnflushedFate {
    /// They are on the disks: there is no cache that forgets.
    #[default]
    Kept,
    /// All are lost.
    LostAll,
    /// Each of them is lost, kept or torn, by chance.
    LostSome,
}

/// What a loss of power does.
#[derive(Copy, Clone, Debug, Default)]
pub struct PowerRules {
    /// A write that is cut leaves whole units of this many bytes, at multiples of it; `None`: all of it or nothing.
    pub tear: Option<u64>,
    /// What becomes of writes that are complete and not flushed.
    pub unflushed: UnflushedFate,
    /// Of the chance.
    pub seed: u64,
}

/// What a loss of power took.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct PowerLoss {
    /// Writes in flight.
    pub in_flight: u64,
    /// Those of them that left a part.
    pub torn: u64,
    /// Those of them that left nothing.
    pub undone: u64,
    /// Writes that were complete and not flushed.
    pub unflushed: u64,
    /// Those of them that were lost, all or a part of each.
    pub forgotten: u64,
}

/// A write that was not complete when the power was lost.
#[derive(Debug)]
pub struct WriteInFlight {
    /// Where.
    pub at: u64,
    /// What.
    pub data: Vec<u8>,
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

    /// Switches the power off. `in_flight` is asked once no I/O can get through any more.
    pub fn power_off(
        &self,
        in_flight: impl FnOnce() -> Vec<WriteInFlight>,
    ) -> Result<PowerLoss, BlockFault> {
        let mut state = self.powered_mut()?;
        state.is_on = false;
        let MediaState { chance, cache, .. } = &mut *state;
        let mut loss = PowerLoss::default();
        if let Some(cache) = cache {
            let lost = cache.lose(&self.disks, &self.rules, chance);
            (loss.unflushed, loss.forgotten) = lost.map_err(fault)?;
        }
        for write in in_flight() {
            let len = write.data.len() as u64;
            let left = torn::left_of(chance, write.at, len, self.rules.tear);
            loss.in_flight += 1;
            loss.undone += u64::from(left.is_empty());
            loss.torn += u64::from(torn::is_part(&left, len));
            for piece in left {
                let of = |at: u64| usize::try_from(at - write.at).unwrap_or(usize::MAX);
                let data = write.data.get(of(piece.start)..of(piece.end));
                self.disks
                    .write_all_at(data.unwrap_or_default(), piece.start)
                    .map_err(fault)?;
            }
        }
        Ok(loss)
    }

    /// Switches it on again.
    pub fn power_on(&self) {
        self.state_mut().is_on = true;
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

/// Zeros in a file, as a hole where the file system has holes.
fn punch(file: &File, at: u64, len: u64) -> io::Result<()> {
    let flags = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
    match fallocate(file, flags, at, len) {
        Err(Errno::OPNOTSUPP | Errno::NOSYS) => write_zeros(file, at, len),
        Err(Errno::INVAL) if len == 0 => Ok(()),
        done => done.map_err(io::Error::from),
    }
}

fn write_zeros(file: &File, at: u64, len: u64) -> io::Result<()> {
    static ZEROS: [u8; 1 << 16] = [0; 1 << 16];
    let (mut at, end) = (at, at.saturating_add(len));
    while at < end {
        let part = usize::try_from(end - at).unwrap_or(usize::MAX);
        let part = ZEROS.get(..part).unwrap_or(&ZEROS);
        file.write_all_at(part, at)?;
        at += part.len() as u64;
    }
    Ok(())
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
mod tests {
    use super::*;

    const BYTES: u64 = 1 << 20;

    fn media(tear: Option<u64>, unflushed: UnflushedFate, seed: u64) -> Media {
        let disks = tempfile::tempfile().unwrap();
        disks.set_len(BYTES).unwrap();
        let rules = PowerRules {
            tear,
            unflushed,
            seed,
        };
        Media::new(disks, BYTES, rules).unwrap()
    }

    fn read(media: &Media, at: u64, len: usize) -> Vec<u8> {
        let mut into = vec![0xee; len];
        media.read(at, &mut into).unwrap();
        into
    }

    fn lose(media: &Media, in_flight: Vec<WriteInFlight>) -> PowerLoss {
        let loss = media.power_off(|| in_flight).unwrap();
        assert_eq!(media.read(0, &mut [0; 512]), Err(BlockFault::PowerOff));
        assert_eq!(media.write(0, &[0; 512], true), Err(BlockFault::PowerOff));
        assert_eq!(media.flush(), Err(BlockFault::PowerOff));
        media.power_on();
        loss
    }

    #[test]
    fn without_a_cache_what_is_complete_stays() {
        let media = media(None, UnflushedFate::Kept, 1);
        media.write(4096, &[1; 4096], false).unwrap();
        assert_eq!(lose(&media, Vec::new()), PowerLoss::default());
        assert_eq!(read(&media, 4096, 4096), [1; 4096]);
        media.zero(4096, 512, false).unwrap();
        assert_eq!(read(&media, 4096, 1024), [[0; 512], [1; 512]].concat());
    }

    #[test]
    fn what_was_not_flushed_is_lost() {
        let media = media(None, UnflushedFate::LostAll, 1);
        media.write(0, &[1; 8192], false).unwrap();
        media.flush().unwrap();
        media.write(0, &[2; 4096], false).unwrap();
        media.zero(4096, 4096, false).unwrap();
        assert_eq!(read(&media, 0, 8192), [[2; 4096], [0; 4096]].concat());
        let loss = lose(&media, Vec::new());
        assert_eq!((loss.unflushed, loss.forgotten), (2, 2));
        assert_eq!(read(&media, 0, 8192), [1; 8192]);
    }

    #[test]
    fn a_write_with_fua_survives_in_its_place() {
        let media = media(None, UnflushedFate::LostAll, 1);
        media.write(0, &[1; 4096], false).unwrap();
        media.write(2048, &[2; 4096], true).unwrap();
        media.write(4096, &[3; 4096], false).unwrap();
        assert_eq!(
            read(&media, 0, 8192),
            [[1; 2048], [2; 2048], [3; 2048], [3; 2048]].concat()
        );
        let loss = lose(&media, Vec::new());
        assert_eq!((loss.unflushed, loss.forgotten), (3, 2));
        assert_eq!(
            read(&media, 0, 8192),
            [[0; 2048], [2; 2048], [2; 2048], [0; 2048]].concat()
        );
        // A flush after it does not bring an older write back over it.
        media.write(0, &[4; 512], false).unwrap();
        media.write(0, &[5; 512], true).unwrap();
        media.flush().unwrap();
        assert_eq!(lose(&media, Vec::new()).unflushed, 0);
        assert_eq!(read(&media, 0, 512), [5; 512]);
    }

    #[test]
    fn by_chance_some_are_lost_and_order_stays() {
        let (mut kept, mut lost) = (0, 0);
        for seed in 0..64 {
            let media = media(None, UnflushedFate::LostSome, seed);
            for value in 1..=8 {
                media.write(0, &[value; 512], false).unwrap();
                media
                    .write(u64::from(value) * 512, &[value; 512], false)
                    .unwrap();
            }
            let loss = lose(&media, Vec::new());
            assert_eq!(loss.unflushed, 16);
            let separate: Vec<_> = (1..=8).map(|at| read(&media, at * 512, 1)[0]).collect();
            for (value, found) in (1..).zip(&separate) {
                assert!([0, value].contains(found));
                kept += u64::from(*found == value);
                lost += u64::from(*found == 0);
            }
            let last = read(&media, 0, 512);
            assert!(last.iter().all(|byte| *byte == last[0]) && last[0] <= 8);
        }
        assert!(kept > 150 && lost > 150, "{kept} {lost}");
    }

    #[test]
    fn writes_in_flight_are_torn_at_units() {
        let (mut torn, mut undone) = (0, 0);
        for seed in 0..64 {
            let media = media(Some(512), UnflushedFate::Kept, seed);
            media.write(0, &[1; 8192], false).unwrap();
            let write = WriteInFlight {
                at: 1024,
                data: vec![2; 4096],
            };
            let loss = lose(&media, vec![write]);
            assert_eq!(loss.in_flight, 1);
            let found = read(&media, 0, 8192);
            for (unit, bytes) in found.chunks(512).enumerate() {
                assert!(bytes.iter().all(|byte| *byte == bytes[0]), "unit {unit}");
                assert!(bytes[0] == 1 || (2..10).contains(&unit));
            }
            let new = found.iter().filter(|byte| **byte == 2).count();
            assert_eq!(loss.undone, u64::from(new == 0));
            assert_eq!(loss.torn, u64::from(new > 0 && new < 4096));
            torn += loss.torn;
            undone += loss.undone;
        }
        assert!(torn > 10 && undone > 5, "{torn} {undone}");
    }

    #[test]
    fn nothing_lies_past_the_end() {
        let media = media(None, UnflushedFate::LostAll, 1);
        for (at, len) in [(BYTES, 1), (BYTES - 1, 2), (u64::MAX, 2)] {
            assert_eq!(media.check(at, len), Err(BlockFault::PastEnd));
            assert_eq!(media.zero(at, len, false), Err(BlockFault::PastEnd));
        }
        assert_eq!(
            media.write(BYTES - 1, &[0; 2], false),
            Err(BlockFault::PastEnd)
        );
        assert_eq!(media.check(BYTES, 0), Ok(()));
    }
}
