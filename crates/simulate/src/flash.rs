//! A disk without moving parts: channels, pages, a map in units, a buffer, and room that is collected.

use crate::disk::DiskRequest;

/// Units on channels that work at the same time.
#[derive(Clone, Debug, PartialEq)]
pub struct FlashDisk {
    /// Channels; unit after unit goes to the next one.
    pub channels: u32,
    /// What is read as one piece.
    pub page_bytes: u64,
    /// What is mapped and written as one piece, the indirection unit: whole pages. A part of it is read first.
    pub unit_bytes: u64,
    /// A page read, in nanoseconds.
    pub read_ns: u64,
    /// A page written.
    pub write_ns: u64,
    /// Writes that the disk keeps in a safe buffer; 0: none.
    pub buffer_bytes: u64,
    /// The time until a write is there.
    pub buffer_ns: u64,
    /// Pages written for each page of a random write: what is still valid in a block is moved before it is
    /// erased ([`write_amplification`]).
    pub amplification: f64,
    /// More flash than the disk shows; `None`: nothing is collected.
    pub spare_ratio: Option<f64>,
}

impl FlashDisk {
    /// The disk when this share of what it shows holds data.
    pub fn fill(&mut self, share: f64) {
        let spare = self.spare_ratio;
        self.amplification = spare.map_or(1.0, |spare| write_amplification(spare, share));
    }

    /// Of one unit or a part of it; `head` is the end of the last I/O on its channel.
    // Times are far below 2^53, and not negative.
    #[allow(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss
    )]
    pub(crate) fn time(&self, io: DiskRequest, head: u64) -> u64 {
        let one_page = self.unit_bytes == self.page_bytes;
        if !io.write {
            let pages = match one_page {
                true => 1,
                false => (io.at + io.len).div_ceil(self.page_bytes) - io.at / self.page_bytes,
            };
            return self.read_ns * pages;
        }
        let whole = match one_page {
            true => 1,
            false => self.unit_bytes.div_ceil(self.page_bytes),
        };
        let old = if io.len < self.unit_bytes {
            self.read_ns * whole
        } else {
            0
        };
        let program = self.write_ns * whole;
        // The next unit of this channel: what is written in order becomes invalid in order.
        let next = u64::from(self.channels - 1) * self.unit_bytes + head;
        if io.at == head || io.at == next || self.amplification <= 1.0 {
            return old + program;
        }
        let moved = (self.amplification - 1.0) * (program + self.read_ns * whole) as f64;
        old + program + moved as u64
    }
}

/// Pages written for each page of random writes, all places alike and the oldest block collected first: of
/// `spare` more flash than data, `filled` of which hold data. `α / (α + W(−α·e^−α))` with α the flash over the
/// data and Lambert's W (P. Desnoyers, Analytic models of SSD write performance, ACM ToS 2014).
pub fn write_amplification(spare: f64, filled: f64) -> f64 {
    let alpha = (1.0 + spare) / filled.clamp(0.01, 1.0);
    if alpha <= 1.0 {
        return f64::INFINITY;
    }
    // The root of w·e^w = −α·e^−α between −1 and 0 that is not −α: it is found from 0 by Newton's method.
    let target = -alpha * (-alpha).exp();
    let mut w = target;
    for _ in 0..100 {
        let e = w.exp();
        let slope = e * (w + 1.0);
        if slope.abs() < 1e-12 {
            break;
        }
        w -= (w * e - target) / slope;
    }
    alpha / (alpha + w)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amplification_is_that_of_the_formula() {
        // x = e^(−α(1−x)) gives the share x of valid pages in the oldest block; A = 1/(1−x).
        for (spare, filled) in [(0.07, 1.0), (0.28, 1.0), (0.07, 0.5), (1.0, 1.0)] {
            let found = write_amplification(spare, filled);
            let alpha = (1.0 + spare) / filled;
            let mut x: f64 = 0.5;
            for _ in 0..10_000 {
                x = (-alpha * (1.0 - x)).exp();
            }
            assert!(
                (found - 1.0 / (1.0 - x)).abs() < 1e-6,
                "{spare} {filled}: {found}"
            );
        }
        assert!(write_amplification(0.07, 0.5) < 1.4);
        assert!(write_amplification(0.07, 1.0) > 6.0);
    }

    #[test]
    fn parts_of_a_unit_are_read_first() {
        let flash = FlashDisk {
            channels: 4,
            page_bytes: 4096,
            unit_bytes: 16384,
            read_ns: 50,
            write_ns: 200,
            buffer_bytes: 0,
            buffer_ns: 0,
            amplification: 2.0,
            spare_ratio: None,
        };
        let io = |at, len, write| DiskRequest {
            at,
            len,
            write,
            follows: false,
        };
        assert_eq!(flash.time(io(512, 4096, false), 0), 100, "two pages");
        assert_eq!(flash.time(io(0, 16384, true), 0), 800, "in order");
        assert_eq!(
            flash.time(io(65536, 16384, true), 16384),
            800,
            "the channel's next"
        );
        assert_eq!(flash.time(io(1 << 20, 16384, true), 0), 800 + 800 + 200);
        assert_eq!(
            flash.time(io(1 << 20, 4096, true), 0),
            200 + 800 + 800 + 200
        );
    }
}
