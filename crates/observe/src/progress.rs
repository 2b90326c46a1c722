//! How far reading is, and the request to stop.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64};

/// Shared with a progress bar and a signal handler.
#[derive(Debug, Default)]
pub struct TraceProgress {
    /// Bytes read so far, as stored in the files.
    pub bytes: AtomicU64,
    /// Set to stop; what was read so far is kept. Readers of pipes check it while they wait.
    pub stop: Arc<AtomicBool>,
}
