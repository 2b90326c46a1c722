//! A device in virtual time: its clock moves by what it serves.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::{DeviceLaw, Places, ServedIo, Servers};
use crate::Random;

/// Serves by a law, with noise that is the same for all.
#[derive(Clone, Debug)]
pub struct VirtualDevice {
    servers: Servers,
    noise: Random,
    now_us: f64,
}

/// An I/O and its times.
#[derive(Copy, Clone, Debug)]
pub struct AnsweredIo {
    /// The I/O.
    pub io: ServedIo,
    /// When it was sent, in µs.
    pub at_us: f64,
    /// How long it took.
    pub latency_us: f64,
}

/// What a full queue has done.
#[derive(Copy, Clone, Debug, Default)]
pub struct Ran {
    /// I/Os completed.
    pub ios: u64,
    /// From the first sent to the last completed.
    pub us: f64,
}

impl VirtualDevice {
    /// An idle device; noise is drawn from the seed.
    pub fn new(law: DeviceLaw, seed: u64) -> Self {
        Self {
            servers: Servers::new(law),
            noise: Random(seed),
            now_us: 0.0,
        }
    }

    /// Its clock, in µs.
    pub const fn now_us(&self) -> f64 {
        self.now_us
    }

    /// So many I/Os at once, and all are waited for.
    pub fn batch(&mut self, places: &mut Places, many: usize) -> Ran {
        let began = self.now_us;
        let ends = (0..many).map(|_| self.send(&places.draw(), began));
        self.now_us = ends.fold(began, f64::max);
        Ran {
            ios: many as u64,
            us: self.now_us - began,
        }
    }

    /// Keeps this many in flight until `enough` of I/Os and µs, and shows each I/O.
    pub fn full_queue(
        &mut self,
        places: &mut Places,
        depth: usize,
        enough: impl Fn(&Ran) -> bool,
        mut show: impl FnMut(&AnsweredIo),
    ) -> Ran {
        let began = self.now_us;
        let mut flying = BinaryHeap::with_capacity(depth);
        let mut ran = Ran::default();
        let mut now = began;
        for _ in 0..depth {
            flying.push(Reverse(Moment(self.sent(places, now, &mut show))));
        }
        while let Some(Reverse(Moment(end))) = flying.pop() {
            now = end;
            ran.ios += 1;
            ran.us = now - began;
            if !enough(&ran) {
                flying.push(Reverse(Moment(self.sent(places, now, &mut show))));
            }
        }
        self.now_us = now;
        ran
    }

    fn sent(&mut self, places: &mut Places, now: f64, show: &mut impl FnMut(&AnsweredIo)) -> f64 {
        let io = places.draw();
        let end = self.send(&io, now);
        show(&AnsweredIo {
            io,
            at_us: now,
            latency_us: end - now,
        });
        end
    }

    fn send(&mut self, io: &ServedIo, now: f64) -> f64 {
        let factor = self.factor();
        self.servers.take(io, now, factor)
    }

    /// From 0.8 to 1.3; one in 500 takes five times as long.
    fn factor(&mut self) -> f64 {
        let drawn = self.noise.below_u64(500);
        if drawn == 0 {
            return 5.0;
        }
        0.8 + f64::from(u32::try_from(drawn).unwrap()) / 1000.0
    }
}

/// A time that can be put in order.
#[derive(Copy, Clone, Debug, PartialEq)]
struct Moment(f64);

impl Eq for Moment {}

impl Ord for Moment {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl PartialOrd for Moment {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

#[cfg(test)]
mod tests {
    use super::super::{ServedWorkload, ServerSplit};
    use super::*;

    #[test]
    fn servers_are_the_limit_of_a_full_queue() {
        let law = DeviceLaw {
            unit: 4096,
            servers: 4,
            read_us: 100.0,
            write_us: 100.0,
            kib_us: 0.0,
            sequential: 1.0,
            extra_cell_us: 100.0,
            partial_cell_us: 0.0,
            split: ServerSplit::Whole,
        };
        let workload = ServedWorkload {
            sizes: vec![(4096, 1)],
            reads_percent: 100,
            sequential: false,
            depth: 16,
        };
        let took = |depth: usize, start: u64| {
            let mut device = VirtualDevice::new(law.clone(), 1);
            let mut places = Places::new(&workload, start, 1);
            let ran = device.full_queue(&mut places, depth, |ran| ran.ios >= 10_000, |_| {});
            ran.us / 10_000.0
        };
        let (one, four, many) = (took(1, 0), took(4, 0), took(16, 0));
        assert!((one / four - 4.0).abs() < 0.1 && (four / many - 1.0).abs() < 0.05);
        assert!((took(16, 512) / many - 2.0).abs() < 0.05);
    }
}
