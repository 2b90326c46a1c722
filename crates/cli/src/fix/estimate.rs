//! How long it may take: a little of what will move is read, and the clock looked at.

use std::time::{Duration, Instant};

use ioalign_repair::Disk;
use ioalign_repair::fix::RepairPlan;

use crate::args::FixArgs;

const LONGEST: Duration = Duration::from_millis(250);
const PIECE: u64 = 1 << 20;
const MOST: u64 = 64 << 20;

/// A rate and where it comes from.
#[derive(Clone, Copy, Debug)]
pub struct Rate {
    /// Bytes a second.
    pub bytes: u64,
    /// Whether it is the one that was asked for.
    pub is_limit: bool,
}

/// The expected rate; `None` if nothing moves or nothing can be read.
pub fn rate(disk: &mut dyn Disk, plan: &RepairPlan, arguments: &FixArgs) -> Option<Rate> {
    let first = plan.shifts.first()?;
    let begun = Instant::now();
    let bytes = first.size.min(MOST);
    disk.release(first.from, bytes);
    let mut piece = vec![0; usize::try_from(bytes.min(PIECE)).ok()?];
    let mut read = 0;
    while read + piece.len() as u64 <= bytes && begun.elapsed() < LONGEST {
        disk.read_at(first.from + read, &mut piece).ok()?;
        read += piece.len() as u64;
    }
    let nanos = begun.elapsed().as_nanos().max(1);
    let measured = u64::try_from(u128::from(read) * 1_000_000_000 / nanos).ok()?;
    let limit = arguments.how.limit.map(ioalign_core::Bytes::get);
    Some(match limit {
        Some(limit) if limit < measured => Rate {
            bytes: limit,
            is_limit: true,
        },
        _ => Rate {
            bytes: measured.max(1),
            is_limit: false,
        },
    })
}

impl Rate {
    /// Seconds for data that move: read, written once or twice, read back. A limit is on what moves alone.
    pub fn seconds(self, moved: u64, written: u64) -> u64 {
        let work = if self.is_limit {
            moved
        } else {
            moved.saturating_mul(2).saturating_add(written)
        };
        work.div_ceil(self.bytes.max(1))
    }
}
