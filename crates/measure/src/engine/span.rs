//! How long a worker sends, and what it did.

use ioalign_core::workload::Pattern;

use super::options::CellSpec;

/// What a worker did.
#[derive(Copy, Clone, Debug, Default)]
pub(super) struct Span {
    /// The sum over workers.
    pub(super) elapsed_ns: u64,
    pub(super) ios: u64,
    pub(super) cpu_ns: u64,
    pub(super) workers: u64,
}

impl Span {
    /// Both at the same time.
    pub(super) const fn with(self, other: Self) -> Self {
        Self {
            elapsed_ns: self.elapsed_ns + other.elapsed_ns,
            ios: self.ios + other.ios,
            cpu_ns: self.cpu_ns + other.cpu_ns,
            workers: self.workers + other.workers,
        }
    }

    /// The mean over workers.
    pub(super) const fn elapsed_ns(&self) -> u64 {
        match self.workers {
            0 => 0,
            workers => self.elapsed_ns / workers,
        }
    }

    /// As if a queue of this depth had been sent once.
    pub(super) fn per_queue(self, depth: u32) -> Self {
        let elapsed_ns =
            u128::from(self.elapsed_ns) * u128::from(depth) / u128::from(self.ios.max(1));
        Self {
            elapsed_ns: u64::try_from(elapsed_ns).unwrap_or(u64::MAX),
            ios: depth.into(),
            ..self
        }
    }
}

/// How long a queue is kept full.
#[derive(Copy, Clone, Debug)]
pub(super) enum Until {
    /// So many I/Os.
    Sent(u64),
    /// A time of the clock.
    Time(u64),
}

impl Until {
    pub(super) const fn wants(self, sent: u64, now_ns: u64) -> bool {
        match self {
            Self::Sent(ios) => sent < ios,
            Self::Time(end_ns) => now_ns < end_ns,
        }
    }
}

/// What a batch is made of.
///
/// In random order, a queue sent once. Of a walk it is a stretch: what comes before it is not timed,
/// because readahead has lost its place while the other arms walked; and it is longer than readahead
/// looks forward, or its time would say where in that window it happened to lie. Windows begin where the
/// walk before left them, at other places for an arm that touches one page more: what comes before
/// differs in length by chance, so that every stretch begins anywhere in a window.
#[derive(Copy, Clone, Debug)]
pub(super) struct Stretch {
    /// I/Os before it, at least.
    pub(super) lead: u64,
    /// So many more at most.
    pub(super) spread: u64,
    pub(super) ios: u64,
}

const LEAD_BYTES: u64 = 256 << 10;
/// Twice the usual window.
const SPREAD_BYTES: u64 = 256 << 10;
const STRETCH_BYTES: u64 = 512 << 10;

impl Stretch {
    pub(super) fn new(cell: &CellSpec, depth: u32) -> Self {
        let depth = u64::from(depth);
        match cell.pattern {
            Pattern::Sequential => Self {
                lead: LEAD_BYTES.div_ceil(cell.block_bytes),
                spread: SPREAD_BYTES / cell.block_bytes,
                ios: STRETCH_BYTES.div_ceil(cell.block_bytes).max(depth),
            },
            Pattern::Random | Pattern::Zipf { .. } => Self {
                lead: 0,
                spread: 0,
                ios: depth,
            },
        }
    }
}
