//! The disk that will be, written to a new image.

use std::io;
use std::time::Instant;

use super::View;
use crate::mover::{Done, Outcome, Progress, Task, Verify, Watch};
use crate::{Disk, Error, ErrorKind, Result};

const PIECE: u64 = 1 << 20;
/// One piece of so many is read back when samples are enough.
const SAMPLE: u64 = 16;

/// Writes what `view` shows to an empty image of the same length, and reads it back. Zeros are not written.
pub fn copy(
    view: &mut View<'_>,
    image: &mut dyn Disk,
    verify: Verify,
    watch: &mut Watch<'_>,
) -> Result<Done> {
    let mut work = Work {
        total: view.size_bytes(),
        begun: Instant::now(),
        written: 0,
        watch,
    };
    work.each(|at, old, written| {
        view.read_at(at, old).map_err(|error| unread(at, error))?;
        if old.iter().any(|byte| *byte != 0) {
            image.write_at(at, old).map_err(unwritten)?;
            *written += old.len() as u64;
        }
        Ok(())
    })?;
    image.flush().map_err(unwritten)?;
    image.release(0, work.total);
    let written = work.written;
    let mut verified = 0;
    let mut new = vec![0; piece_len()];
    work.each(|at, old, _| {
        if verify == Verify::Sampled && !(at / PIECE).is_multiple_of(SAMPLE) {
            return Ok(());
        }
        let new = new.get_mut(..old.len()).unwrap_or_default();
        view.read_at(at, old).map_err(|error| unread(at, error))?;
        image.read_at(at, new).map_err(|error| unread(at, error))?;
        verified += old.len() as u64;
        if old == new { Ok(()) } else { Err(differs(at)) }
    })?;
    Ok(Done {
        outcome: Outcome::Moved,
        moved_bytes: 0,
        written_bytes: written,
        verified_bytes: verified,
        unreadable: Vec::new(),
    })
}

struct Work<'a, 'b> {
    total: u64,
    begun: Instant,
    written: u64,
    watch: &'a mut Watch<'b>,
}

impl Work<'_, '_> {
    /// Every piece, with a buffer of its length.
    fn each(&mut self, mut one: impl FnMut(u64, &mut [u8], &mut u64) -> Result<()>) -> Result<()> {
        let mut buffer = vec![0; piece_len()];
        let mut at = 0;
        while at < self.total {
            let length = usize::try_from(self.total - at).unwrap_or(usize::MAX);
            let length = length.min(buffer.len());
            let piece = buffer.get_mut(..length).unwrap_or_default();
            one(at, piece, &mut self.written)?;
            at += length as u64;
            self.tell(at)?;
        }
        Ok(())
    }

    fn tell(&mut self, done_bytes: u64) -> Result<()> {
        let progress = Progress {
            task: Task::Moving,
            done_bytes,
            total_bytes: self.total,
            written_bytes: self.written,
            elapsed: self.begun.elapsed(),
            left: None,
        };
        if (self.watch)(&progress).is_break() {
            return Err(Error::new(ErrorKind::Interrupted, "stopped"));
        }
        Ok(())
    }
}

fn piece_len() -> usize {
    usize::try_from(PIECE).unwrap_or(1 << 20)
}

fn unread(at: u64, error: io::Error) -> Error {
    Error::io(format!("byte {at} cannot be read"), error)
}

fn unwritten(error: io::Error) -> Error {
    Error::io("the new image cannot be written", error)
}

fn differs(at: u64) -> Error {
    Error::new(
        ErrorKind::Device,
        format!("what was written at byte {at} is not what is read there"),
    )
}
