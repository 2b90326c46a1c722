//! Many I/Os at once: reads are stored and writes looked up without a branch on what each is, which is
//! anybody's guess.

use super::{Rmw, SMALL, Seen, place};
use crate::analyse::device::TOGETHER;
use crate::analyse::wide::{Rows, equal};
use crate::record::Op;

/// Places of a table that many rows are counted in at once.
const PLACES: usize = 1024;

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
    /// 1 for a small read.
    stores: [u8; TOGETHER],
    /// Cells of a small read past the first two.
    more: [u8; TOGETHER],
    /// For a write [`FIRST`] if its first cell is asked for, and [`OTHER`] if its last cell is.
    asks: [u8; TOGETHER],
    /// 1 for a write that covers a cell in part.
    part: [u8; TOGETHER],
}

const FIRST: u8 = 1;
const OTHER: u8 = 2;

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
            let found = steps.take(rows, table);
            let (all, part) = steps.asked(&found);
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
            stores: [0; TOGETHER],
            more: [0; TOGETHER],
            asks: [0; TOGETHER],
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
            (self.first_at[row], self.other_at[row]) = (at(first), at(other));
            self.stores[row] = u8::from(stores);
            // Two at most.
            #[allow(clippy::cast_possible_truncation)]
            let more = reach.saturating_sub(1) as u8;
            self.more[row] = if stores { more } else { 0 };
            let (head, tail) = (start & mask != 0, end & mask != mask);
            let whole = !(head | tail);
            let asks = u8::from(head | whole) * FIRST + u8::from(tail | whole) * OTHER;
            self.asks[row] = if writes { asks } else { 0 };
            self.part[row] = u8::from(writes & !whole);
        }
        for (since, time) in self.since.iter_mut().zip(rows.of(&rows.time)) {
            *since = time.saturating_sub_unsigned(within);
        }
    }

    /// Goes through the rows in their order. Which of the two cells of each were read shortly before.
    #[inline(always)]
    fn take(&self, rows: &Rows, table: &mut [Seen; PLACES]) -> [u8; TOGETHER] {
        let mut found = [0; TOGETHER];
        for row in 0..rows.count() {
            let row = row % TOGETHER;
            let (first, other, time) = (self.first[row], self.other[row], rows.time[row]);
            let stores = self.stores[row] != 0;
            let mut see = |cell: u64, at: u16| -> u8 {
                let slot = &mut table[usize::from(at) % PLACES];
                let seen = *slot;
                // What is not stored leaves what was there.
                *slot = Seen {
                    cell: if stores { cell } else { seen.cell },
                    time: if stores { time } else { seen.time },
                };
                let recent = (seen.time >= self.since[row]) & (seen.time <= time);
                u8::from((seen.cell == cell) & recent)
            };
            found[row] =
                see(first, self.first_at[row]) * FIRST | see(other, self.other_at[row]) * OTHER;
            if self.more[row] != 0 {
                // Few are so long that they are small and begin or end within a cell.
                self.store_more(rows, row, table);
            }
        }
        found
    }

    #[inline(never)]
    fn store_more(&self, rows: &Rows, row: usize, table: &mut [Seen; PLACES]) {
        let (time, second) = (rows.time[row], self.other[row]);
        for cell in second + 1..=second + u64::from(self.more[row]) {
            table[usize::from(at(cell)) % PLACES] = Seen { cell, time };
        }
    }

    /// How many writes found what they asked for, and how many of them cover a cell in part.
    #[inline(always)]
    fn asked(&self, found: &[u8; TOGETHER]) -> (u64, u64) {
        let (mut all, mut part) = ([0; TOGETHER], [0; TOGETHER]);
        for row in 0..TOGETHER {
            // Where there is no row, nothing is found.
            all[row] = u8::from(found[row] & self.asks[row] != 0);
            part[row] = all[row] & self.part[row];
        }
        (equal(&all, 1), equal(&part, 1))
    }
}

/// The place of a cell.
#[inline(always)]
#[allow(clippy::cast_possible_truncation)] // below 1024
fn at(cell: u64) -> u16 {
    place(cell, PLACES) as u16
}
