//! A fix into a new image: everything is read where it is and written where it goes. The original is
//! not touched, so no journal is needed.

use std::io;
use std::ops::Range;
use std::time::Instant;

use super::Plan;
use crate::mover::{Done, Outcome, Progress, Task, Verify, Watch};
use crate::{Disk, Error, ErrorKind, Phase, Result};

const PIECE: u64 = 1 << 20;

/// Where a stretch is read and where it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Stretch {
    from: u64,
    to: u64,
    bytes: u64,
}

/// Writes the disk of a plan to another one, which is empty and of the same size or larger.
pub fn copy(
    source: &mut dyn Disk,
    target: &mut dyn Disk,
    plan: &Plan,
    verify: Verify,
    watch: &mut Watch<'_>,
) -> Result<Done> {
    let stretches = stretches(plan, source.size_bytes());
    let mut work = Work {
        begun: Instant::now(),
        total: stretches.iter().map(|one| one.bytes).sum(),
        done: 0,
        written: 0,
        watch,
    };
    for one in &stretches {
        work.copied(source, target, one)?;
    }
    patch(target, plan)?;
    target.flush().map_err(failed)?;
    let verified = verified(source, target, plan, &stretches, verify)?;
    Ok(Done {
        outcome: Outcome::Moved,
        moved_bytes: plan.job.moved_bytes(),
        written_bytes: work.written,
        verified_bytes: verified,
        unreadable: Vec::new(),
    })
}

fn failed(error: io::Error) -> Error {
    Error::io("the new image cannot be written", error)
}

/// The moves, and all between that nothing moves over.
fn stretches(plan: &Plan, size: u64) -> Vec<Stretch> {
    let mut taken: Vec<Range<u64>> = plan
        .job
        .moves
        .iter()
        .flat_map(|one| [one.source(), one.destination()])
        .collect();
    taken.sort_by_key(|place| place.start);
    taken.push(size..size);
    let mut all = Vec::new();
    let mut at = 0;
    for place in taken {
        if place.start > at {
            all.push(Stretch {
                from: at,
                to: at,
                bytes: place.start - at,
            });
        }
        at = at.max(place.end);
    }
    let moves = plan.job.moves.iter();
    all.extend(moves.map(|one| Stretch {
        from: one.from,
        to: one.to,
        bytes: one.bytes,
    }));
    all
}

struct Work<'a, 'b> {
    begun: Instant,
    total: u64,
    done: u64,
    written: u64,
    watch: &'a mut Watch<'b>,
}

impl Work<'_, '_> {
    fn copied(
        &mut self,
        source: &mut dyn Disk,
        target: &mut dyn Disk,
        one: &Stretch,
    ) -> Result<()> {
        for (offset, length) in pieces(one.bytes) {
            let bytes = read(source, one.from + offset, length)?;
            if bytes.iter().any(|byte| *byte != 0) {
                target.write_at(one.to + offset, &bytes).map_err(failed)?;
                self.written += length as u64;
            }
            self.done += length as u64;
            let progress = self.progress();
            if (self.watch)(&progress).is_break() {
                return Err(Error::new(ErrorKind::Interrupted, "stopped"));
            }
        }
        Ok(())
    }

    fn progress(&self) -> Progress {
        let elapsed = self.begun.elapsed();
        let left = elapsed.as_nanos() * u128::from(self.total - self.done);
        let left = left.checked_div(u128::from(self.done));
        Progress {
            task: Task::Moving,
            done_bytes: self.done,
            total_bytes: self.total,
            written_bytes: self.written,
            elapsed,
            left: left
                .and_then(|left| u64::try_from(left).ok())
                .map(std::time::Duration::from_nanos),
        }
    }
}

fn pieces(bytes: u64) -> impl Iterator<Item = (u64, usize)> {
    (0..bytes.div_ceil(PIECE)).map(move |index| {
        let offset = index * PIECE;
        let length = PIECE.min(bytes - offset);
        (offset, usize::try_from(length).unwrap_or(0))
    })
}

fn read(disk: &mut dyn Disk, at: u64, length: usize) -> Result<Vec<u8>> {
    let mut bytes = vec![0; length];
    disk.read_at(at, &mut bytes)
        .map_err(|error| Error::io(format!("{length} bytes at byte {at} cannot be read"), error))?;
    Ok(bytes)
}

/// What is written beside the data; the new image holds what the patch is for.
fn patch(target: &mut dyn Disk, plan: &Plan) -> Result<()> {
    for phase in [Phase::Contents, Phase::Table] {
        for patch in plan.job.patches(phase) {
            target.write_at(patch.at, &patch.after).map_err(failed)?;
        }
    }
    Ok(())
}

/// Reads both again and compares them, but for what was patched; the bytes that were compared.
fn verified(
    source: &mut dyn Disk,
    target: &mut dyn Disk,
    plan: &Plan,
    stretches: &[Stretch],
    verify: Verify,
) -> Result<u64> {
    let mut verified = 0;
    target.release(0, target.size_bytes());
    for one in stretches {
        for (index, (offset, length)) in pieces(one.bytes).enumerate() {
            if verify == Verify::Sampled && !index.is_multiple_of(16) {
                continue;
            }
            let mut wanted = read(source, one.from + offset, length)?;
            patched(plan, one.to + offset, &mut wanted);
            if read(target, one.to + offset, length)? != wanted {
                let at = one.to + offset;
                return Err(Error::new(
                    ErrorKind::Device,
                    format!("the new image does not hold what was written at byte {at}"),
                )
                .advise("delete it: the original is as it was"));
            }
            verified += length as u64;
        }
    }
    Ok(verified)
}

/// Puts what patches write into bytes that go to `at`.
fn patched(plan: &Plan, at: u64, bytes: &mut [u8]) {
    let end = at + bytes.len() as u64;
    let written = plan
        .job
        .patches
        .iter()
        .filter(|patch| patch.phase != Phase::Covered);
    for patch in written.filter(|patch| patch.at < end && at < patch.place().end) {
        for (place, byte) in (patch.at..).zip(&patch.after) {
            let index = place
                .checked_sub(at)
                .and_then(|at| usize::try_from(at).ok());
            if let Some(into) = index.and_then(|index| bytes.get_mut(index)) {
                *into = *byte;
            }
        }
    }
}
