//! Writes of each arm between readings of the drive's counters.
//!
//! Each arm writes twice, in the order A B B A: a drive that amplifies more and more, as its free blocks run out, does so
//! to all arms alike.

use std::ops::ControlFlow;

use ioalign_core::comparison::WrittenPart;
use ioalign_core::write_counters::{CountedBytes, UnitCounter, WriteCounters};

use crate::{Error, ErrorKind, Result};

/// What is written without a look at whether to go on.
const CHUNK: u64 = 8 << 20;

/// Arms that write to drives which count, or a model of them.
pub trait CountedArms {
    /// How many arms there are.
    fn arms(&self) -> usize;

    /// Writes at least this many bytes by an arm, and says how many.
    fn write(&mut self, arm: usize, bytes: u64) -> Result<u64>;

    /// Waits until all of it is on the drives.
    fn settle(&mut self) -> Result<()>;

    /// What the drive of an arm has counted by now.
    fn counters(&mut self, arm: usize) -> Result<WriteCounters>;
}

/// Lets each arm write this much, half of it at a time: the halves of each arm in their order. `progress` hears how much
/// all arms have written, and may end it: then there is nothing.
pub fn run(
    subject: &mut dyn CountedArms,
    bytes_per_arm: u64,
    progress: &mut dyn FnMut(u64) -> ControlFlow<()>,
) -> Result<Option<Vec<Vec<WrittenPart>>>> {
    let arms = subject.arms();
    let mut halves = vec![Vec::new(); arms];
    let mut done = 0;
    // What is left of before is not charged to the first arm.
    subject.settle()?;
    for arm in (0..arms).chain((0..arms).rev()) {
        let before = subject.counters(arm)?;
        let mut written = 0;
        while written < bytes_per_arm / 2 {
            written += subject.write(arm, CHUNK.min(bytes_per_arm / 2 - written))?;
            if progress(done + written).is_break() {
                return Ok(None);
            }
        }
        done += written;
        subject.settle()?;
        let part = part(written, &before, &subject.counters(arm)?)?;
        if let Some(of_arm) = halves.get_mut(arm) {
            of_arm.push(part);
        }
    }
    Ok(Some(halves))
}

fn part(written_bytes: u64, before: &WriteCounters, after: &WriteCounters) -> Result<WrittenPart> {
    let host = match (before.host, after.host) {
        (Some(before), Some(after)) => Some(since(before, after)?),
        _ => None,
    };
    Ok(WrittenPart {
        written_bytes,
        host,
        media: since(before.media, after.media)?,
    })
}

fn since(before: UnitCounter, after: UnitCounter) -> Result<CountedBytes> {
    let back = || Error::new(ErrorKind::Device, "a counter of the drive went back");
    after.since(before).ok_or_else(back)
}
