//! A queue on `io_uring`.

use std::io;
use std::time::Duration;

use io_uring::types::{Fixed, FsyncFlags, SubmitArgs, Timespec};
use io_uring::{IoUring, opcode, squeue};
use ioalign_device::ATOMIC_WRITE;

use super::door::Door;
use super::memory::Buffers;
use super::queued_io::{Completion, QueueOp, QueueSetup, QueuedIo};
use crate::{Error, Result};

/// A completion that is not an I/O: it wakes a waiting thread, so that a silent device is noticed.
const HEARTBEAT: u64 = u64::MAX;
static SECOND: Timespec = Timespec::new().sec(1);
/// The most that the kernel registers.
const MOST_BUFFERS: u32 = 1 << 14;
const SQPOLL_IDLE_MS: u32 = 1000;

/// A ring with its buffers.
pub(crate) struct Ring {
    ring: IoUring,
    /// `None`: a thread of the kernel may be asleep, which the library looks after.
    door: Option<Door>,
    buffers: Buffers,
    pushed: Vec<squeue::Entry>,
    depth: u32,
    fixed_buffers: bool,
    polled: bool,
    heartbeat: bool,
    /// I/Os that were handed to the kernel and have not completed.
    in_flight: u32,
}

impl Ring {
    /// Closes a ring with I/O in flight that may never complete. Its buffers are lost; the kernel closes
    /// the files when it can.
    pub(super) fn abandon(mut self) {
        // As if one could never complete.
        self.in_flight = self.in_flight.max(1);
    }

    /// For use by the thread that makes it, and no other.
    pub(super) fn new(setup: &QueueSetup<'_>, notes: &mut Vec<String>) -> Result<Self> {
        let depth = setup.depth;
        let ring = build(setup).map_err(explain)?;
        let buffers = Buffers::new(depth, setup.largest_bytes as usize)?;
        let submitter = ring.submitter();
        submitter
            .register_files(&setup.files.raw())
            .map_err(|error| Error::io("files cannot be registered with io_uring", error))?;
        if setup.options.sqpoll {
            notes
                .push("a thread of the kernel sends: its processor time is not counted".to_owned());
        }
        let fixed_buffers = depth <= MOST_BUFFERS && register(&ring, &buffers, notes);
        Ok(Self {
            door: (!setup.options.sqpoll).then(|| Door::new(&ring)),
            ring,
            buffers,
            pushed: Vec::with_capacity(depth as usize + 1),
            depth,
            fixed_buffers,
            polled: setup.options.iopoll,
            // A ring that polls takes no timers.
            heartbeat: setup.options.iopoll,
            in_flight: 0,
        })
    }

    pub(super) const fn depth(&self) -> u32 {
        self.depth
    }

    pub(super) fn buffer(&mut self, slot: u32) -> &mut [u8] {
        self.buffers.slot(slot)
    }

    #[inline]
    pub(super) fn push(&mut self, io: QueuedIo) {
        let entry = self.entry(io).user_data(io.slot.into());
        self.pushed.push(entry);
    }

    #[inline]
    fn entry(&self, io: QueuedIo) -> squeue::Entry {
        let file = Fixed(io.file);
        // Whatever the caller asks for, the kernel writes no further than the buffer goes.
        let most = u32::try_from(self.buffers.each()).unwrap_or(u32::MAX);
        let bytes = io.bytes.min(most);
        let at = self.buffers.pointer(io.slot);
        #[allow(clippy::cast_possible_truncation)] // slots are registered below 2^14 only
        let slot = io.slot as u16;
        match (io.op, self.fixed_buffers) {
            (QueueOp::Read, true) => opcode::ReadFixed::new(file, at, bytes, slot)
                .offset(io.offset)
                .build(),
            (QueueOp::Write, true) => opcode::WriteFixed::new(file, at, bytes, slot)
                .offset(io.offset)
                .build(),
            (QueueOp::Read, false) => opcode::Read::new(file, at, bytes).offset(io.offset).build(),
            (QueueOp::Write, false) => opcode::Write::new(file, at, bytes)
                .offset(io.offset)
                .build(),
            // The kernel takes no registered buffer for it (`generic_atomic_write_valid`, fs/read_write.c).
            (QueueOp::AtomicWrite, _) => opcode::Write::new(file, at, bytes)
                .offset(io.offset)
                .rw_flags(ATOMIC_WRITE.bits().cast_signed())
                .build(),
            (QueueOp::Flush, _) => opcode::Fsync::new(file).flags(FsyncFlags::DATASYNC).build(),
        }
    }

