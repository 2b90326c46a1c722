//! A queue of depth one on `pread` and `pwrite`.

use std::fs::File;
use std::io::{self, IoSlice};
use std::os::unix::fs::FileExt;
use std::time::Duration;

use ioalign_device::ATOMIC_WRITE;
use rustix::io::pwritev2;

use super::files::Files;
use super::memory::Buffers;
use super::queued_io::{Completion, QueueOp, QueueSetup, QueuedIo};
use crate::Result;

/// System calls instead of a ring.
pub(crate) struct SyncQueue {
    files: Files,
    buffers: Buffers,
    pushed: Vec<QueuedIo>,
    done: Vec<Completion>,
}

impl SyncQueue {
    pub(super) fn new(setup: &QueueSetup<'_>) -> Result<Self> {
        Ok(Self {
            files: setup.files.clone(),
            buffers: Buffers::new(1, setup.largest_bytes as usize)?,
            pushed: Vec::new(),
            done: Vec::new(),
        })
    }

    pub(super) fn buffer(&mut self, slot: u32) -> &mut [u8] {
        self.buffers.slot(slot)
    }

    pub(super) fn push(&mut self, io: QueuedIo) {
        self.pushed.push(io);
    }

    pub(super) fn enter(&mut self, at_most: Option<Duration>) {
        if let (true, Some(time)) = (self.pushed.is_empty(), at_most) {
            std::thread::sleep(time);
        }
        for io in std::mem::take(&mut self.pushed) {
            let result = self.one(io);
            self.done.push(Completion {
                slot: io.slot,
                result: result.unwrap_or_else(|error| -error.raw_os_error().unwrap_or(libc::EIO)),
            });
        }
    }

    fn one(&mut self, io: QueuedIo) -> io::Result<i32> {
        let gone = || io::Error::from_raw_os_error(libc::EBADF);
        let file: &File = self.files.file(io.file).ok_or_else(gone)?;
        let bytes = self.buffers.slot(io.slot).get_mut(..io.bytes as usize);
        let bytes = bytes.ok_or_else(gone)?;
        let done = match io.op {
            QueueOp::Read => file.read_at(bytes, io.offset)?,
            QueueOp::Write => file.write_at(bytes, io.offset)?,
            QueueOp::AtomicWrite => {
                pwritev2(file, &[IoSlice::new(bytes)], io.offset, ATOMIC_WRITE)?
            }
            QueueOp::Flush => file.sync_data().map(|()| 0)?,
        };
        Ok(i32::try_from(done).unwrap_or(i32::MAX))
    }

    pub(super) fn reap(&mut self, each: impl FnMut(Completion)) {
        self.done.drain(..).for_each(each);
    }
}
