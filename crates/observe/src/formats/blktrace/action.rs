//! The action word: what happened in its low bits, to what sort of request in its high bits.

use crate::record::{Op, RecordKind};

/// The action, as far as it matters here.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Act {
    /// `Q`.
    Queue,
    /// `D`.
    Issue,
    /// `C`.
    Complete,
    /// `R`.
    Requeue,
    /// Merges, plugs, splits, remaps, notes.
    Other,
}

/// The word, widened to the 64 bits that version 8 has.
#[derive(Copy, Clone, Debug)]
pub struct Action(pub u64);

const CATEGORY: u32 = 16;
const WRITE: u64 = 1 << (CATEGORY + 1);
const READ: u64 = 1 << CATEGORY;
const FLUSH: u64 = 1 << (CATEGORY + 2);
const PC: u64 = 1 << (CATEGORY + 9);
const NOTIFY: u64 = 1 << (CATEGORY + 10);
const DISCARD: u64 = 1 << (CATEGORY + 13);
const COMPLETE: u64 = 1 << (CATEGORY + 7);
/// Version 8: the place that a zone append got.
const ZONE_APPEND: u64 = 1 << (CATEGORY + 16);
/// Version 8: reset, reset all, finish, open and close of zones, which carry the write bit too.
const ZONES: u64 = 0x1f << (CATEGORY + 17);
/// An 8-byte cgroup id goes before the payload.
const CGROUP: u64 = 0x100;

/// Events by the low bits of the word; `None`: no I/O.
const KINDS: [Option<RecordKind>; 32] = {
    let mut all = [None; 32];
    all[1] = Some(RecordKind::Queue);
    all[6] = Some(RecordKind::Requeue);
    all[7] = Some(RecordKind::Issue);
    all[8] = Some(RecordKind::Complete);
    all
};

/// Operations by the bits of read, write and flush.
const OPS: [Op; 8] = [
    Op::Other,
    Op::Read,
    Op::Write,
    Op::Write,
    Op::Flush,
    Op::Read,
    Op::Write,
    Op::Write,
];

impl Action {
    /// The same for a word of version 7 by two tables; `None` where it takes more than that.
    #[inline]
    pub fn plain(word: u32) -> Option<(Option<RecordKind>, Op)> {
        const MORE: u32 = ((NOTIFY | PC | DISCARD) & 0xffff_ffff) as u32 | 0xe0;
        if word & MORE != 0 {
            return None;
        }
        let kind = KINDS.get((word & 31) as usize).copied().flatten();
        let op = OPS.get((word >> CATEGORY & 7) as usize).copied();
        Some((kind, op.unwrap_or_default()))
    }

    /// The operation of a request of this many bytes. A flush has none; the kernel gives it the bit of reads too
    /// (`REQ_OP_FLUSH` is even), or that of writes (an empty write with `REQ_PREFLUSH`).
    #[inline]
    pub const fn op_of(self, op: Op, bytes: u32) -> Op {
        if bytes == 0 && self.0 & FLUSH != 0 {
            Op::Flush
        } else {
            op
        }
    }

    /// The action.
    #[inline]
    pub const fn act(self) -> Act {
        if self.0 & NOTIFY != 0 {
            return Act::Other;
        }
        match self.0 & 0xff {
            1 => Act::Queue,
            6 => Act::Requeue,
            7 => Act::Issue,
            // A zone append says its place in a completion of its own; the real one follows.
            8 if self.0 & (ZONE_APPEND | COMPLETE) == ZONE_APPEND => Act::Other,
            8 => Act::Complete,
            _ => Act::Other,
        }
    }

    /// The operation of the request. A discard has the write bit too; a write may have the flush
    /// bit.
    #[inline]
    pub const fn op(self) -> Op {
        if self.0 & (PC | ZONES) != 0 {
            Op::Other
        } else if self.0 & DISCARD != 0 {
            Op::Discard
        } else if self.0 & WRITE != 0 {
            Op::Write
        } else if self.0 & READ != 0 {
            Op::Read
        } else if self.0 & FLUSH != 0 {
            Op::Flush
        } else {
            Op::Other
        }
    }

    /// Whether it says the name of a process.
    pub const fn is_process_note(self) -> bool {
        self.0 & NOTIFY != 0 && self.0 & 0xff == 0
    }

    /// Whether it is a message of the tracing program.
    pub const fn is_message(self) -> bool {
        self.0 & NOTIFY != 0 && self.0 & 0xff == 2
    }

    /// Whether it says the wall clock.
    pub const fn is_time(self) -> bool {
        self.0 & NOTIFY != 0 && self.0 & 0xff == 1
    }

    /// Whether a cgroup id goes before the payload.
    pub const fn has_cgroup(self) -> bool {
        self.0 & CGROUP != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_say_the_same() {
        // All bits that matter, in all combinations.
        let bits = [16, 17, 18, 23, 25, 26, 29];
        for low in 0..256_u32 {
            for some in 0..1_u32 << bits.len() {
                let on = bits.iter().enumerate().filter(|(i, _)| some >> i & 1 == 1);
                let word = on.fold(low, |word, (_, bit)| word | 1 << bit);
                let action = Action(u64::from(word));
                if let Some((kind, op)) = Action::plain(word) {
                    let act = match kind {
                        Some(RecordKind::Queue) => Act::Queue,
                        Some(RecordKind::Issue) => Act::Issue,
                        Some(RecordKind::Complete) => Act::Complete,
                        Some(RecordKind::Requeue) => Act::Requeue,
                        _ => Act::Other,
                    };
                    assert_eq!((act, op), (action.act(), action.op()), "{word:#x}");
                    assert!(!action.is_process_note());
                }
            }
        }
    }
}
