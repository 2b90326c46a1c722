//! Rows of one device in columns of fixed length, and the classes that they fall into, row by row.

use crate::analyse::device::TOGETHER;
use crate::analyse::flows::{key, place};
use crate::analyse::kinds::kind_of;
use crate::analyse::latency::Histogram;
use crate::analyse::split::log2;
use crate::record::{Batch, Io, NO_LATENCY, Op};

/// Operations with a place: reads, writes and discards.
pub const PLACED: usize = 3;

/// I/Os of one device, in the order of issue.
pub struct Rows {
    count: usize,
    pub time: [i64; TOGETHER],
    pub start: [u64; TOGETHER],
    /// Zero where not known.
    pub latency: [u64; TOGETHER],
    pub len: [u32; TOGETHER],
    pub process: [u32; TOGETHER],
    /// Past the rows: no operation.
    pub op: [u8; TOGETHER],
    /// Whether the latency is known: 0 or 1.
    pub known: [u8; TOGETHER],
}

/// No row: no operation has this number.
pub const NONE: u8 = 255;

impl Rows {
    pub const fn new() -> Self {
        Self {
            count: 0,
            time: [0; TOGETHER],
            start: [0; TOGETHER],
            latency: [0; TOGETHER],
            len: [0; TOGETHER],
            process: [0; TOGETHER],
            op: [NONE; TOGETHER],
            known: [0; TOGETHER],
        }
    }

    /// How many there are.
    #[inline(always)]
    pub const fn count(&self) -> usize {
        self.count
    }

    /// Those that are there, of a column.
    #[inline(always)]
    pub fn of<'a, T>(&self, column: &'a [T; TOGETHER]) -> &'a [T] {
        column.get(..self.count).unwrap_or(column)
    }

    /// How many flags of the rows are 1; the others are 0.
    #[inline(always)]
    pub fn flags(&self, flags: &[u8; TOGETHER]) -> u64 {
        let mut count = 0_u16;
        for flag in self.of(flags) {
            count += u16::from(*flag);
        }
        u64::from(count)
    }

    /// Takes I/Os, at addresses higher by `shift`.
    #[inline(always)]
    pub fn take(&mut self, ios: &Batch<'_>, shift: i64) {
        self.begin(ios.count());
        copy(&mut self.time, ios.time);
        copy(&mut self.len, ios.len);
        copy(&mut self.process, ios.process);
        for (to, op) in self.op.iter_mut().zip(ios.op) {
            *to = *op as u8;
        }
        for (to, from) in self.start.iter_mut().zip(ios.offset) {
            *to = from.wrapping_add_signed(shift);
        }
        let latencies = self.latency.iter_mut().zip(&mut self.known);
        for ((to, known), from) in latencies.zip(ios.latency) {
            *known = u8::from(*from != NO_LATENCY);
            *to = if *from == NO_LATENCY { 0 } else { *from };
        }
    }

    fn begin(&mut self, count: usize) {
        self.count = count.min(TOGETHER);
        for past in self.op.iter_mut().skip(self.count) {
            *past = NONE;
        }
    }

    /// The same, from rows.
    #[inline(always)]
    pub fn take_ios(&mut self, ios: &[Io], shift: i64) {
        self.begin(ios.len());
        let places = self.start.iter_mut().zip(&mut self.len);
        let spans = self
            .time
            .iter_mut()
            .zip(&mut self.latency)
            .zip(&mut self.known);
        let names = self.process.iter_mut().zip(&mut self.op);
        let to = places.zip(spans).zip(names);
        for ((((start, len), ((time, latency), known)), (process, op)), io) in to.zip(ios) {
            (*start, *len) = (io.offset.wrapping_add_signed(shift), io.len);
            (*time, *process, *op) = (io.time, io.process, io.op as u8);
            *known = u8::from(io.latency != NO_LATENCY);
            *latency = if io.latency == NO_LATENCY {
                0
            } else {
                io.latency
            };
        }
    }

    /// One of them.
    pub fn io(&self, row: usize) -> Io {
        let at = row % TOGETHER;
        let known = self.known[at] != 0;
        Io {
            time: self.time[at],
            offset: self.start[at],
            latency: if known { self.latency[at] } else { NO_LATENCY },
            len: self.len[at],
            device: 0,
            process: self.process[at],
            op: *Op::ALL.get(usize::from(self.op[at])).unwrap_or(&Op::Other),
        }
    }

    /// Whether all have a place, below 2^63, some length, and latencies that can be added up: what is counted together.
    #[inline(always)]
    pub fn are_plain(&self) -> bool {
        let mut ops = true;
        for op in self.of(&self.op) {
            ops &= usize::from(*op) < PLACED;
        }
        let mut lens = true;
        for len in self.of(&self.len) {
            lens &= *len > 0;
        }
        let mut high = 0;
        for (start, latency) in self.of(&self.start).iter().zip(&self.latency) {
            high |= start >> 63 | latency >> 55;
        }
        ops && lens && high == 0
    }
}

