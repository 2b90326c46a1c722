//! Many I/Os at once: where each ended is written down, and each is compared with the last sixteen ends.
//! Those that go on with a stream are few of most I/O; for them it is worked out whether that stream is one
//! of the eight.

use super::{NOWHERE, STREAMS, Streams};
use crate::analyse::device::TOGETHER;
use crate::analyse::wide::{Rows, Vectors, pick};

/// Ends that each start is compared with: those that were gone on from are among them, and no streams any more.
const LOOKED_AT: usize = 16;

/// Starts and ends of one operation: the last row first, and the row `at` at `TOGETHER - 1 - at`.
struct Ends {
    starts: [u64; TOGETHER],
    /// Those before the rows last.
    ends: [u64; TOGETHER + LOOKED_AT],
    count: usize,
}

impl Ends {
    #[inline(always)]
    fn of(streams: &Streams, rows: &Rows, mine: &[u8]) -> Self {
        let mut all = Self {
            starts: [0; TOGETHER],
            ends: [NOWHERE; TOGETHER + LOOKED_AT],
            count: mine.len().min(TOGETHER),
        };
        for age in 0..STREAMS {
            all.ends[TOGETHER + age] = streams.ends[(streams.newest + age) % STREAMS];
        }
        for (at, row) in mine.iter().enumerate() {
            let (row, to) = (usize::from(*row), place_of(at));
            all.starts[to] = rows.start[row];
            all.ends[to] = rows.start[row] + u64::from(rows.len[row]);
        }
        all
    }

    /// 1 for each that begins where one of those before it ended.
    #[inline(always)]
    fn candidates(&self) -> [u8; TOGETHER] {
        let mut found = [0; TOGETHER];
        let rows = found.iter_mut().zip(&self.starts).enumerate();
        for (at, (found, start)) in rows.skip(TOGETHER - self.count) {
            let mut any = false;
            for age in 0..LOOKED_AT {
                any |= *start == self.ends[at + 1 + age];
            }
            *found = u8::from(any);
        }
        found
    }

    /// Which of the ends before one are where it begins: bit 0 is the end just before it.
    #[inline(always)]
    fn same(&self, vectors: impl Vectors, at: usize) -> u64 {
        let ends = self.ends.get(at + 1..).and_then(|ends| ends.first_chunk());
        ends.map_or(0, |ends| vectors.same(ends, self.starts[at % TOGETHER]))
    }
}

/// The ends before a row that are no streams: bit 0 is the one just before it.
struct Gone {
    /// Gone on from, by I/Os at hand.
    used: u64,
    /// The same, and what was before all streams.
    all: u64,
    at: usize,
}

impl Gone {
    /// Goes on to another row.
    #[inline(always)]
    const fn go_to(&mut self, at: usize) {
        let by = at - self.at;
        // Of more than sixteen no one asks.
        let by = if by < 63 { by } else { 63 };
        (self.used, self.all) = (self.used << by, self.all << by);
        self.at = at;
    }

    /// Whether a row goes on from one of the ends where it begins, because it is one of the streams; `None`
    /// where the ends that are looked at are too few to tell for the rows that follow.
    #[inline(always)]
    const fn take(&mut self, same: u64) -> Option<bool> {
        let open = same & !self.all;
        let youngest = open & open.wrapping_neg();
        let younger = !self.all & youngest.wrapping_sub(1);
        if open == 0 || younger.count_ones() as usize >= STREAMS {
            return Some(false);
        }
        self.used |= youngest;
        self.all |= youngest;
        // Of any sixteen that follow each other, eight must be left.
        let near = (self.used << (LOOKED_AT - 1)) >> youngest.trailing_zeros();
        let near = near & ((1 << (2 * LOOKED_AT - 1)) - 1);
        if near.count_ones() as usize > LOOKED_AT - STREAMS {
            return None;
        }
        Some(true)
    }
}

impl Streams {
    /// Counts those rows whose numbers are `mine`, `ios` of them.
    #[inline(always)]
    pub fn add_rows(&mut self, vectors: impl Vectors, rows: &Rows, mine: &[u8], ios: u64) {
        let all = Ends::of(self, rows, mine);
        let candidates = pick(vectors, &all.candidates());
        let mut gone = Gone {
            used: 0,
            all: u64::MAX << STREAMS,
            at: 0,
        };
        let mut sequential = 0;
        for at in candidates.rows().iter().rev() {
            let at = usize::from(*at);
            gone.go_to(place_of(at));
            let Some(goes_on) = gone.take(all.same(vectors, at)) else {
                return self.add_each(rows, mine);
            };
            sequential += u64::from(goes_on);
        }
        gone.go_to(all.count);
        self.ios += ios;
        self.sequential += sequential;
        self.keep(&all, gone.all);
    }

    /// The youngest ends that are still streams.
    #[inline(always)]
    fn keep(&mut self, all: &Ends, gone: u64) {
        let mut left = !gone;
        self.newest = 0;
        for end in &mut self.ends {
            let age = left.trailing_zeros() as usize;
            let end_of = all.ends.get(TOGETHER - all.count + age);
            *end = end_of.copied().unwrap_or(NOWHERE);
            left &= left.wrapping_sub(1);
        }
    }

    #[inline(never)]
    fn add_each(&mut self, rows: &Rows, mine: &[u8]) {
        for row in mine {
            let row = usize::from(*row);
            self.add(rows.start[row], u64::from(rows.len[row]));
        }
    }
}

/// The place of a row, and the number of the row at a place.
#[inline(always)]
const fn place_of(at: usize) -> usize {
    TOGETHER - 1 - at % TOGETHER
}
