//! What direct I/O (`O_DIRECT`) to a file or device demands: the contract between a path and who opens it.

use serde::Serialize;

/// The demands of one path. `None` is not known.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct DirectIoContract {
    /// Buffers in memory start at multiples of this.
    pub memory_align_bytes: Option<u64>,
    /// Reads start and end at multiples of this.
    pub offset_align_bytes: Option<u64>,
    /// Writes start and end at multiples of this.
    pub write_offset_align_bytes: Option<u64>,
    /// Whether each read that was tried ended as this says; `None`: none could be tried.
    pub proved: Option<bool>,
    /// Reads that were tried.
    pub tries: u32,
    /// What becomes of I/O that is not aligned.
    pub misaligned: MisalignedDirectIo,
    /// What becomes of writes that are aligned as reads, and not as writes.
    pub misaligned_writes: MisalignedDirectIo,
    /// What makes it so, and whose rule that is.
    pub because: Vec<String>,
    /// What it means for programs that open the path.
    pub therefore: Vec<String>,
}

/// What becomes of direct I/O that is not aligned.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum MisalignedDirectIo {
    /// It fails with `EINVAL`.
    Refused,
    /// It goes through the page cache.
    Buffered,
    /// Neither is known.
    #[default]
    Unknown,
}

impl MisalignedDirectIo {
    /// For people.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Refused => "anything else fails with EINVAL",
            Self::Buffered => "anything else goes through the page cache",
            Self::Unknown => "what becomes of anything else is not known",
        }
    }
}
