//! What the commonest I/Os have in common, counted at once: those of one process, operation and size
//! differ only in where they start, and starts fall into few classes.
//!
//! One counter an I/O stands for twenty: the powers of two of starts and lengths, sectors, sizes, cells
//! of small grids and everything by process follow from it, and are added up when they are asked for.

use super::device::TOGETHER;
use super::kinds::{CLASSES, Starts, kind_of, starts};
use super::wide::{Classes, Rows};
use crate::record::{Io, Op};

/// Processes and sizes counted so.
const FLOWS: usize = 64;
/// Places to look for them; a power of two.
const SLOTS: usize = 512;
/// No counters begin here.
const NOWHERE: u32 = 1 << 31;
/// Misses before others may come in.
const PATIENCE: u32 = 1 << 14;
/// I/Os before a counter might be full.
const MOST: u32 = 1 << 31;

/// I/Os of one process, operation and size.
pub struct Flow<'a> {
    pub process: u32,
    pub op: Op,
    pub len: u32,
    counts: &'a [u32],
}

impl Flow<'_> {
    /// Where they start.
    pub fn starts(&self) -> impl Iterator<Item = Starts> {
        let used = self.counts.iter().enumerate().filter(|(_, ios)| **ios > 0);
        used.map(|(kind, ios)| starts(kind, *ios))
    }
}

#[derive(Copy, Clone)]
struct Slot {
    /// Process and length.
    key: u64,
    op: Op,
    /// Where its counters begin.
    counts: u32,
}

/// What I/Os of one process and length have in common.
#[inline(always)]
pub const fn key(process: u32, len: u32) -> u64 {
    (process as u64) << 32 | len as u64
}

impl Slot {
    const fn is_free(&self) -> bool {
        self.counts == NOWHERE
    }
}

/// The counters of one device.
pub struct Flows {
    slots: Box<[Slot; SLOTS]>,
    counts: Vec<u32>,
    missed: u32,
    counted: u32,
}

/// Where they are looked for, with an operation.
#[inline(always)]
pub const fn place(key: u64, op: u8) -> usize {
    let mixed = (key ^ (op as u64) << 20).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    // The upper bits, fewer than any `usize` has.
    #[allow(clippy::cast_possible_truncation)]
    let place = (mixed >> 40) as usize;
    place % SLOTS
}

/// Where the counters of a flow begin.
#[inline(always)]
fn find(slots: &[Slot; SLOTS], place: usize, key: u64, op: u8) -> Option<u32> {
    let of = |slot: &Slot| slot.key == key && slot.op as u8 == op;
    // Places below the length of the array.
    let [near, next] = [place % SLOTS, (place ^ 1) % SLOTS].map(|place| &slots[place]);
    if of(near) {
        Some(near.counts)
    } else {
        of(next).then_some(next.counts)
    }
}

#[inline(always)]
fn count(counts: &mut [u32], first: u32, kind: usize) -> bool {
    let count = counts.get_mut(first as usize + kind);
    count.map(|count| *count += 1).is_some()
}

impl Flows {
    pub fn new() -> Self {
        let empty = Slot {
            key: 0,
            op: Op::Other,
            counts: NOWHERE,
        };
        Self {
            slots: Box::new([empty; SLOTS]),
            counts: Vec::with_capacity(FLOWS * CLASSES),
            missed: 0,
            counted: 0,
        }
    }

    /// Counts an I/O; false where its like is not known here.
    #[inline]
    pub fn add(&mut self, io: &Io) -> bool {
        let (key, op) = (key(io.process, io.len), io.op as u8);
        let place = place(key, op);
        let found = find(&self.slots, place, key, op);
        // What ends past the last address is in no cell of its own.
        let found = found.filter(|_| io.offset >> 63 == 0);
        found.is_some_and(|counts| count(&mut self.counts, counts, kind_of(io.offset)))
    }

    /// Counts rows below the last addresses from one on, up to the first whose like is not known here.
    #[inline(always)]
    pub fn add_rows(&mut self, rows: &Rows, classes: &Classes, from: usize) -> usize {
        let (slots, counts) = (&*self.slots, self.counts.as_mut_slice());
        for row in from..rows.count() {
            let at = row % TOGETHER;
            let (key, op) = (classes.flow[at], rows.op[at]);
            let found = find(slots, usize::from(classes.place[at]), key, op);
            let kind = usize::from(classes.kind[at]);
            if !found.is_some_and(|first| count(counts, first, kind)) {
                return row;
            }
        }
        rows.count()
    }

    /// After a batch: how many were counted, and how many not. Whether all should be added up now.
    pub const fn is_due(&mut self, counted: u32, missed: u32) -> bool {
        self.counted += counted;
        self.missed += missed;
        let full = self.counts.len() >= FLOWS / 2 * CLASSES;
        self.counted >= MOST || (self.missed >= PATIENCE && full)
    }

    /// Takes up I/Os like this one, where there is room.
    pub fn learn(&mut self, io: &Io) {
        let whole = io.len > 0 && io.len.is_multiple_of(512) && io.len <= 1 << 20;
        let (used, key) = (self.counts.len(), key(io.process, io.len));
        let place = place(key, io.op as u8);
        let is_free = |place: &usize| self.slots.get(*place).is_some_and(Slot::is_free);
        let free = [place, place ^ 1].into_iter().find(is_free);
        let free = free.filter(|_| whole && io.op.has_place());
        let slot = free.and_then(|place| self.slots.get_mut(place));
        if let (Some(slot), Ok(counts)) = (slot, u32::try_from(used))
            && used < FLOWS * CLASSES
        {
            let op = io.op;
            *slot = Slot { key, op, counts };
            self.counts.resize(used + CLASSES, 0);
        }
    }

    /// All that was counted.
    pub fn all(&self) -> impl Iterator<Item = Flow<'_>> {
        let used = self.slots.iter().filter(|slot| !slot.is_free());
        used.filter_map(|slot| {
            let counts = self.counts.get(slot.counts as usize..)?;
            Some(Flow {
                process: u32::try_from(slot.key >> 32).ok()?,
                op: slot.op,
                len: u32::try_from(slot.key & u64::from(u32::MAX)).ok()?,
                counts: counts.get(..CLASSES)?,
            })
        })
    }

    /// Forgets all.
    pub fn clear(&mut self) {
        for slot in self.slots.iter_mut() {
            slot.counts = NOWHERE;
        }
        self.counts.clear();
        (self.missed, self.counted) = (0, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_learnt_is_counted() {
        let io = |len| Io {
            len,
            offset: 512,
            op: Op::Write,
            ..Io::default()
        };
        let mut flows = Flows::new();
        let sizes = [0, 100, 512, 4096, 2 << 20];
        for len in sizes {
            assert!(!flows.add(&io(len)));
            flows.learn(&io(len));
        }
        let known = sizes.map(|len| flows.add(&io(len)));
        assert_eq!(known, [false, false, true, true, false]);
        assert_eq!(flows.all().count(), 2);
        assert!(!flows.add(&Io {
            op: Op::Read,
            ..io(512)
        }));
        flows.clear();
        assert!(!flows.add(&io(512)));
        assert_eq!(flows.all().count(), 0);
    }
}
