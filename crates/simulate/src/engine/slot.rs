//! A request that is under way: of a load, or of the cache.

use std::collections::VecDeque;

use super::cache::ReadAhead;
use super::progress::RequestProgress;

/// Whose request it is.
#[derive(Copy, Clone, Debug, Default)]
pub enum SlotRole {
    /// A load waits for it.
    #[default]
    Load,
    /// The cache writes an extent that begins there.
    Destage(u64),
    /// The cache reads ahead.
    ReadAhead(ReadAhead),
}

/// Something to be done after what is under way.
#[derive(Clone, Debug)]
pub struct RequestStage {
    pub pieces: Vec<(u64, u64)>,
    pub write: bool,
    /// Through the cache.
    pub cached: bool,
}

/// A place for a request; nothing is allocated when it is used again.
#[derive(Debug, Default)]
pub struct RequestSlot {
    pub progress: RequestProgress,
    pub tenant: usize,
    pub worker: usize,
    pub sent_at: u64,
    pub counts: bool,
    pub role: SlotRole,
    /// What comes later: the write after the read of a part of a block.
    pub stages: VecDeque<RequestStage>,
    /// What the cache keeps when this is complete.
    pub kept: Vec<(u64, u64)>,
}