    pub(super) fn enter(&mut self, want: u32, at_most: Option<Duration>) -> io::Result<()> {
        if !self.heartbeat {
            self.heartbeat = true;
            let timer = opcode::Timeout::new(&raw const SECOND).build();
            self.pushed.push(timer.user_data(HEARTBEAT));
        }
        self.send()?;
        let want = if self.polled { want.min(1) } else { want };
        let entered = match (at_most, &self.door) {
            (None, Some(door)) => {
                // Also what an earlier call has not taken.
                let sent = self.ring.submission().len();
                door.enter(u32::try_from(sent).unwrap_or(u32::MAX), want)
            }
            (None, None) => self.ring.submit_and_wait(want as usize).map(drop),
            (Some(time), _) => {
                let time = Timespec::from(time);
                let until = SubmitArgs::new().timespec(&time);
                let submitter = self.ring.submitter();
                submitter.submit_with_args(want as usize, &until).map(drop)
            }
        };
        match entered {
            Err(error) if is_passing(&error) => Ok(()),
            other => other,
        }
    }

    /// Moves what was pushed into the ring.
    fn send(&mut self) -> io::Result<()> {
        if self.pushed.is_empty() {
            return Ok(());
        }
        // The timer completes as well, and is no I/O: one too many keeps memory, one too few would free it.
        let sent = u32::try_from(self.pushed.len()).unwrap_or(u32::MAX);
        let timers = self
            .pushed
            .iter()
            .filter(|entry| entry.get_user_data() == HEARTBEAT);
        let timers = u32::try_from(timers.count()).unwrap_or(0);
        self.in_flight = self.in_flight.saturating_add(sent.saturating_sub(timers));
        let mut queue = self.ring.submission();
        // SAFETY: buffers stay in place as long as the ring lives, and longer where I/O is in flight then, each
        // entry names a file that is registered and no more bytes than its buffer has, and nothing reads or
        // writes a slot between its push and its completion.
        let pushed = unsafe { queue.push_multiple(&self.pushed) };
        drop(queue);
        self.pushed.clear();
        pushed.map_err(io::Error::other)
    }

    #[inline]
    pub(super) fn reap(&mut self, most: u32, mut each: impl FnMut(Completion)) {
        for entry in self.ring.completion().take(most as usize) {
            if entry.user_data() == HEARTBEAT {
                self.heartbeat = false;
                continue;
            }
            self.in_flight = self.in_flight.saturating_sub(1);
            #[allow(clippy::cast_possible_truncation)] // slots came from 32 bits
            let slot = entry.user_data() as u32;
            each(Completion {
                slot,
                result: entry.result(),
            });
        }
    }
}

impl Drop for Ring {
    /// Gives files and buffers back at once: the kernel closes a ring at its leisure, and until then a
    /// device would be busy and a file system could not be unmounted.
    fn drop(&mut self) {
        if let Some(door) = &mut self.door {
            door.close();
        }
        if self.in_flight > 0 {
            // The kernel may still write into them: after a panic between a push and its completion, too.
            self.buffers.lose();
            return;
        }
        let submitter = self.ring.submitter();
        submitter.unregister_files().ok();
        if self.fixed_buffers {
            submitter.unregister_buffers().ok();
        }
    }
}

/// The best ring that this kernel makes.
fn build(setup: &QueueSetup<'_>) -> io::Result<IoUring> {
    // One more for the heartbeat.
    let entries = (setup.depth + 1).next_power_of_two();
    let builder = |level: u32| {
        let mut builder = IoUring::builder();
        builder.dontfork();
        if setup.options.iopoll {
            builder.setup_iopoll();
        }
        if setup.options.sqpoll {
            builder.setup_sqpoll(SQPOLL_IDLE_MS);
        }
        // Linux 6.0.
        if level >= 1 {
            builder.setup_single_issuer();
        }
        // Linux 6.1, and not together with a thread of the kernel.
        if level >= 1 && !setup.options.sqpoll {
            builder.setup_defer_taskrun();
        }
        // Linux 6.6.
        if level >= 2 {
            builder.setup_no_sqarray();
        }
        builder.build(entries)
    };
    let unknown = |error: &io::Error| error.raw_os_error() == Some(libc::EINVAL);
    match builder(2) {
        Err(error) if unknown(&error) => match builder(1) {
            Err(error) if unknown(&error) => builder(0),
            other => other,
        },
        other => other,
    }
}

