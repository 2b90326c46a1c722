//! I/Os in flight, found by device and place.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::{BuildHasherDefault, Hasher};

use crate::record::Io;

/// Several I/Os at one place are few; more are not followed.
const MOST_AT_ONE_PLACE: usize = 64;
/// More in flight than any machine has: the trace has issues without completions.
const MOST: usize = 1 << 20;

#[derive(Copy, Clone, PartialEq, Eq, Hash)]
struct InFlightKey {
    device: u32,
    offset: u64,
}

#[derive(Copy, Clone)]
struct WaitingIo {
    number: u64,
    /// Bytes that have not completed.
    left: u32,
    /// Given back by the driver.
    requeued: bool,
}

impl WaitingIo {
    #[inline]
    const fn new(left: u32, number: u64) -> Self {
        Self {
            number,
            left,
            requeued: false,
        }
    }
}

/// The first at a place, and the others, in order.
struct InFlightQueue {
    first: WaitingIo,
    others: Vec<WaitingIo>,
}

/// The effect of a completion.
pub struct CompletedIo {
    /// The I/O that it belongs to.
    pub number: u64,
    /// Whether all of that I/O is done.
    pub whole: bool,
    /// How much of the completion it used.
    pub bytes: u32,
}

/// Places of the table that is asked first; a power of two.
const NEAR: usize = 1 << 11;

/// The I/O at one place, where it is the only one and no other place has this slot.
#[derive(Copy, Clone)]
struct Near {
    offset: u64,
    waiting: WaitingIo,
    device: u32,
    /// Places that belong here and are in the map.
    away: u16,
    used: bool,
}

impl Near {
    const EMPTY: Self = Self {
        offset: 0,
        waiting: WaitingIo {
            number: 0,
            left: 0,
            requeued: false,
        },
        device: 0,
        away: 0,
        used: false,
    };

    #[inline]
    const fn is(&self, key: InFlightKey) -> bool {
        self.offset == key.offset && self.device == key.device && self.used
    }

    #[inline]
    const fn set(&mut self, key: InFlightKey, waiting: WaitingIo) {
        (self.offset, self.device) = (key.offset, key.device);
        (self.waiting, self.used) = (waiting, true);
    }
}

/// All I/Os that were issued and have not completed: nearly all in a table with one slot a place, in
/// which nothing is searched, the others in a map.
pub struct InFlightTable {
    near: Box<[Near; NEAR]>,
    map: HashMap<InFlightKey, InFlightQueue, BuildHasherDefault<MixHasher>>,
}

impl Default for InFlightTable {
    fn default() -> Self {
        Self {
            near: Box::new([Near::EMPTY; NEAR]),
            map: HashMap::default(),
        }
    }
}

#[inline]
const fn key(io: &Io) -> InFlightKey {
    InFlightKey {
        device: io.device,
        offset: io.offset,
    }
}

/// The slot of a place.
#[inline]
fn slot(key: InFlightKey) -> usize {
    let mixed = (key.offset >> 9) ^ u64::from(key.device) << 48;
    let slot = mixed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
    usize::try_from(slot).unwrap_or(0) % NEAR
}

impl InFlightTable {
    #[inline]
    fn near(&mut self, key: InFlightKey) -> &mut Near {
        // It is a place of the array.
        #[allow(clippy::indexing_slicing)]
        &mut self.near[slot(key)]
    }

    /// Takes up an I/O. False where it is the second issue of a request that was given back.
    #[inline]
    pub fn begin(&mut self, io: &Io, number: u64) -> bool {
        let key = key(io);
        let near = self.near(key);
        if !near.used && near.away == 0 {
            near.set(key, WaitingIo::new(io.len, number));
            return true;
        }
        if self.again(io) {
            return false;
        }
        self.add(key, WaitingIo::new(io.len, number));
        true
    }

    /// Whether this is the second issue of a request that was given back.
    pub fn again(&mut self, io: &Io) -> bool {
        match self.first(key(io)) {
            Some(first) if first.requeued && first.left == io.len => {
                first.requeued = false;
                true
            }
            _ => false,
        }
    }

