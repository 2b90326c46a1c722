//! How a ring is entered: by its number in a table of the thread, which spares the kernel a look at the thread's
//! open files at every call.

use std::io;
use std::os::fd::{AsRawFd, RawFd};
use std::ptr;

use io_uring::{EnterFlags, IoUring};

/// `IORING_REGISTER_RING_FDS` and its opposite, since Linux 5.18.
const REGISTER: libc::c_long = 20;
const UNREGISTER: libc::c_long = 21;
/// The kernel chooses a place in the table.
const ANY_PLACE: u32 = u32::MAX;

/// The kernel's `struct io_uring_rsrc_update`.
#[repr(C)]
struct Update {
    offset: u32,
    reserved: u32,
    data: u64,
}

/// The way into a ring, for the thread that made it.
pub(super) struct Door {
    ring: RawFd,
    /// The place in the table of the thread; `None`: the kernel has none, or it is full.
    place: Option<u32>,
}

impl Door {
    pub(super) fn new(ring: &IoUring) -> Self {
        let ring = ring.as_raw_fd();
        let mut update = Update {
            offset: ANY_PLACE,
            reserved: 0,
            data: u64::from(ring.unsigned_abs()),
        };
        let made = change(ring, REGISTER, &mut update);
        Self {
            ring,
            place: made.then_some(update.offset),
        }
    }

    /// Sends this many entries of the queue, and waits for `want` completions.
    #[inline]
    pub(super) fn enter(&self, sent: u32, want: u32) -> io::Result<()> {
        let mut flags = EnterFlags::GETEVENTS;
        if self.place.is_some() {
            flags.insert(EnterFlags::REGISTERED_RING);
        }
        let ring = self.place.map_or_else(|| i64::from(self.ring), i64::from);
        let number = libc::SYS_io_uring_enter;
        let nothing = ptr::null::<libc::sigset_t>();
        // SAFETY: the entries that are sent are sound by the promise of whoever pushed them; no signal mask
        // is given.
        let done =
            unsafe { libc::syscall(number, ring, sent, want, flags.bits(), nothing, 0_usize) };
        if done < 0 {
            Err(io::Error::last_os_error())
        } else {
            Ok(())
        }
    }

    /// Leaves the table, which would keep the ring open as long as the thread lives.
    pub(super) fn close(&mut self) {
        if let Some(offset) = self.place.take() {
            let mut update = Update {
                offset,
                reserved: 0,
                data: 0,
            };
            change(self.ring, UNREGISTER, &mut update);
        }
    }
}

fn change(ring: RawFd, how: libc::c_long, update: &mut Update) -> bool {
    let number = libc::SYS_io_uring_register;
    // SAFETY: one element of the type that the call reads and writes.
    unsafe { libc::syscall(number, ring, how, ptr::from_mut(update), 1) == 1 }
}
