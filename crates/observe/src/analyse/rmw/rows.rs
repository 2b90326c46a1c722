//! Many I/Os at once: reads are stored and writes looked up without a branch on what each is, which is
//! anybody's guess.

use super::{Rmw, SMALL, Seen, place};
use crate::analyse::device::TOGETHER;
use crate::analyse::wide::{Rows, equal};
use crate::record::Op;

/// Places of a table that many rows are counted in at once.
const PLACES: usize = 1024;
/// The place behind them, which nothing is looked up in.
const BEHIND: u16 = 1024;

/// What the rows do to the table; only as many are true as there are rows.
pub struct Steps {
    first: [u64; TOGETHER],
    /// The last cell of a write; of a read the second one that it stores, or the first again.
    other: [u64; TOGETHER],
    /// Where these two are.
    first_at: [u16; TOGETHER],
    other_at: [u16; TOGETHER],
    /// Reads before this are too old.
    since: [i64; TOGETHER],
    /// Where they are stored: behind the table for what is no small read.
    first_to: [u16; TOGETHER],
    other_to: [u16; TOGETHER],
    /// What was there before.
    first_seen: [Seen; TOGETHER],
    other_seen: [Seen; TOGETHER],
    /// Cells of a small read past the first two.
    more: [u8; TOGETHER],
    /// 1 for a write whose first cell is asked for, and for one whose last cell is.
    asks_first: [u8; TOGETHER],
    asks_other: [u8; TOGETHER],
    /// 1 for a write that covers a cell in part.
    part: [u8; TOGETHER],
}

impl Rmw {
    /// Counts rows that have some length.
    #[inline(always)]
    pub fn add_rows(&mut self, rows: &Rows, steps: &mut Steps) {
        let power = self.cells.shift().filter(|_| self.places == PLACES);
        let Some(power) = power else {
            return self.add_each(rows);
        };
        steps.fill(rows, power, self.within);
        let partial = rows.flags(&steps.part);
        let table = self
            .table
            .as_deref_mut()
            .and_then(<[Seen]>::first_chunk_mut);
        if let Some(table) = table {
            steps.take(rows, table);
            let (all, part) = steps.found(rows);
            self.partial += partial;
            self.whole += equal(&rows.op, Op::Write as u8) - partial;
            self.partial_after += part;
            self.whole_after += all - part;
        } else if partial > 0 {
            self.add_each(rows);
        }
    }

    #[inline(never)]
    fn add_each(&mut self, rows: &Rows) {
        (0..rows.count()).for_each(|row| self.add(&rows.io(row)));
    }
}

impl Steps {
    /// Of no rows.
    pub const fn new() -> Self {
        Self {
            first: [0; TOGETHER],
            other: [0; TOGETHER],
            first_at: [0; TOGETHER],
            other_at: [0; TOGETHER],
            since: [0; TOGETHER],
            first_to: [0; TOGETHER],
            other_to: [0; TOGETHER],
            first_seen: [Seen::NEVER; TOGETHER],
            other_seen: [Seen::NEVER; TOGETHER],
            more: [0; TOGETHER],
            asks_first: [0; TOGETHER],
            asks_other: [0; TOGETHER],
            part: [0; TOGETHER],
        }
    }

    /// For cells of 2^`shift` bytes, after an `ahead` that is added to starts.
    #[inline(always)]
    fn fill(&mut self, rows: &Rows, (shift, ahead): (u32, u64), within: u64) {
        let mask = (1 << shift) - 1;
        for row in 0..rows.count() {
            let row = row % TOGETHER;
            let start = rows.start[row].wrapping_add(ahead);
            let end = start.wrapping_add(u64::from(rows.len[row]) - 1);
            let (first, last) = (start >> shift, end >> shift);
            let reach = last - first;
            let writes = rows.op[row] == Op::Write as u8;
            let stores = (rows.op[row] == Op::Read as u8) & (reach < SMALL);
            let other = if writes { last } else { first + reach.min(1) };
            (self.first[row], self.other[row]) = (first, other);
            let (first_at, other_at) = (at(first), at(other));
            (self.first_at[row], self.other_at[row]) = (first_at, other_at);
            self.first_to[row] = if stores { first_at } else { BEHIND };
            self.other_to[row] = if stores { other_at } else { BEHIND };
            // Two at most.
            #[allow(clippy::cast_possible_truncation)]
            let more = reach.saturating_sub(1) as u8;
            self.more[row] = if stores { more } else { 0 };
            let (head, tail) = (start & mask != 0, end & mask != mask);
            let whole = !(head | tail);
            self.asks_first[row] = u8::from(writes & (head | whole));
            self.asks_other[row] = u8::from(writes & (tail | whole));
            self.part[row] = u8::from(writes & !whole);
        }
        for (since, time) in self.since.iter_mut().zip(rows.of(&rows.time)) {
            *since = time.saturating_sub_unsigned(within);
        }
    }

    /// Goes through the rows in their order: what was in the places of each, then what it stores there.
    #[inline(always)]
    fn take(&mut self, rows: &Rows, table: &mut [Seen; PLACES + 1]) {
        for row in 0..rows.count() {
            let row = row % TOGETHER;
            let [first, other] = [self.first_at[row], self.other_at[row]];
            self.first_seen[row] = table[usize::from(first) % PLACES];
            self.other_seen[row] = table[usize::from(other) % PLACES];
            let time = rows.time[row];
            for (to, cell) in [
                (self.first_to[row], self.first[row]),
                (self.other_to[row], self.other[row]),
            ] {
                if let Some(slot) = table.get_mut(usize::from(to)) {
                    *slot = Seen { cell, time };
                }
            }
            if self.more[row] != 0 {
                // Few are so long that they are small and begin or end within a cell.
                self.store_more(rows, row, table);
            }
        }
    }

    #[inline(never)]
    fn store_more(&self, rows: &Rows, row: usize, table: &mut [Seen; PLACES + 1]) {
        let (time, second) = (rows.time[row], self.other[row]);
        for cell in second + 1..=second + u64::from(self.more[row]) {
            table[usize::from(at(cell)) % PLACES] = Seen { cell, time };
        }
    }

    /// How many writes found what they asked for, and how many of them cover a cell in part.
    #[inline(always)]
    fn found(&self, rows: &Rows) -> (u64, u64) {
        let (mut all, mut part) = (0_u16, 0_u16);
        for row in 0..rows.count() {
            let row = row % TOGETHER;
            let (since, until) = (self.since[row], rows.time[row]);
            let is = |seen: &Seen, cell: u64, asked: u8| {
                let recent = (seen.time >= since) & (seen.time <= until);
                u8::from((seen.cell == cell) & recent) & asked
            };
            let first = is(&self.first_seen[row], self.first[row], self.asks_first[row]);
            let other = is(&self.other_seen[row], self.other[row], self.asks_other[row]);
            all += u16::from(first | other);
            part += u16::from((first | other) & self.part[row]);
        }
        (u64::from(all), u64::from(part))
    }
}

/// The place of a cell.
#[inline(always)]
#[allow(clippy::cast_possible_truncation)] // below 1024
fn at(cell: u64) -> u16 {
    place(cell, PLACES) as u16
}
