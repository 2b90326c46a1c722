//! When I/O comes: at exponentially distributed times, within bursts if there are any.

use super::{BurstPlan, GeneratePlan, Random};

/// The moment of the next I/O.
#[derive(Clone, Debug)]
pub struct Arrival {
    now: u64,
    between: u64,
    bursts: Option<BurstPlan>,
}

impl Arrival {
    pub const fn new(plan: &GeneratePlan) -> Self {
        Self {
            now: 0,
            between: plan.between,
            bursts: plan.bursts,
        }
    }

    /// Nanoseconds since the start.
    #[inline]
    pub fn next(&mut self, random: &mut Random) -> u64 {
        // Never two at once: the events of one I/O have moments of their own.
        self.now = self
            .now
            .saturating_add(random.exponential(self.between).max(1));
        if let Some(bursts) = self.bursts
            && self.now % bursts.every >= bursts.on
        {
            let next = (self.now / bursts.every).saturating_add(1);
            self.now = next.saturating_mul(bursts.every);
        }
        self.now
    }

    /// The device had no room before.
    pub fn not_before(&mut self, time: u64) {
        self.now = self.now.max(time);
    }
}
