//! Time since it was first asked for.

use std::sync::OnceLock;
use std::time::{Duration, Instant};

static START: OnceLock<Instant> = OnceLock::new();

/// By the monotonic clock.
pub(super) fn now() -> Duration {
    START.get_or_init(Instant::now).elapsed()
}
