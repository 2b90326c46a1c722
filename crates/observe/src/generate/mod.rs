//! Traces with a known truth: seeded, of any length, in constant memory.
//!
//! A [`GeneratePlan`] says what the workload is like; the same plan and seed give the same trace on every
//! machine, because nothing but whole numbers decides. What was made is counted beside by the
//! definitions themselves ([`truth`]), so that a reader of the trace can be held to it.

mod arrival;
mod flight;
mod place;
mod plan;
mod run;
pub mod truth;

pub use ioalign_core::Random;
pub use plan::{BurstPlan, GeneratePlan, Ratio, SizeMix, processes};
pub use run::{generated_row, write};
pub use truth::Truth;

use crate::record::{Io, NO_LATENCY, Op};
use arrival::Arrival;
use flight::GeneratedInFlight;
use place::GeneratedPlaces;

/// Makes the I/Os of a plan, in the order of issue.
pub struct Generator {
    plan: GeneratePlan,
    random: Random,
    left: u64,
    arrival: Arrival,
    places: GeneratedPlaces,
    flight: GeneratedInFlight,
}

impl Generator {
    /// The first I/O is next.
    pub fn new(plan: &GeneratePlan) -> Self {
        Self {
            random: Random::new(plan.seed),
            left: plan.ios,
            arrival: Arrival::new(plan),
            places: GeneratedPlaces::new(plan),
            flight: GeneratedInFlight::new(plan.depth),
            plan: plan.clone(),
        }
    }

    fn op(&mut self) -> Op {
        let plan = &self.plan;
        if plan.flushes.hits(&mut self.random) {
            Op::Flush
        } else if plan.discards.hits(&mut self.random) {
            Op::Discard
        } else if plan.reads.hits(&mut self.random) {
            Op::Read
        } else {
            Op::Write
        }
    }

    fn one(&mut self) -> Io {
        let device = self.random.below_u32(self.plan.devices.len());
        let process = self.random.below_u32(self.plan.processes.len());
        let op = self.op();
        let time = self.arrival.next(&mut self.random);
        let time = self.flight.wait_for_room(time);
        self.arrival.not_before(time);
        let mut io = Io {
            time: self.plan.ticks(time),
            latency: NO_LATENCY,
            device,
            process,
            op,
            ..Io::default()
        };
        if op.has_place() {
            self.put(&mut io);
        }
        io
    }

    /// A place without I/O in flight: two I/Os at one place could not be distinguished.
    fn put(&mut self, io: &mut Io) {
        io.len = self.plan.sizes.pick(&mut self.random);
        io.offset = self.places.next(io, &mut self.random);
        while self.flight.is_at(io) {
            io.offset = self.places.any(io.len, &mut self.random);
        }
        if self.plan.latency > 0 {
            io.latency = self.latency(io);
            self.flight.add(io);
        }
    }

    /// Half is fixed, half exponential; one in a thousand takes twenty times as long. Writes that
    /// cover a 4 KiB block in part take longer by the factor of the plan.
    fn latency(&mut self, io: &Io) -> u64 {
        let half = self.plan.latency / 2;
        let mut nanos = half + self.random.exponential(half);
        if self.random.below(1000) == 0 {
            nanos = nanos.saturating_mul(20);
        }
        let part = !(io.offset | u64::from(io.len)).is_multiple_of(4096);
        if part && io.op == Op::Write {
            nanos = nanos.saturating_mul(self.plan.penalty_percent) / 100;
        }
        self.plan.latency_ticks(nanos)
    }
}

impl Iterator for Generator {
    type Item = Io;

    fn next(&mut self) -> Option<Io> {
        self.left = self.left.checked_sub(1)?;
        Some(self.one())
    }
}

#[cfg(test)]
mod tests;
