//! The first block of a journal, and the last: what it is, which job it belongs to, and where its parts lie.

use super::codec::{RecordReader, RecordWriter};

/// The first bytes of a journal.
pub const MAGIC: [u8; 8] = *b"IOALNJRN";
/// The version that this program writes, and the only one that it reads.
pub const VERSION: u32 = 2;
/// Parts of a journal begin on blocks of this size.
pub const BLOCK: u64 = 4096;

/// The longest slot: a window is held in memory.
pub const SLOT_MOST: u64 = 1 << 30;
/// The longest piece.
pub const PIECE_MOST: u64 = 64 << 20;

/// The bytes of a header.
pub const LENGTH: usize = 8 + 4 + 4 + 16 + 9 * 8 + 16 + 4;

/// The layout of a journal. All in bytes from the start of the journal.
///
/// ```text
/// 0                  header
/// 4096               state of even number, twice      16384  end of states
/// 4096 + 8192        state of odd number, twice
/// 20480              what could not be read: up to 256 places, a sector each
/// 151552             where it was begun, and on what
/// 167936             the job
/// slots_at           two slots of slot_bytes: windows on their way
/// total_bytes - 4096 header again
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JournalHeader {
    /// Names this run of this job: records of any other do not count.
    pub id: u128,
    /// The disk that it belongs to.
    pub disk_bytes: u64,
    /// Its logical block.
    pub logical_bytes: u64,
    /// Length of the job.
    pub job_bytes: u64,
    /// XXH3-128 of it.
    pub job_hash: u128,
    /// The start of the slots.
    pub slots_at: u64,
    /// How long each of the two is; 0 where no move needs one.
    pub slot_bytes: u64,
    /// Data are read, hashed and written in pieces of this size.
    pub piece_bytes: u64,
    /// Moves of this distance or more need no slots even if they overlap.
    pub direct_from: u64,
    /// The whole journal.
    pub total_bytes: u64,
}

/// The place of the two states, each two times.
pub const STATES_AT: u64 = BLOCK;
/// Where the places lie that could not be read.
pub const UNREADABLE_AT: u64 = STATES_AT + 4 * BLOCK;
/// How many there can be.
pub const UNREADABLE_MOST: u64 = 256;
/// A sector each: adding one never writes on another.
pub const UNREADABLE_BYTES: u64 = 512;
/// The place of the record of who began it.
pub const ORIGIN_AT: u64 = UNREADABLE_AT + UNREADABLE_MOST * UNREADABLE_BYTES;
/// The room for that.
pub const ORIGIN_BYTES: u64 = 4 * BLOCK;
/// The place of the job.
pub const JOB_AT: u64 = ORIGIN_AT + ORIGIN_BYTES;

impl JournalHeader {
    /// As bytes, shorter than a block.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = RecordWriter::default();
        out.0.extend_from_slice(&MAGIC);
        out.u32(VERSION);
        out.u32(0);
        out.u128(self.id);
        for value in [
            self.disk_bytes,
            self.logical_bytes,
            self.job_bytes,
            self.slots_at,
            self.slot_bytes,
            self.piece_bytes,
            self.direct_from,
            self.total_bytes,
            0,
        ] {
            out.u64(value);
        }
        out.u128(self.job_hash);
        out.close()
    }

    /// The header in a block, if it is whole and its numbers fit each other.
    pub fn decode(block: &[u8]) -> Option<Self> {
        let mut from = RecordReader::checked(block, LENGTH)?;
        let magic = from.u64()?.to_le_bytes();
        if magic != MAGIC || from.u32()? != VERSION || from.u32()? != 0 {
            return None;
        }
        let id = from.u128()?;
        let mut next = || from.u64();
        let mut header = Self {
            id,
            disk_bytes: next()?,
            logical_bytes: next()?,
            job_bytes: next()?,
            slots_at: next()?,
            slot_bytes: next()?,
            piece_bytes: next()?,
            direct_from: next()?,
            total_bytes: next()?,
            job_hash: 0,
        };
        next()?;
        header.job_hash = from.u128()?;
        header.fits().then_some(header)
    }

    fn fits(&self) -> bool {
        let slots = self.slot_bytes.checked_mul(2);
        let end = slots.and_then(|slots| slots.checked_add(self.slots_at));
        let job_end = JOB_AT.checked_add(self.job_bytes);
        (1..=PIECE_MOST).contains(&self.piece_bytes)
            && self.slot_bytes <= SLOT_MOST
            && self.logical_bytes > 0
            && self.piece_bytes.is_multiple_of(self.logical_bytes)
            && self.direct_from > 0
            && job_end.is_some_and(|job_end| job_end <= self.slots_at)
            && end.and_then(|end| end.checked_add(BLOCK)) == Some(self.total_bytes)
    }
}

/// The version of a block that begins like a journal.
pub fn version(block: &[u8]) -> Option<u32> {
    let mut from = RecordReader(block.strip_prefix(&MAGIC)?);
    from.u32()
}
