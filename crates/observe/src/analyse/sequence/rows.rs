//! Many I/Os at once: where each ended is written down, and each is compared with the last sixteen ends.
//! Those that go on with a stream are few of most I/O; for them it is worked out whether that stream is one
//! of the eight.

use super::{NOWHERE, STREAMS, Streams};
use crate::analyse::device::TOGETHER;
use crate::analyse::wide::{Rows, Vectors, pick};

/// Ends that each start is compared with: those that were gone on from are among them, and no streams any more.
const LOOKED_AT: usize = 2 * STREAMS;

/// Starts and ends of one operation, in the order of issue.
struct Ends {
    starts: [u64; TOGETHER],
    /// Those before the rows first.
    ends: [u64; LOOKED_AT + TOGETHER],
    count: usize,
}

impl Ends {
    #[inline(always)]
    fn of(streams: &Streams, rows: &Rows, mine: &[u8]) -> Self {
        let mut all = Self {
            starts: [0; TOGETHER],
            ends: [NOWHERE; LOOKED_AT + TOGETHER],
            count: mine.len().min(TOGETHER),
        };
        for age in 0..STREAMS {
            all.ends[LOOKED_AT - 1 - age] = streams.ends[(streams.newest + age) % STREAMS];
        }
        for (to, row) in mine.iter().enumerate().take(TOGETHER) {
            let (start, len) = (rows.start[usize::from(*row)], rows.len[usize::from(*row)]);
            all.starts[to] = start;
            all.ends[LOOKED_AT + to] = start + u64::from(len);
        }
        all
    }

    /// 1 for each that begins where one of those before it ended.
    #[inline(always)]
    fn candidates(&self) -> [u8; TOGETHER] {
        let mut found = [0; TOGETHER];
        for at in 0..self.count.min(TOGETHER) {
            let mut any = false;
            for before in 0..LOOKED_AT {
                any |= self.starts[at] == self.ends[at + before];
            }
            found[at] = u8::from(any);
        }
        found
    }

    /// Which of the ends before one are where it begins: bit 0 is the end just before it.
    #[inline(always)]
    fn same(&self, at: usize) -> u64 {
        let mut same = 0;
        for age in 0..LOOKED_AT {
            let end = self.ends[at + LOOKED_AT - 1 - age];
            same |= u64::from(end == self.starts[at]) << age;
        }
        same
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
    fn go_to(&mut self, at: usize) {
        let by = at - self.at;
        let moved = |bits: u64| if by < 64 { bits << by } else { 0 };
        (self.used, self.all) = (moved(self.used), moved(self.all));
        self.at = at;
    }

    /// The end that a row goes on from, of those where it begins, if it is one of the streams; false where
    /// the ends that are looked at are too few to tell for the rows that follow.
    fn take(&mut self, same: u64) -> (bool, bool) {
        let open = same & !self.all;
        if open == 0 {
            return (false, true);
        }
        let age = open.trailing_zeros();
        let younger = !self.all & ((1 << age) - 1);
        if younger.count_ones() as usize >= STREAMS {
            return (false, true);
        }
        self.used |= 1 << age;
        self.all |= 1 << age;
        // Of any sixteen that follow each other, eight must be left.
        let near = (self.used << (LOOKED_AT - 1)) >> age;
        let near = near & ((1 << (2 * LOOKED_AT - 1)) - 1);
        (true, near.count_ones() as usize <= LOOKED_AT - STREAMS)
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
        for at in candidates.rows() {
            let at = usize::from(*at);
            gone.go_to(at);
            let (goes_on, enough) = gone.take(all.same(at));
            sequential += u64::from(goes_on);
            if !enough {
                return self.add_each(rows, mine);
            }
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
            *end = all.ends[(all.count + LOOKED_AT - 1).saturating_sub(age)];
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
