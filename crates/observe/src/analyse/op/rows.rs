//! Many I/Os of one operation at once.

use super::{OpState, add, fits};
use crate::analyse::device::TOGETHER;
use crate::analyse::power_of;
use crate::analyse::wide::{Classes, Rows, Vectors, pick, tally};
use crate::record::Io;

impl OpState {
    /// Counts what flows do not tell of the rows whose operation has the number `op`.
    #[inline(always)]
    pub fn add_rows(
        &mut self,
        vectors: impl Vectors,
        rows: &Rows,
        classes: &Classes,
        (op, ios): (u8, u64),
    ) {
        tally(&classes.crossed, op, |bit, ios| {
            add(&mut self.straddle, bit + 1, -ios.cast_signed());
        });
        let mut mine = [0; TOGETHER];
        for (to, one) in mine.iter_mut().zip(&rows.op) {
            *to = u8::from(*one == op);
        }
        let picked = pick(vectors, &mine);
        self.streams.add_rows(vectors, rows, picked.rows(), ios);
        self.add_latencies(rows, &mine);
        for grid in &mut self.grids {
            grid.add_rows(vectors, rows, classes, &mine);
        }
    }

    /// Their number, sum and maximum.
    #[inline(always)]
    fn add_latencies(&mut self, rows: &Rows, mine: &[u8; TOGETHER]) {
        let (mut sum, mut max) = (0, 0);
        for (latency, mine) in rows.of(&rows.latency).iter().zip(mine) {
            let latency = if *mine != 0 { *latency } else { 0 };
            sum += latency;
            max = max.max(latency);
        }
        let mut known = 0_u32;
        for (one, mine) in rows.of(&rows.known).iter().zip(mine) {
            known += u32::from(one & mine);
        }
        self.latency.add_sum(u64::from(known), sum, max);
    }

    /// Adds counts by step of latencies whose sum is there already.
    pub fn add_steps(&mut self, steps: &[u32]) {
        self.latency.add_steps(steps);
    }

    /// Counts what flows tell of an I/O that they do not know.
    pub fn add_kind(&mut self, io: &Io) {
        let len = u64::from(io.len);
        self.ios += 1;
        self.bytes += len;
        add(&mut self.starts, power_of(io.offset), 1);
        add(&mut self.lengths, power_of(len), 1);
        add(&mut self.straddle, fits(len), 1);
        self.sector(io.offset, len);
        self.sizes.add(io.len, !io.offset.is_multiple_of(4096));
        self.grids.iter_mut().for_each(|grid| grid.add_kind(io));
    }
}
