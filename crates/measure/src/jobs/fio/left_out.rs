//! Keys that were not taken.

/// Why a key was not taken, or not as it stands.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum KeyLeftOut {
    /// The I/O stays of the same kind.
    Named(&'static str),
    /// Without it this would be another job.
    Refused(&'static str),
}
