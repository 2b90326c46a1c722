//! How long a disk takes for an I/O.

use ioalign_core::random::split_mix;

pub use crate::flash::FlashDisk;

/// The kinds of disks.
#[derive(Clone, Debug, PartialEq)]
pub enum DiskModel {
    /// The same time for every I/O, one at a time: a disk of a test bench.
    Fixed {
        /// Nanoseconds.
        ns: u64,
    },
    /// A seek and a wait for the platter, both uniformly distributed, and a fixed part.
    Uniform {
        /// The shortest and the longest seek, in nanoseconds.
        seek_ns: (u64, u64),
        /// A revolution.
        revolution_ns: u64,
        /// Added to every I/O.
        fixed_ns: u64,
    },
    /// Heads over a platter.
    Spinning(SpinningDisk),
    /// Flash in channels.
    Flash(FlashDisk),
}

/// A disk with heads. The seek grows with the root of the distance; the platter turns while the head moves.
#[derive(Clone, Debug, PartialEq)]
pub struct SpinningDisk {
    /// A seek to the next track, in nanoseconds.
    pub least_seek_ns: u64,
    /// A seek over all of the disk.
    pub full_seek_ns: u64,
    /// A revolution: 15,000 a minute are 4 ms.
    pub revolution_ns: u64,
    /// Bytes that pass the head in a revolution.
    pub track_bytes: u64,
    /// Added to every I/O: command and bus.
    pub fixed_ns: u64,
    /// I/Os among which the disk takes the one that it reaches first; 1: in the order of arrival.
    pub queue: usize,
    /// Bytes of the disk.
    pub disk_bytes: u64,
}

/// An I/O as a disk sees it.
#[derive(Copy, Clone, Debug)]
pub struct DiskRequest {
    /// Where.
    pub at: u64,
    /// How much.
    pub len: u64,
    /// Whether it writes.
    pub write: bool,
    /// The disk had it when the one before ended: no time has passed between them.
    pub follows: bool,
}

impl DiskModel {
    /// Queues in one disk.
    pub fn channels(&self) -> u32 {
        match self {
            Self::Flash(flash) => flash.channels,
            _ => 1,
        }
    }

    /// The time of an I/O that begins at `now` with the head at `head`.
    #[inline]
    pub fn time(&self, io: DiskRequest, head: u64, now: u64, random: &mut u64) -> u64 {
        match self {
            Self::Fixed { ns } => *ns,
            Self::Uniform {
                seek_ns: (low, high),
                revolution_ns,
                fixed_ns,
            } => {
                let seek = low + split_mix(random) % (high.saturating_sub(*low) + 1);
                seek + split_mix(random) % (revolution_ns + 1) + fixed_ns
            }
            Self::Spinning(disk) => disk.time(io, head, now),
            Self::Flash(flash) => flash.time(io, head),
        }
    }
}

impl SpinningDisk {
    /// Until the first byte is under the head: the seek, then the rest of the revolution. What goes on where the
    /// head is needs none: a read is in the disk's buffer already, and a write that was there in time goes on at
    /// once. A write that came later waits for its sector.
    #[inline]
    pub fn positioning(&self, io: DiskRequest, head: u64, now: u64) -> u64 {
        if io.at == head && (!io.write || io.follows) {
            return 0;
        }
        let seek = self.seek(io.at.abs_diff(head));
        let there = (now + seek) % self.revolution_ns;
        let wait = (self.angle(io.at) + self.revolution_ns - there) % self.revolution_ns;
        seek + wait
    }

    /// When a place passes the head, after the start of a revolution.
    #[inline]
    fn angle(&self, at: u64) -> u64 {
        let part = u128::from(at % self.track_bytes) * u128::from(self.revolution_ns);
        u64::try_from(part / u128::from(self.track_bytes)).unwrap_or(0)
    }

    // Both are far below 2^53, and a time is not negative.
    #[allow(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss
    )]
    fn seek(&self, distance: u64) -> u64 {
        if distance < self.track_bytes {
            return 0;
        }
        let share = (distance as f64 / self.disk_bytes as f64).min(1.0);
        let more = self.full_seek_ns.saturating_sub(self.least_seek_ns) as f64;
        self.least_seek_ns + (more * share.sqrt()) as u64
    }

    fn time(&self, io: DiskRequest, head: u64, now: u64) -> u64 {
        let passes = u128::from(io.len) * u128::from(self.revolution_ns);
        let transfer = u64::try_from(passes / u128::from(self.track_bytes)).unwrap_or(u64::MAX);
        // The command of an I/O that waited was done while the one before was under way.
        if io.at == head && io.follows {
            return transfer;
        }
        let ready = now + self.fixed_ns;
        self.fixed_ns + self.positioning(io, head, ready) + transfer
    }
}