#[inline(always)]
fn copy<T: Copy>(to: &mut [T; TOGETHER], from: &[T]) {
    let count = from.len().min(TOGETHER);
    if let (Some(to), Some(from)) = (to.get_mut(..count), from.get(..count)) {
        to.copy_from_slice(from);
    }
}

/// What depends on a row alone.
pub struct Classes {
    /// The highest bit in which the first and the last byte differ, with the operation from bit 6 on.
    pub crossed: [u8; TOGETHER],
    /// The kind of start.
    pub kind: [u8; TOGETHER],
    /// The key of the flow, and where it is looked for.
    pub flow: [u64; TOGETHER],
    pub place: [u16; TOGETHER],
    /// Where the latency is counted, with the operation from bit 11 on.
    pub step: [u16; TOGETHER],
    /// The logarithm of the latency.
    pub log: [i32; TOGETHER],
}

/// The class of latencies that are not known: one past the longest.
pub const UNKNOWN: u16 = 2047;
/// Steps of one operation.
pub const STEPS: usize = 2048;

impl Classes {
    pub const fn new() -> Self {
        Self {
            crossed: [NONE; TOGETHER],
            kind: [0; TOGETHER],
            flow: [0; TOGETHER],
            place: [0; TOGETHER],
            step: [0; TOGETHER],
            log: [0; TOGETHER],
        }
    }

    #[inline(always)]
    pub fn fill(&mut self, rows: &Rows) {
        self.crossed = [NONE; TOGETHER];
        let places = rows.of(&rows.start).iter().zip(&rows.len).zip(&rows.op);
        for (to, ((start, len), op)) in self.crossed.iter_mut().zip(places) {
            let last = start + (u64::from(*len) - 1);
            // Below 64.
            #[allow(clippy::cast_possible_truncation)]
            let bit = ((start ^ last) | 1).ilog2() as u8;
            *to = bit | *op << 6;
        }
        for (to, start) in self.kind.iter_mut().zip(rows.of(&rows.start)) {
            // Kinds are fewer than 256.
            #[allow(clippy::cast_possible_truncation)]
            {
                *to = kind_of(*start) as u8;
            }
        }
        self.find_flows(rows);
        let latencies = rows.of(&rows.latency).iter().zip(&rows.known).zip(&rows.op);
        for (to, ((latency, known), op)) in self.step.iter_mut().zip(latencies) {
            // Steps are fewer than 2047.
            #[allow(clippy::cast_possible_truncation)]
            let step = Histogram::step(*latency) as u16;
            *to = if *known != 0 { step } else { UNKNOWN } | u16::from(*op) << 11;
        }
        for (to, latency) in self.log.iter_mut().zip(rows.of(&rows.latency)) {
            *to = log2(*latency);
        }
    }

    #[inline(always)]
    fn find_flows(&mut self, rows: &Rows) {
        let names = rows.of(&rows.process).iter().zip(&rows.len).zip(&rows.op);
        let to = self.flow.iter_mut().zip(&mut self.place);
        for ((flow, at), ((process, len), op)) in to.zip(names) {
            *flow = key(*process, *len);
            // Places are fewer than 2^16.
            #[allow(clippy::cast_possible_truncation)]
            {
                *at = place(*flow, *op) as u16;
            }
        }
    }
}
