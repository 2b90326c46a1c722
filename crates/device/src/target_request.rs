//! The request for a target.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// The request for a target.
#[derive(Clone, Debug, Default)]
pub struct TargetRequest {
    /// To write: only what is not in use, and what is empty or named in `destroy`.
    pub write: bool,
    /// The target named again: what is in it may be overwritten.
    pub destroy: Option<PathBuf>,
    /// The part to use. A missing file or folder is made with this size and filled.
    pub size_bytes: Option<u64>,
    /// Past the page cache, by `O_DIRECT`.
    pub direct: bool,
    /// Sizes of writes that have to be atomic: where they are not, no file is made.
    pub atomic: Vec<u64>,
    /// Set by the operator to stop the making of files, which takes its time.
    pub stop: Option<Arc<AtomicBool>>,
}
