//! The parts of a batch.
//!
//! In random order, a queue is sent once. A walk sends a run of queues, because devices and the page cache are fast
//! only while a walk continues. The part before it is not timed, because readahead has lost its place during the
//! walks of the other arms. Its length is random, so that a run begins anywhere in a readahead window: windows begin
//! where the previous walk left them, at other places for an arm that touches one page more.

use ioalign_core::workload::Pattern;

use super::options::CellSpec;

#[derive(Copy, Clone, Debug)]
pub(super) struct LaneStretch {
    /// I/Os before it, at least.
    pub(super) lead: u64,
    /// The largest number of further queues.
    pub(super) spread: u64,
    /// Queues sent one after the other.
    pub(super) queues: u64,
    /// Size of an I/O.
    pub(super) block_bytes: u64,
    /// The most that one I/O may bring.
    pub(super) largest_bytes: u64,
}

const LEAD_BYTES: u64 = 64 << 10;
const SPREAD_BYTES: u64 = 64 << 10;
const RUN_BYTES: u64 = 64 << 10;
/// A median needs at least this many queues.
const FEWEST: u64 = 5;
/// Room for I/Os larger than those that are asked for.
const ROOM_BYTES: u64 = 16 << 20;

impl LaneStretch {
    pub(super) fn new(cell: &CellSpec, depth: u32) -> Self {
        let once = Self {
            lead: 0,
            spread: 0,
            queues: 1,
            block_bytes: cell.block_bytes,
            largest_bytes: largest_bytes(cell),
        };
        let queue_bytes = cell.block_bytes * u64::from(depth);
        match cell.pattern {
            Pattern::Sequential => Self {
                lead: LEAD_BYTES.div_ceil(cell.block_bytes),
                spread: SPREAD_BYTES / cell.block_bytes,
                queues: RUN_BYTES.div_ceil(queue_bytes).max(FEWEST),
                ..once
            },
            Pattern::Random | Pattern::Zipf { .. } => once,
        }
    }
}

/// The largest I/O of a cell. The first part of a walk of reads is read at once, because many small reads would
/// cost far more than the run.
pub(super) fn largest_bytes(cell: &CellSpec) -> u64 {
    let at_once = LEAD_BYTES + SPREAD_BYTES;
    let room = at_once * u64::from(cell.queue_depth) <= ROOM_BYTES;
    if cell.pattern == Pattern::Sequential && cell.read_ratio >= 1.0 && room {
        cell.block_bytes.max(at_once)
    } else {
        cell.block_bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WALK: CellSpec = CellSpec {
        block_bytes: 4096,
        read_ratio: 1.0,
        pattern: Pattern::Sequential,
        queue_depth: 1,
        workers: 1,
    };

    #[test]
    fn a_walk_is_measured_in_runs() {
        let small = LaneStretch::new(&WALK, 1);
        assert_eq!((small.lead, small.spread, small.queues), (16, 16, 16));
        assert_eq!(small.largest_bytes, 128 << 10);
        let large = CellSpec {
            block_bytes: 1 << 20,
            ..WALK
        };
        let large = LaneStretch::new(&large, 1);
        assert_eq!((large.lead, large.spread, large.queues), (1, 0, 5));
        assert_eq!(large.largest_bytes, 1 << 20);
    }

    #[test]
    fn what_writes_or_jumps_sends_nothing_larger() {
        let writes = CellSpec {
            read_ratio: 0.0,
            ..WALK
        };
        let jumps = CellSpec {
            pattern: Pattern::Random,
            ..WALK
        };
        let deep = CellSpec {
            queue_depth: 4096,
            ..WALK
        };
        for cell in [writes, jumps, deep] {
            assert_eq!(largest_bytes(&cell), 4096, "{cell:?}");
        }
        let jumps = LaneStretch::new(&jumps, 8);
        assert_eq!((jumps.lead, jumps.queues), (0, 1));
    }
}