fn register(ring: &IoUring, buffers: &Buffers, notes: &mut Vec<String>) -> bool {
    // SAFETY: the buffers live as long as the ring, in the same value, and are dropped after it.
    match unsafe { ring.submitter().register_buffers(&buffers.vectors()) } {
        Ok(()) => true,
        Err(error) => {
            notes.push(format!(
                "buffers cannot be registered ({error}), which costs some processor time: raise `ulimit -l`"
            ));
            false
        }
    }
}

fn explain(error: io::Error) -> Error {
    match error.raw_os_error() {
        Some(libc::EPERM | libc::EACCES | libc::ENOSYS) => {
            Error::unsupported("io_uring is not allowed here", error)
        }
        _ => Error::io("io_uring cannot be set up", error),
    }
}

/// Whether waiting ended for a reason that is no failure.
fn is_passing(error: &io::Error) -> bool {
    let code = error.raw_os_error();
    matches!(
        code,
        Some(libc::EINTR | libc::ETIME | libc::EAGAIN | libc::EBUSY)
    )
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use ioalign_device::{Target, TargetRequest};

    use super::super::files::Files;
    use super::super::options::EngineOptions;
    use super::*;

    const BYTES: u32 = 8192;

    /// A ring over a file of 64 KiB with a read of `bytes` in it; `None` where rings are forbidden.
    fn reading(bytes: u32) -> Option<(tempfile::TempDir, Ring)> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        std::fs::write(&path, vec![7; 1 << 16]).unwrap();
        let target = Target::open(&path, &TargetRequest::default()).unwrap();
        let files = Files::new(&[Arc::new(target)]);
        let setup = QueueSetup {
            files: &files,
            depth: 2,
            largest_bytes: BYTES,
            options: &EngineOptions::default(),
        };
        let mut ring = match Ring::new(&setup, &mut Vec::new()) {
            Ok(ring) => ring,
            Err(error) => {
                assert!(error.to_string().contains("not allowed"), "{error}");
                return None;
            }
        };
        ring.push(QueuedIo {
            slot: 0,
            op: QueueOp::Read,
            file: 0,
            offset: 0,
            bytes,
        });
        Some((folder, ring))
    }

    /// Whether the address is still mapped.
    fn is_mapped(at: usize) -> bool {
        let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
        maps.lines().any(|line| {
            let (from, rest) = line.split_once('-').unwrap();
            let to = rest.split(' ').next().unwrap();
            let number = |text| usize::from_str_radix(text, 16).unwrap();
            (number(from)..number(to)).contains(&at)
        })
    }

    #[test]
    fn the_kernel_gets_no_more_than_the_buffer_has() {
        let Some((_folder, mut ring)) = reading(BYTES * 2) else {
            return;
        };
        let mut done = Vec::new();
        while done.is_empty() {
            ring.enter(1, None).unwrap();
            ring.reap(2, |one| done.push(one.result));
        }
        assert_eq!(done, [i32::try_from(BYTES).unwrap()]);
        assert_eq!(ring.in_flight, 0);
    }

    #[test]
    fn buffers_outlive_a_ring_with_io_in_flight() {
        let Some((_folder, mut ring)) = reading(BYTES) else {
            return;
        };
        let at = ring.buffers.pointer(0) as usize;
        let unwound = std::panic::catch_unwind(std::panic::AssertUnwindSafe(move || {
            ring.enter(0, None).unwrap();
            // Its completion was not taken, and `abandon` was not called.
            assert_eq!(ring.in_flight, 1);
            std::panic::panic_any(());
        }));
        assert!(unwound.is_err() && is_mapped(at));
        let Some((_folder, mut ring)) = reading(BYTES) else {
            return;
        };
        let at = ring.buffers.pointer(0) as usize;
        let mut done = 0;
        while done == 0 {
            ring.enter(1, None).unwrap();
            ring.reap(2, |_| done += 1);
        }
        drop(ring);
        assert!(!is_mapped(at), "and go when all is done");
    }
}
