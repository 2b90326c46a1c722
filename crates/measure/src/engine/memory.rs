//! Buffers: pages of their own, so that every alignment that a device asks for holds. Small pages, as those of
//! programs are: huge ones would make one segment of a large I/O, which devices then need not split.

use std::ptr::NonNull;

use rustix::mm::{MapFlags, ProtFlags, mmap_anonymous, munmap};

use crate::{Error, Result};

const PAGE: usize = 4096;

/// One buffer a slot.
#[derive(Debug)]
pub(super) struct Buffers {
    at: NonNull<u8>,
    slots: u32,
    stride: usize,
    each: usize,
    lost: bool,
}

// SAFETY: the mapping belongs to this value alone.
unsafe impl Send for Buffers {}

impl Buffers {
    /// `slots` buffers of `each` bytes.
    pub(super) fn new(slots: u32, each: usize) -> Result<Self> {
        let stride = each.max(1).next_multiple_of(PAGE);
        let slots = slots.max(1);
        let whole = stride.saturating_mul(slots as usize);
        // SAFETY: a new mapping at an address of the kernel's choice touches nothing that exists.
        let mapped = unsafe {
            mmap_anonymous(
                std::ptr::null_mut(),
                whole,
                ProtFlags::READ | ProtFlags::WRITE,
                MapFlags::PRIVATE | MapFlags::POPULATE,
            )
        };
        let mapped = mapped.map_err(|error| {
            Error::io(format!("{whole} bytes of buffers"), error.into())
                .advise("ask for smaller I/Os, a smaller queue depth or fewer workers")
        })?;
        let at = NonNull::new(mapped.cast())
            .ok_or_else(|| Error::io("buffers", std::io::ErrorKind::OutOfMemory.into()))?;
        Ok(Self {
            at,
            slots,
            stride,
            each,
            lost: false,
        })
    }

    /// The address of a buffer; it stays valid and in place as long as this value lives.
    #[inline]
    pub(super) fn pointer(&self, slot: u32) -> *mut u8 {
        debug_assert!(slot < self.slots);
        let at = self.stride * (slot.min(self.slots - 1)) as usize;
        // SAFETY: the slot is below the number of slots, so this lies within the mapping.
        unsafe { self.at.as_ptr().add(at) }
    }

    /// The bytes of a buffer, which must not be in flight.
    pub(super) fn slot(&mut self, slot: u32) -> &mut [u8] {
        // SAFETY: `each` bytes from there lie within the mapping, and `&mut self` is the only way to them.
        unsafe { std::slice::from_raw_parts_mut(self.pointer(slot), self.each) }
    }

    /// Bytes of each.
    pub(super) const fn each(&self) -> usize {
        self.each
    }

    /// Never gives the memory back: the kernel may still write into it.
    pub(super) fn lose(&mut self) {
        self.lost = true;
    }

    /// All buffers as the kernel takes them for registration.
    pub(super) fn vectors(&self) -> Vec<libc::iovec> {
        let vector = |slot| libc::iovec {
            iov_base: self.pointer(slot).cast(),
            iov_len: self.each,
        };
        (0..self.slots).map(vector).collect()
    }
}

impl Drop for Buffers {
    fn drop(&mut self) {
        if self.lost {
            return;
        }
        let whole = self.stride * self.slots as usize;
        // SAFETY: the mapping was made with this length and nobody else unmaps it.
        let _ = unsafe { munmap(self.at.as_ptr().cast(), whole) };
    }
}
