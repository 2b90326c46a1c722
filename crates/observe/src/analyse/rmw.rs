//! Read-modify-write as it shows in a trace: a small read of a cell shortly before a write that covers
//! the cell in part.
//!
//! A table of a few recent reads by cell says; writes of whole cells are the control, because workloads
//! that read before they write anyway (databases) do so for both.

use ioalign_core::profile::ReadBeforeWrite;
use ioalign_core::units::ratio;

use super::cells::GridCells;
use crate::record::{Io, Op};

/// A read of more cells than this is no part of a read-modify-write.
const SMALL: u64 = 4;
/// Writes in part before anything is said.
const FEWEST: u64 = 30;

#[derive(Copy, Clone)]
struct RecentRead {
    cell: u64,
    time: i64,
}

impl RecentRead {
    const NEVER: Self = Self {
        cell: u64::MAX,
        time: i64::MIN,
    };
}

/// The reads and writes of one device on one grid.
pub struct Rmw {
    cells: GridCells,
    within: u64,
    /// Cells remembered: a power of two, 1024 at most.
    places: usize,
    /// Made at the first write that covers a cell in part.
    table: Option<Box<[RecentRead]>>,
    partial: u64,
    partial_after: u64,
    whole: u64,
    whole_after: u64,
}

impl Rmw {
    pub const fn new(cells: GridCells, within: u64, places: usize) -> Self {
        Self {
            cells,
            within,
            places,
            table: None,
            partial: 0,
            partial_after: 0,
            whole: 0,
            whole_after: 0,
        }
    }

    #[inline]
    pub fn add(&mut self, io: &Io) {
        if io.len == 0 {
            return;
        }
        match io.op {
            Op::Read => self.read(io),
            Op::Write => self.write(io),
            _ => {}
        }
    }

    #[inline]
    fn read(&mut self, io: &Io) {
        let Some(table) = &mut self.table else { return };
        let span = self.cells.span(io.offset, u64::from(io.len));
        let reach = span.last - span.first;
        if reach >= SMALL {
            return;
        }
        // Always the same number of steps, the last block several times: the processor could not
        // predict a varying number.
        for ahead in 0..SMALL {
            let cell = span.first + ahead.min(reach);
            if let Some(slot) = table.get_mut(place(cell, self.places)) {
                *slot = RecentRead {
                    cell,
                    time: io.time,
                };
            }
        }
    }

    #[inline]
    fn write(&mut self, io: &Io) {
        let span = self.cells.span(io.offset, u64::from(io.len));
        if !span.head && !span.tail {
            if self.table.is_some() {
                self.whole += 1;
                let after = self.recent(span.first, io.time) || self.recent(span.last, io.time);
                self.whole_after += u64::from(after);
            }
            return;
        }
        if self.table.is_none() {
            self.table = Some(vec![RecentRead::NEVER; self.places].into());
        }
        self.partial += 1;
        let after = (span.head && self.recent(span.first, io.time))
            || (span.tail && self.recent(span.last, io.time));
        self.partial_after += u64::from(after);
    }

    fn recent(&self, cell: u64, time: i64) -> bool {
        let seen = self
            .table
            .as_ref()
            .and_then(|table| table.get(place(cell, self.places)));
        seen.is_some_and(|seen| {
            seen.cell == cell
                && u64::try_from(time.saturating_sub(seen.time)).is_ok_and(|t| t <= self.within)
        })
    }

    /// Its part of the profile; `None` without writes.
    pub fn profile(&self) -> Option<ReadBeforeWrite> {
        if self.partial == 0 {
            return None;
        }
        Some(judged(ReadBeforeWrite {
            within_us: self.within / 1000,
            partial_writes: self.partial,
            partial_after_read: self.partial_after,
            whole_writes: self.whole,
            whole_after_read: self.whole_after,
            seen: false,
        }))
    }
}

/// With the verdict on its counters.
pub fn judged(counted: ReadBeforeWrite) -> ReadBeforeWrite {
    let share = ratio(counted.partial_after_read, counted.partial_writes.max(1));
    let control = ratio(counted.whole_after_read, counted.whole_writes.max(1));
    ReadBeforeWrite {
        seen: counted.partial_writes >= FEWEST && share >= 0.5 && share >= 2.0 * control,
        ..counted
    }
}

#[inline(always)]
fn place(cell: u64, places: usize) -> usize {
    let mixed = cell.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 54;
    // Ten bits.
    #[allow(clippy::cast_possible_truncation)]
    let mixed = mixed as usize;
    mixed & (places - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn io(op: Op, time: i64, offset: u64, len: u32) -> Io {
        Io {
            op,
            time,
            offset,
            len,
            ..Io::default()
        }
    }

    fn run(read_first: bool) -> ReadBeforeWrite {
        let mut rmw = Rmw::new(GridCells::new(4096, 0), 1_000_000, 1024);
        for i in 0..200_i64 {
            let at = i.unsigned_abs() * 40960;
            if read_first {
                rmw.add(&io(Op::Read, i * 10_000_000, at, 4096));
            }
            // 1536 bytes off, as on the disk of a partition that starts so.
            rmw.add(&io(Op::Write, i * 10_000_000 + 500_000, at + 1536, 4096));
            rmw.add(&io(Op::Write, i * 10_000_000 + 600_000, at + 20480, 4096));
        }
        rmw.profile().unwrap()
    }

    #[test]
    fn the_signature_is_seen_where_it_is() {
        let (with, without) = (run(true), run(false));
        assert_eq!((with.partial_writes, with.whole_writes), (200, 200));
        // The first read came before anything was looked for.
        assert_eq!((with.partial_after_read, with.whole_after_read), (199, 0));
        assert!(with.seen && !without.seen);
    }

    /// A database reads whatever it then writes, whole cells too.
    #[test]
    fn reads_before_every_write_are_the_way_of_the_workload() {
        let mut rmw = Rmw::new(GridCells::new(4096, 0), 1_000_000, 1024);
        for i in 0..200_i64 {
            let at = i.unsigned_abs() * 40960;
            for (time, place) in [(0, at + 1536), (2_000_000, at + 20480)] {
                rmw.add(&io(Op::Read, i * 10_000_000 + time, place, 4096));
                rmw.add(&io(Op::Write, i * 10_000_000 + time + 500_000, place, 4096));
            }
        }
        let found = rmw.profile().unwrap();
        assert_eq!(
            (found.partial_after_read, found.whole_after_read),
            (199, 200)
        );
        assert!(!found.seen);
    }

    #[test]
    fn a_read_long_ago_does_not_count() {
        let mut rmw = Rmw::new(GridCells::new(4096, 0), 1000, 64);
        rmw.add(&io(Op::Write, 0, 512, 512));
        rmw.add(&io(Op::Read, 10, 0, 4096));
        rmw.add(&io(Op::Write, 2000, 512, 512));
        assert_eq!(rmw.profile().unwrap().partial_after_read, 0);
    }
}
