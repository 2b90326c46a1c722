//! Many I/Os at once: reads are stored and writes looked up without a branch on what each is, which is
//! anybody's guess.

use super::{Rmw, SMALL, Seen, place};
use crate::analyse::device::TOGETHER;
use crate::analyse::wide::{Rows, equal};
use crate::record::Op;

/// What the rows do to the table.
struct Steps {
    first: [u64; TOGETHER],
    /// The last cell of a write; of a read the second one that it stores, or the first again.
    other: [u64; TOGETHER],
    /// Where these two are looked up.
    first_at: [u16; TOGETHER],
    other_at: [u16; TOGETHER],
    /// Where they are stored: past the table for what is no small read.
    first_to: [u16; TOGETHER],
    other_to: [u16; TOGETHER],
    /// 1 for a small read of more than two cells.
    more: [u8; TOGETHER],
    /// 1 for a write whose first cell is asked for, and for one whose last cell is.
    asks_first: [u8; TOGETHER],
    asks_last: [u8; TOGETHER],
    /// 1 for a write that covers a cell in part.
    part: [u8; TOGETHER],
}

impl Rmw {
    /// Counts rows that have some length.
    #[inline(always)]
    pub fn add_rows(&mut self, rows: &Rows) {
        let Some(power) = self.cells.shift() else {
            return self.add_each(rows);
        };
        let mut steps = Steps::new();
        steps.fill(rows, power, self.places);
        let partial = equal(&steps.part, 1);
        if self.table.is_some() {
            self.partial += partial;
            self.whole += equal(&rows.op, Op::Write as u8) - partial;
            self.take(rows, &steps);
        } else if partial > 0 {
            self.add_each(rows);
        }
    }

    #[inline(never)]
    fn add_each(&mut self, rows: &Rows) {
        (0..rows.count()).for_each(|row| self.add(&rows.io(row)));
    }

    #[inline(always)]
    fn take(&mut self, rows: &Rows, steps: &Steps) {
        let (places, within) = (self.places, self.within.min(i64::MAX.cast_unsigned()));
        let Some(table) = self.table.as_deref_mut() else {
            return;
        };
        let (mut after, mut part_after) = (0_u64, 0_u64);
        for row in 0..rows.count() {
            let row = row % TOGETHER;
            let (first, other, time) = (steps.first[row], steps.other[row], rows.time[row]);
            let hit = |cell: u64, at: u16| -> u8 {
                let seen = table.get(usize::from(at));
                let Some(seen) = seen else { return 0 };
                // What is ahead in time is negative, thus past any limit.
                let since = time.saturating_sub(seen.time).cast_unsigned();
                u8::from(seen.cell == cell) & u8::from(since <= within)
            };
            let found = hit(first, steps.first_at[row]) & steps.asks_first[row]
                | hit(other, steps.other_at[row]) & steps.asks_last[row];
            after += u64::from(found);
            part_after += u64::from(found & steps.part[row]);
            store(table, steps.first_to[row], first, time);
            store(table, steps.other_to[row], other, time);
            if steps.more[row] != 0 {
                // Few are so long that they are small and begin or end within a cell.
                let span = self.cells.span(rows.start[row], u64::from(rows.len[row]));
                for cell in first + 2..=span.last {
                    store(table, at(cell, places), cell, time);
                }
            }
        }
        self.partial_after += part_after;
        self.whole_after += after - part_after;
    }
}

impl Steps {
    const fn new() -> Self {
        Self {
            first: [0; TOGETHER],
            other: [0; TOGETHER],
            first_at: [0; TOGETHER],
            other_at: [0; TOGETHER],
            first_to: [0; TOGETHER],
            other_to: [0; TOGETHER],
            more: [0; TOGETHER],
            asks_first: [0; TOGETHER],
            asks_last: [0; TOGETHER],
            part: [0; TOGETHER],
        }
    }

    /// For cells of 2^`shift` bytes, after an `ahead` that is added to starts.
    #[inline(always)]
    fn fill(&mut self, rows: &Rows, (shift, ahead): (u32, u64), places: usize) {
        let within = (1 << shift) - 1;
        for row in 0..rows.count() {
            let row = row % TOGETHER;
            let start = rows.start[row].wrapping_add(ahead);
            let end = start.wrapping_add(u64::from(rows.len[row]) - 1);
            let (first, last) = (start >> shift, end >> shift);
            let reach = last - first;
            let (head, tail) = (start & within != 0, end & within != within);
            let writes = rows.op[row] == Op::Write as u8;
            let stores = rows.op[row] == Op::Read as u8 && reach < SMALL;
            let other = if writes { last } else { first + reach.min(1) };
            self.first[row] = first;
            self.other[row] = other;
            let (first_at, other_at) = (at(first, places), at(other, places));
            self.first_at[row] = first_at;
            self.other_at[row] = other_at;
            // Places are 1024 at most.
            #[allow(clippy::cast_possible_truncation)]
            let past = places as u16;
            self.first_to[row] = if stores { first_at } else { past };
            self.other_to[row] = if stores { other_at } else { past };
            self.more[row] = u8::from(stores & (reach > 1));
            let part = head | tail;
            self.asks_first[row] = u8::from(writes & (head | !part));
            self.asks_last[row] = u8::from(writes & (tail | !part));
            self.part[row] = u8::from(writes & part);
        }
    }
}

/// The place of a cell, below 1024.
#[inline(always)]
#[allow(clippy::cast_possible_truncation)]
fn at(cell: u64, places: usize) -> u16 {
    place(cell, places) as u16
}

#[inline(always)]
fn store(table: &mut [Seen], at: u16, cell: u64, time: i64) {
    if let Some(slot) = table.get_mut(usize::from(at)) {
        *slot = Seen { cell, time };
    }
}