    /// The oldest at a place.
    fn first(&mut self, key: InFlightKey) -> Option<&mut WaitingIo> {
        let near = self.near(key);
        let (here, away) = (near.is(key), near.away > 0);
        if here {
            return Some(&mut self.near(key).waiting);
        }
        let place = self.map.get_mut(&key).filter(|_| away);
        place.map(|place| &mut place.first)
    }

    fn add(&mut self, key: InFlightKey, waiting: WaitingIo) {
        let near = self.near(key);
        if !near.used && near.away == 0 {
            return near.set(key, waiting);
        }
        if near.is(key) {
            // Now there are two: both go where there is room for more.
            let first = near.waiting;
            near.used = false;
            self.far(key, first);
        }
        self.far(key, waiting);
    }

    /// Puts it into the map.
    fn far(&mut self, key: InFlightKey, waiting: WaitingIo) {
        let full = self.map.len() >= MOST || self.near(key).away == u16::MAX;
        match self.map.entry(key) {
            Entry::Occupied(mut place) => {
                let others = &mut place.get_mut().others;
                if others.len() < MOST_AT_ONE_PLACE {
                    others.push(waiting);
                }
            }
            Entry::Vacant(place) if !full => {
                place.insert(InFlightQueue {
                    first: waiting,
                    others: Vec::new(),
                });
                self.near(key).away += 1;
            }
            Entry::Vacant(_) => {}
        }
    }

    /// The number of the I/O that is exactly `done` and alone at its place, as nearly all are.
    #[inline]
    pub fn complete_one(&mut self, done: &Io) -> Option<u64> {
        let key = key(done);
        let near = self.near(key);
        let one = near.is(key) && near.waiting.left == done.len;
        if one {
            near.used = false;
        }
        one.then_some(near.waiting.number)
    }

    /// The I/O at the start of `done`, which completes at least a part of it.
    pub fn complete(&mut self, done: &Io) -> Option<CompletedIo> {
        let key = key(done);
        let waiting = *self.first(key)?;
        let whole = done.len >= waiting.left;
        self.take_first(key);
        if !whole {
            self.advance(key, waiting, done.len);
        }
        Some(CompletedIo {
            number: waiting.number,
            whole,
            bytes: waiting.left.min(done.len),
        })
    }

    /// After a part, the rest completes from where the part ended.
    fn advance(&mut self, key: InFlightKey, waiting: WaitingIo, done: u32) {
        let rest = InFlightKey {
            device: key.device,
            offset: key.offset.saturating_add(u64::from(done)),
        };
        self.add(rest, WaitingIo::new(waiting.left - done, waiting.number));
    }

    fn take_first(&mut self, key: InFlightKey) {
        let near = self.near(key);
        if near.is(key) {
            near.used = false;
            return;
        }
        if let Entry::Occupied(mut entry) = self.map.entry(key) {
            if entry.get().others.is_empty() {
                entry.remove();
                self.near(key).away -= 1;
            } else {
                let place = entry.get_mut();
                place.first = place.others.remove(0);
            }
        }
    }

    /// The driver gave it back. Whether it was known.
    pub fn requeue(&mut self, io: &Io) -> bool {
        let first = self.first(key(io));
        first.map(|first| first.requeued = true).is_some()
    }

    /// Whether the I/O with this number is still in flight.
    pub fn has(&self, io: &Io, number: u64) -> bool {
        let key = key(io);
        if let Some(near) = self.near.get(slot(key)).filter(|near| near.is(key)) {
            return near.waiting.number == number;
        }
        self.map.get(&key).is_some_and(|place| {
            place.first.number == number || place.others.iter().any(|w| w.number == number)
        })
    }

    pub fn len(&self) -> usize {
        let waiting = |place: &InFlightQueue| 1 + place.others.len();
        let far = self.map.values().map(waiting).sum::<usize>();
        far + self.near.iter().filter(|near| near.used).count()
    }
}

/// A multiplying hash: keys are few and no attack is worth the time of a keyed one, because the map
/// is bounded.
#[derive(Default)]
struct MixHasher(u64);

impl Hasher for MixHasher {
    fn finish(&self) -> u64 {
        self.0 ^ (self.0 >> 32)
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(u64::from(*byte));
        }
    }

    fn write_u32(&mut self, value: u32) {
        self.write_u64(u64::from(value));
    }

    fn write_u64(&mut self, value: u64) {
        self.0 = (self.0.rotate_left(5) ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}
