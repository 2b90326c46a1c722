//! A queue of I/O: a ring, or system calls one after the other.

use std::io;
use std::time::Duration;

use super::options::Api;
use super::queued_io::{Completion, QueueSetup, QueuedIo};
use super::ring::Ring;
use super::sync::SyncQueue;
use crate::{Error, ErrorKind, Result};

/// A queue.
#[allow(clippy::large_enum_variant)] // there is one a thread, and a pointer more would be in every I/O's way
pub(crate) enum Queue {
    Ring(Ring),
    Plain(SyncQueue),
}

impl Queue {
    /// The queue that was asked for, or the one that is allowed, which `notes` then say.
    pub(crate) fn open(setup: &QueueSetup<'_>, notes: &mut Vec<String>) -> Result<Self> {
        if setup.options.api == Some(Api::Sync) {
            return SyncQueue::new(setup).map(Self::Plain);
        }
        match Ring::new(setup, notes) {
            Ok(ring) => Ok(Self::Ring(ring)),
            Err(error) if is_forbidden(&error) && setup.options.api.is_none() => {
                notes.push(format!(
                    "{error}: I/O is sent by pread and pwrite instead, one at a time a worker"
                ));
                SyncQueue::new(setup).map(Self::Plain)
            }
            Err(error) if is_forbidden(&error) => Err(error.advise(
                "allow it (sysctl kernel.io_uring_disabled=0, the seccomp profile of the container), or leave the choice open",
            )),
            Err(error) => Err(error),
        }
    }

    /// How many I/Os it takes at once.
    pub(crate) const fn depth(&self) -> u32 {
        match self {
            Self::Ring(ring) => ring.depth(),
            Self::Plain(_) => 1,
        }
    }

    /// Which it is.
    pub(crate) const fn api(&self) -> Api {
        match self {
            Self::Ring(_) => Api::Uring,
            Self::Plain(_) => Api::Sync,
        }
    }

    /// The buffer of a slot that is not in flight.
    pub(crate) fn buffer(&mut self, slot: u32) -> &mut [u8] {
        match self {
            Self::Ring(ring) => ring.buffer(slot),
            Self::Plain(plain) => plain.buffer(slot),
        }
    }

    /// Takes an I/O; it is sent by [`Queue::enter`].
    #[inline]
    pub(crate) fn push(&mut self, io: QueuedIo) {
        match self {
            Self::Ring(ring) => ring.push(io),
            Self::Plain(plain) => plain.push(io),
        }
    }

    /// Sends what was pushed and waits until `want` I/Os have completed, the time is over, or about
    /// a second has passed.
    #[inline]
    pub(crate) fn enter(&mut self, want: u32, at_most: Option<Duration>) -> io::Result<()> {
        match self {
            Self::Ring(ring) => ring.enter(want, at_most),
            Self::Plain(plain) => {
                plain.enter(at_most);
                Ok(())
            }
        }
    }

    /// Hands out what completed.
    #[inline]
    pub(crate) fn reap(&mut self, each: impl FnMut(Completion)) {
        self.reap_some(u32::MAX, each);
    }

    /// Returns completions, at most this many; the rest stays for the next call.
    #[inline]
    pub(crate) fn reap_some(&mut self, most: u32, each: impl FnMut(Completion)) {
        match self {
            Self::Ring(ring) => ring.reap(most, each),
            Self::Plain(plain) => plain.reap(each),
        }
    }

    /// Leaves the queue to the kernel: I/O that never completed may still write into its buffers.
    pub(crate) fn abandon(self) {
        if let Self::Ring(ring) = self {
            ring.abandon();
        }
    }
}

fn is_forbidden(error: &Error) -> bool {
    error.kind() == ErrorKind::Unsupported && error.os().is_some()
}
