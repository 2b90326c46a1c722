//! Many I/Os at once over time.

use super::{Clock, Extent, Sum};
use crate::analyse::device::TOGETHER;
use crate::analyse::wide::{Rows, Vectors, tally};

/// Rows in time since the origin.
struct Spans {
    /// The arrival before the rows, then theirs.
    starts: [u64; TOGETHER + 1],
    ends: [u64; TOGETHER],
    /// Whether none starts before the one before it.
    ordered: bool,
}

impl Extent {
    #[inline(always)]
    fn of_rows(rows: &Rows) -> Self {
        let (mut first, mut last) = (i64::MAX, i64::MIN);
        for time in rows.of(&rows.time) {
            (first, last) = (first.min(*time), last.max(*time));
        }
        let (mut highest, mut sum) = (0, Sum::default());
        for latency in rows.of(&rows.latency) {
            sum.latency += latency;
            highest = highest.max(*latency);
        }
        for len in rows.of(&rows.len) {
            sum.bytes += u64::from(*len);
        }
        sum.known = rows.flags(&rows.known);
        sum.ios = rows.count() as u64;
        Self {
            first,
            last,
            highest,
            sum,
        }
    }
}

impl Spans {
    #[inline(always)]
    fn of(rows: &Rows, origin: i64, before: u64) -> Self {
        let (mut starts, mut ends) = ([before; TOGETHER + 1], [0; TOGETHER]);
        for (start, time) in starts.iter_mut().skip(1).zip(rows.of(&rows.time)) {
            *start = time.wrapping_sub(origin).cast_unsigned();
        }
        let latencies = starts.iter().skip(1).zip(rows.of(&rows.latency));
        for (end, (start, latency)) in ends.iter_mut().zip(latencies) {
            *end = start + latency;
        }
        let mut ordered = true;
        for (next, start) in starts.iter().skip(1).zip(&starts).take(rows.count()) {
            ordered &= start <= next;
        }
        Self {
            starts,
            ends,
            ordered,
        }
    }

    /// Whether one of the few before each, or of all before the rows, surely ends no earlier than it starts.
    #[inline(always)]
    fn leave_no_gap(&self, rows: &Rows, before: u64) -> bool {
        const FEW: usize = 8;
        let mut ends = [before; FEW + TOGETHER];
        for (to, end) in ends.iter_mut().skip(FEW).zip(&self.ends) {
            *to = *end;
        }
        let mut gap = false;
        for row in 0..rows.count() {
            let row = row % TOGETHER;
            let mut until = before;
            for ahead in 0..FEW {
                until = until.max(ends[row + ahead]);
            }
            gap |= self.starts[row + 1] > until;
        }
        !gap
    }

    #[inline(always)]
    fn starts(&self, rows: &Rows) -> &[u64] {
        self.starts.get(1..=rows.count()).unwrap_or_default()
    }
}

impl Clock {
    /// Counts rows whose latencies can be added up. When the last of them ended.
    #[inline(always)]
    pub fn add_rows(&mut self, vectors: impl Vectors, rows: &Rows) -> i64 {
        let extent = Extent::of_rows(rows);
        let Some(within) = self.within(&extent) else {
            return self.add_each(rows);
        };
        let spans = Spans::of(rows, self.origin, self.last);
        self.add_arrivals(rows, &spans);
        let (end, busy) = self.add_spans(vectors, rows, &spans, (&extent.sum, within));
        let sum = Sum { end, ..extent.sum };
        self.ios += sum.ios;
        self.known += sum.known;
        self.bursts.add_sum(&sum, busy);
        for sampler in &mut self.samplers {
            sampler.add_sum(&sum);
        }
        self.origin.saturating_add_unsigned(end)
    }

    #[inline(never)]
    fn add_each(&mut self, rows: &Rows) -> i64 {
        let mut last = i64::MIN;
        for row in 0..rows.count() {
            let io = rows.io(row);
            self.add(&io);
            last = last.max(io.end());
        }
        last
    }

    #[inline(always)]
    fn add_arrivals(&mut self, rows: &Rows, spans: &Spans) {
        let mut classes = [u8::MAX; TOGETHER];
        let times = spans.starts.iter().skip(1).zip(&spans.starts);
        for (class, (start, before)) in classes.iter_mut().zip(times).take(rows.count()) {
            let since = start.saturating_sub(*before);
            // Below 64.
            #[allow(clippy::cast_possible_truncation)]
            {
                *class = (since << 1 | 1).ilog2() as u8;
            }
        }
        tally(&classes, 0, |class, ios| {
            if let Some(count) = self.arrivals.get_mut(class) {
                *count += ios;
            }
        });
        self.last = spans.starts(rows).last().copied().unwrap_or(self.last);
    }

    /// The last end, and the time with any in flight that is new.
    #[inline(always)]
    fn occupy_all(&mut self, rows: &Rows, spans: &Spans) -> (u64, u64) {
        let mut last = 0;
        for end in rows.of(&spans.ends) {
            last = last.max(*end);
        }
        let before = self.last_end;
        if spans.leave_no_gap(rows, before) {
            self.last_end = before.max(last);
            self.busy += self.last_end - before;
            return (last, self.last_end - before);
        }
        let all = spans.starts(rows).iter().zip(&spans.ends);
        (
            last,
            all.map(|(start, end)| self.occupy(*start, *end)).sum(),
        )
    }

    /// Counts starts and ends. The last end, and the time with any in flight that is new.
    #[inline(always)]
    fn add_spans(
        &mut self,
        vectors: impl Vectors,
        rows: &Rows,
        spans: &Spans,
        (sum, (first, end)): (&Sum, (u64, u64)),
    ) -> (u64, u64) {
        let one_step = self.depth.holds(first, end);
        let (last, busy) = self.occupy_all(rows, spans);
        self.depth.add_ends(
            vectors,
            spans.starts(rows),
            rows.of(&spans.ends),
            spans.ordered,
        );
        if one_step {
            self.depth.add_time(first, sum.latency);
        } else {
            let known = rows
                .known
                .iter()
                .zip(spans.starts(rows).iter().zip(&spans.ends));
            for (_, (start, end)) in known.filter(|(known, _)| **known != 0) {
                self.depth.add_area(*start, *end);
            }
        }
        (last, busy)
    }
}
