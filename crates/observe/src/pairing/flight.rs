//! What is in flight, found by device and place.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::{BuildHasherDefault, Hasher};

use crate::record::Io;

/// Several I/Os at one place are few; more are not followed.
const MOST_AT_ONE_PLACE: usize = 64;
/// More in flight than any machine has: the trace has issues without completions.
const MOST: usize = 1 << 20;

#[derive(Copy, Clone, PartialEq, Eq, Hash)]
struct Key {
    device: u32,
    offset: u64,
}

#[derive(Copy, Clone)]
struct Waiting {
    number: u64,
    /// Bytes that have not completed.
    left: u32,
    /// Given back by the driver.
    requeued: bool,
}

/// The first at a place, and the others, in order.
struct Place {
    first: Waiting,
    others: Vec<Waiting>,
}

/// What a completion did.
pub struct Done {
    /// The I/O that it belongs to.
    pub number: u64,
    /// Whether all of that I/O is done.
    pub whole: bool,
    /// How much of the completion it used.
    pub bytes: u32,
}

/// All I/Os that were issued and have not completed.
#[derive(Default)]
pub struct Flight {
    map: HashMap<Key, Place, BuildHasherDefault<Mix>>,
}

const fn key(io: &Io) -> Key {
    Key {
        device: io.device,
        offset: io.offset,
    }
}

impl Flight {
    /// Whether this is the second issue of a request that was given back.
    pub fn again(&mut self, io: &Io) -> bool {
        match self.map.get_mut(&key(io)) {
            Some(place) if place.first.requeued && place.first.left == io.len => {
                place.first.requeued = false;
                true
            }
            _ => false,
        }
    }

    pub fn add(&mut self, io: &Io, number: u64) {
        let waiting = Waiting {
            number,
            left: io.len,
            requeued: false,
        };
        let full = self.map.len() >= MOST;
        match self.map.entry(key(io)) {
            Entry::Occupied(mut place) => {
                let others = &mut place.get_mut().others;
                if others.len() < MOST_AT_ONE_PLACE {
                    others.push(waiting);
                }
            }
            Entry::Vacant(place) if !full => {
                place.insert(Place {
                    first: waiting,
                    others: Vec::new(),
                });
            }
            Entry::Vacant(_) => {}
        }
    }

    /// The I/O at the start of `done`, which completes at least a part of it.
    pub fn complete(&mut self, done: &Io) -> Option<Done> {
        let key = key(done);
        let waiting = self.map.get(&key)?.first;
        let whole = done.len >= waiting.left;
        if whole {
            self.take_first(key);
        } else {
            self.advance(key, waiting, done.len);
        }
        Some(Done {
            number: waiting.number,
            whole,
            bytes: waiting.left.min(done.len),
        })
    }

    /// After a part, the rest completes from where the part ended.
    fn advance(&mut self, key: Key, waiting: Waiting, done: u32) {
        self.take_first(key);
        let rest = Io {
            device: key.device,
            offset: key.offset + u64::from(done),
            len: waiting.left - done,
            ..Io::default()
        };
        self.add(&rest, waiting.number);
    }

    fn take_first(&mut self, key: Key) {
        if let Entry::Occupied(mut entry) = self.map.entry(key) {
            if entry.get().others.is_empty() {
                entry.remove();
            } else {
                let place = entry.get_mut();
                place.first = place.others.remove(0);
            }
        }
    }

    /// The driver gave it back. Whether it was known.
    pub fn requeue(&mut self, io: &Io) -> bool {
        match self.map.get_mut(&key(io)) {
            Some(place) => {
                place.first.requeued = true;
                true
            }
            None => false,
        }
    }

    /// Whether the I/O with this number is still in flight.
    pub fn has(&self, io: &Io, number: u64) -> bool {
        self.map.get(&key(io)).is_some_and(|place| {
            place.first.number == number || place.others.iter().any(|w| w.number == number)
        })
    }

    pub fn len(&self) -> usize {
        let waiting = |place: &Place| 1 + place.others.len();
        self.map.values().map(waiting).sum()
    }
}

/// A multiplying hash: keys are few and no attack is worth the time of a keyed one, because the map
/// is bounded.
#[derive(Default)]
struct Mix(u64);

impl Hasher for Mix {
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
