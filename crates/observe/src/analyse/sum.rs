//! The sums that make a rate and a mean latency.

/// Sums over some I/Os.
#[derive(Copy, Clone, Debug, Default)]
pub struct IoSum {
    /// End of the last one, in nanoseconds.
    pub end: u64,
    /// Number of I/Os.
    pub ios: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Number of I/Os with a known latency.
    pub known: u64,
    /// Sum of the known latencies, in nanoseconds.
    pub latency: u64,
}
