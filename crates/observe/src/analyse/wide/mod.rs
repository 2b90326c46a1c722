//! Many rows of one device at once: what depends on a row alone is worked out in vectors, column by column,
//! and what depends on order is a tight loop over the columns that it needs. Everything is as if the rows
//! had been counted one by one.

mod level;
mod pick;
mod plain;
mod rows;
mod tally;
#[cfg(target_arch = "x86_64")]
mod x86;

use super::device::DeviceState;
use super::rmw::Steps;
use crate::record::{Batch, Io, Op};
use level::Work;
pub use level::{Level, Vectors};
pub use pick::pick;
pub use plain::Plain;
pub use rows::{Classes, PLACED, Rows};
use rows::{STEPS, UNKNOWN};
pub use tally::{equal, tally};

/// Fewer rows than this are counted one by one.
pub const FEWEST: usize = 32;

/// Latencies that are counted before they are handed on, at most.
const MOST: u32 = 1 << 31;

/// What one device needs for it.
pub struct Wide {
    level: Level,
    rows: Rows,
    classes: Classes,
    reads: Steps,
    /// Latencies of all operations by their steps, until they are asked for.
    steps: [u32; 4 * STEPS],
    counted: u32,
}

/// I/Os of one device, as they come.
#[derive(Copy, Clone)]
pub enum Ios<'a> {
    /// Column by column.
    Columns(Batch<'a>),
    /// One after the other.
    Rows(&'a [Io]),
}

impl Ios<'_> {
    /// How many there are.
    pub const fn count(&self) -> usize {
        match self {
            Self::Columns(ios) => ios.count(),
            Self::Rows(ios) => ios.len(),
        }
    }
}

impl Wide {
    /// For the vectors of `level`.
    pub fn new(level: Level) -> Box<Self> {
        Box::new(Self {
            level,
            rows: Rows::new(),
            classes: Classes::new(),
            reads: Steps::new(),
            steps: [0; 4 * STEPS],
            counted: 0,
        })
    }

    /// Counts I/Os, and tells when the last of them ended; `None`: none was counted, they are not alike
    /// enough.
    pub fn add(&mut self, ios: Ios<'_>, device: &mut DeviceState) -> Option<i64> {
        let mut last = None;
        let level = self.level;
        level.run(All {
            ios,
            wide: self,
            device,
            last: &mut last,
        });
        if self.counted >= MOST {
            self.settle(device);
        }
        last
    }

    /// Hands on the latencies.
    pub fn settle(&mut self, device: &mut DeviceState) {
        for (op, steps) in Op::ALL.iter().zip(self.steps.chunks_mut(STEPS)) {
            let known = steps.get(..usize::from(UNKNOWN)).unwrap_or_default();
            if known.iter().any(|count| *count > 0) {
                device.add_steps(*op, known);
            }
            steps.fill(0);
        }
        self.counted = 0;
    }

    #[inline(always)]
    fn count_latencies(&mut self) {
        for step in self.rows.of(&self.classes.step) {
            // Operations are fewer than four.
            self.steps[usize::from(*step) % (4 * STEPS)] += 1;
        }
        // A batch has few rows.
        #[allow(clippy::cast_possible_truncation)]
        {
            self.counted += self.rows.count() as u32;
        }
    }
}

/// All counting of some I/Os.
struct All<'a> {
    ios: Ios<'a>,
    wide: &'a mut Wide,
    device: &'a mut DeviceState,
    last: &'a mut Option<i64>,
}

impl Work for All<'_> {
    #[inline(always)]
    fn run(self, vectors: impl Vectors) {
        let wide = self.wide;
        match self.ios {
            Ios::Columns(ios) => wide.rows.take(&ios, self.device.shift()),
            Ios::Rows(ios) => wide.rows.take_ios(ios, self.device.shift()),
        }
        if wide.rows.are_plain() {
            wide.classes.fill(&wide.rows);
            wide.count_latencies();
            let (rows, classes) = (&wide.rows, &wide.classes);
            let last = self
                .device
                .add_rows(vectors, rows, classes, &mut wide.reads);
            *self.last = Some(last);
        }
    }
}
