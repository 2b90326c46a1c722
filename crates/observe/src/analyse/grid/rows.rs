//! Many I/Os at once on one grid.

use super::GridState;
use crate::analyse::device::TOGETHER;
use crate::analyse::split::class;
use crate::analyse::wide::{Classes, Rows, Vectors, pick};
use crate::record::Io;

impl GridState {
    /// Counts what flows do not tell of those rows that are `mine`.
    #[inline(always)]
    pub fn add_rows(
        &mut self,
        vectors: impl Vectors,
        rows: &Rows,
        classes: &Classes,
        mine: &[u8; TOGETHER],
    ) {
        if self.cells.are_told_by_flows() && self.clean.is_none() {
            self.settle();
            self.add_split(vectors, rows, classes, mine);
        } else {
            let mine = pick(vectors, mine);
            for row in mine.rows() {
                self.add(&rows.io(usize::from(*row)));
            }
        }
    }

    #[inline(always)]
    fn add_split(
        &mut self,
        vectors: impl Vectors,
        rows: &Rows,
        classes: &Classes,
        mine: &[u8; TOGETHER],
    ) {
        let (mut fit, mut across) = ([0; TOGETHER], [0; TOGETHER]);
        let places = rows.of(&rows.start).iter().zip(&rows.len);
        let flags = rows
            .known
            .iter()
            .zip(mine)
            .zip(fit.iter_mut().zip(&mut across));
        for ((start, len), ((known, mine), (fit, across))) in places.zip(flags) {
            let (fits, straddles) = self.cells.straddles(*start, u64::from(*len));
            let counts = known & mine;
            *fit = u8::from(fits) & counts;
            *across = u8::from(straddles) & counts;
        }
        let mut sizes = 0;
        for (len, fit) in rows.of(&rows.len).iter().zip(&fit) {
            sizes |= u64::from(*fit) << class(*len);
        }
        let mut clean = self.clean_max;
        let latencies = rows.of(&rows.latency).iter().zip(&rows.known);
        for ((latency, known), (mine, across)) in latencies.zip(mine.iter().zip(&across)) {
            let is_clean = known & mine & !across != 0;
            clean = clean.max(if is_clean { *latency } else { 0 });
        }
        self.clean_max = clean;
        let slow = pick(vectors, &across);
        for row in slow.rows() {
            self.slow.add(rows.latency[usize::from(*row)]);
        }
        let fit = pick(vectors, &fit);
        let mut fit = fit.rows();
        if self.split.is_none() {
            // Compared from the first one on that straddles.
            let Some(first) = slow.rows().first() else {
                return;
            };
            let before = fit.partition_point(|row| row < first);
            fit = fit.get(before..).unwrap_or_default();
        }
        let split = self.split.get_or_insert_default();
        split.add_rows(rows, classes, (fit, sizes), &across);
    }

    /// Counts what flows tell of an I/O that they do not know.
    pub fn add_kind(&mut self, io: &Io) {
        if self.cells.are_told_by_flows() {
            let crossing = self.crossing(io.offset, u64::from(io.len));
            self.sums.add(&crossing, 1);
        }
    }
}
