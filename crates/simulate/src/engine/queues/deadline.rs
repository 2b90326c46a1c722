//! The order of the kernel's scheduler mq-deadline (`block/mq-deadline.c` of Linux 6.1), with its usual settings: reads
//! before writes, sector after sector, the oldest after a batch or past its time.

use super::waiting::{QueuedIo, QueuedIos};

/// I/Os of a batch (`fifo_batch`).
const BATCH: u32 = 16;
/// Batches of reads before the writes that wait (`writes_starved`).
const STARVED: u32 = 2;
/// After these an I/O is served at once: a read (`read_expire`), a write (`write_expire`).
const EXPIRY_NS: [u64; 2] = [500_000_000, 5_000_000_000];

/// What the scheduler tells apart of an I/O that waits.
pub trait ScheduledIo {
    /// A number of its own.
    fn number(&self) -> u64;
    /// When the first of it came.
    fn came(&self) -> u64;
}

/// The state of one disk.
#[derive(Debug, Default)]
pub struct DeadlineOrder {
    /// The direction of the batch, and how many it has had.
    writes: bool,
    batch: u32,
    starved: u32,
    /// The next higher I/O of each direction, as it was when the last one was taken.
    next: [Option<u64>; 2],
}

impl DeadlineOrder {
    /// The place of the I/O that is taken now.
    pub fn choose<T: ScheduledIo>(&mut self, waiting: &QueuedIos<T>, now: u64) -> Option<usize> {
        let goes_on = self.place(waiting, self.writes);
        let place = match goes_on {
            Some(place) if self.batch < BATCH => place,
            _ => self.begin(waiting, now)?,
        };
        self.batch += 1;
        let taken = waiting.iter().nth(place)?;
        self.next[usize::from(taken.write)] = higher(waiting, taken);
        Some(place)
    }

    /// An I/O became a part of another one.
    pub fn forget<T: ScheduledIo>(&mut self, waiting: &QueuedIos<T>, gone: &QueuedIo<T>) {
        let next = &mut self.next[usize::from(gone.write)];
        if *next == Some(gone.known.number()) {
            *next = higher(waiting, gone);
        }
    }

    /// A new batch.
    fn begin<T: ScheduledIo>(&mut self, waiting: &QueuedIos<T>, now: u64) -> Option<usize> {
        let oldest = |writes: bool| {
            let mut all = waiting.iter().enumerate();
            all.find(|(_, io)| io.write == writes)
        };
        let writes = match (oldest(false), oldest(true)) {
            (None, None) => return None,
            (None, Some(_)) => true,
            (Some(_), None) => false,
            (Some(_), Some(_)) => {
                self.starved += 1;
                self.starved > STARVED
            }
        };
        if writes {
            self.starved = 0;
        }
        let (first, io) = oldest(writes)?;
        let is_late = now >= io.known.came() + EXPIRY_NS[usize::from(writes)];
        let next = self.place(waiting, writes).filter(|_| !is_late);
        (self.writes, self.batch) = (writes, 0);
        Some(next.unwrap_or(first))
    }

    fn place<T: ScheduledIo>(&self, waiting: &QueuedIos<T>, writes: bool) -> Option<usize> {
        let number = self.next[usize::from(writes)]?;
        waiting.iter().position(|io| io.known.number() == number)
    }
}

/// The I/O of the same direction that lies next above.
fn higher<T: ScheduledIo>(waiting: &QueuedIos<T>, of: &QueuedIo<T>) -> Option<u64> {
    let above = waiting
        .iter()
        .filter(|io| io.write == of.write && io.at > of.at);
    above.min_by_key(|io| io.at).map(|io| io.known.number())
}

#[cfg(test)]
mod tests {
    use super::super::waiting::LONGEST;
    use super::*;

    struct Numbered(u64);

    impl ScheduledIo for Numbered {
        fn number(&self) -> u64 {
            self.0
        }
        fn came(&self) -> u64 {
            0
        }
    }

    fn order(ios: &[(u64, bool)], now: u64) -> Vec<u64> {
        let mut waiting = QueuedIos::new(LONGEST);
        for (number, (at, write)) in (0..).zip(ios) {
            waiting.push(QueuedIo {
                at: *at,
                len: 512,
                write: *write,
                counts: true,
                known: Numbered(number),
            });
        }
        let mut order = DeadlineOrder::default();
        let mut taken = Vec::new();
        while let Some(place) = order.choose(&waiting, now) {
            taken.extend(waiting.take(place).map(|io| io.at));
        }
        taken
    }

    #[test]
    fn a_batch_goes_up_from_the_oldest() {
        let reads = [(500, false), (900, false), (100, false), (700, false)];
        assert_eq!(order(&reads, 0), [500, 700, 900, 100]);
        // Past its time the oldest is first in each batch.
        assert_eq!(order(&reads, EXPIRY_NS[0]), [500, 700, 900, 100]);
    }

    #[test]
    fn writes_wait_for_two_batches_of_reads() {
        let ios = [
            (900, true),
            (800, false),
            (700, false),
            (600, false),
            (950, true),
        ];
        assert_eq!(order(&ios, 0), [800, 700, 900, 950, 600]);
    }
}
