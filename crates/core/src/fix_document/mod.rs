//! What `fix` shows: the plan of a move, or of a conversion, and how it ended.
//!
//! Its JSON is `ioalign.fix/1`. Fields that are not written there serve sentences alone.

mod conversion;

use serde::Serialize;

use crate::consequence::Consequence;

pub use conversion::{ConvertedPartition, FixConversion, RebuiltFilesystem};

/// The name of the JSON form.
pub const SCHEMA: &str = "ioalign.fix/1";

/// How a fix ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum FixResult {
    /// Nothing was written.
    Planned,
    /// Everything is in its new place.
    Moved,
    /// Everything is where it was.
    RolledBack,
    /// A new image was written.
    Copied,
    /// The image is one for other sectors.
    Converted,
    /// It cannot be done, and nothing was written.
    Refused,
    /// A journal that the disk does not need was removed.
    Forgotten,
    /// The marker of a move was taken away.
    Abandoned,
}

/// Why something was not done.
#[derive(Clone, Debug, Serialize)]
pub struct FixRefusal {
    /// The rule whose page says more.
    pub rule: &'static str,
    /// The message.
    pub why: String,
}

/// A plan, what was done of it, and what comes next.
#[derive(Clone, Debug, Serialize)]
pub struct FixDocument {
    /// [`SCHEMA`].
    pub schema: &'static str,
    /// Name and version of the program.
    pub tool: String,
    /// The disk or image, as it was named.
    pub target: String,
    /// How it ended.
    pub result: FixResult,
    /// Whether anything has to be written; `None` where only a journal says what was done.
    pub needed: Option<bool>,
    /// The moves; `None` for a conversion, and where only a journal says what was done.
    pub plan: Option<FixPlan>,
    /// The conversion, where one was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conversion: Option<FixConversion>,
    /// What was done.
    pub done: Option<FixDone>,
    /// Why it was refused.
    #[serde(flatten)]
    pub refused: Option<FixRefusal>,
    /// Commands that do what is planned, the best first, or the one that judges what was done; after a refusal what
    /// to do about it.
    pub next: Vec<String>,
    /// The new image that was asked for.
    #[serde(skip)]
    pub output: Option<String>,
}

/// What is moved, and what that takes.
#[derive(Clone, Debug, Serialize)]
pub struct FixPlan {
    /// Names the plan: the same moves of the same data have the same name.
    pub name: String,
    /// The partition table: `dos`, `gpt`.
    pub table: &'static str,
    /// The size of the disk.
    pub disk_bytes: u64,
    /// The logical sector.
    pub sector_bytes: u64,
    /// All partitions, in the order of the table.
    pub partitions: Vec<FixPartition>,
    /// What moves, in order.
    pub moves: Vec<FixMove>,
    /// Data that move.
    pub moved_bytes: u64,
    /// Data that are written, to their places and to the journal.
    pub written_bytes: u64,
    /// Of these, those that go through the journal.
    pub written_twice_bytes: u64,
    /// Tables, boot sectors and boot code that are written.
    pub table_bytes: u64,
    /// The journal; `None` where nothing is written in place.
    pub journal: Option<FixJournal>,
    /// How long it may take.
    pub estimate: Option<FixEstimate>,
    /// A file that puts data off the grid, wherever partitions start.
    pub container: Option<FixContainer>,
    /// What it means for boot and contents, the weightiest first.
    pub consequences: Vec<Consequence>,
    /// What to know before it is applied: sentences without a full stop.
    pub precautions: Vec<String>,
}

/// A file that puts data off the grid.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct FixContainer {
    /// The grid.
    pub grid_bytes: u64,
}

/// Where a partition stands in its table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum PartitionRank {
    /// In the table itself.
    Primary,
    /// An MBR's extended partition, which holds the logical ones.
    Extended,
    /// In an extended partition.
    Logical,
}

/// A partition before and after.
#[derive(Clone, Debug, Serialize)]
pub struct FixPartition {
    /// Its number.
    pub number: u32,
    /// Where it stands in the table.
    pub kind: PartitionRank,
    /// What is in it.
    pub what: Option<String>,
    /// Where it starts.
    pub start_bytes: u64,
    /// Its size.
    pub size_bytes: u64,
    /// Where it will start.
    pub new_start_bytes: u64,
    /// Its size then.
    pub new_size_bytes: u64,
}

/// The data of one partition, on their way.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct FixMove {
    /// Its number.
    pub partition: u32,
    /// From here.
    pub from_bytes: u64,
    /// To here.
    pub to_bytes: u64,
    /// How much.
    pub size_bytes: u64,
    /// Old and new place overlap so closely that data are written to the journal first.
    pub through_journal: bool,
}

/// Where the state of a move is kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FixJournal {
    /// The file.
    pub path: String,
    /// Its length at most.
    pub size_bytes: u64,
}

/// How long a move may take.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct FixEstimate {
    /// That long.
    pub seconds: u64,
    /// By this rate.
    pub bytes_per_second: u64,
    /// Where the rate comes from.
    pub source: RateSource,
}

/// Where a rate comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum RateSource {
    /// `--limit`.
    Limit,
    /// A little of what moves was read.
    Read,
}

/// What was done.
#[derive(Clone, Debug, Serialize)]
pub struct FixDone {
    /// Data that moved.
    pub moved_bytes: u64,
    /// Bytes that were written.
    pub written_bytes: u64,
    /// Bytes that were read back and compared.
    pub verified_bytes: u64,
    /// How long it took.
    pub elapsed_us: u64,
    /// Places that could not be read, and hold zeros now.
    pub unreadable: Vec<UnreadablePlace>,
}

/// Bytes that could not be read.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct UnreadablePlace {
    /// The first.
    pub start_bytes: u64,
    /// The one after the last.
    pub end_bytes: u64,
}
