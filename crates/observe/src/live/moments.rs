//! I/O by the moment of its issue: bursts and queue depth, without an event for each I/O.
//!
//! The program keeps a sum for each of the last 4096 moments of 2^20 ns. They are read here three seconds
//! later, when nearly everything that was issued in one has completed; what is slower is counted apart.

use aya::maps::{MapData, PerCpuArray};
use ioalign_core::profile::littles_law::LawInputs;
use ioalign_core::profile::{Burst, Bursts, DeviceProfile, QueueDepth};
use rustix::time::{ClockId, clock_gettime};

use super::attach::Watch;
use super::layout::{MOMENT, MOMENTS};
use super::totals::{DeviceTotals, WatchTotals, failed};
use crate::analyse::bursts::BurstState;
use crate::analyse::depth;
use crate::analyse::folded::Folded;
use crate::analyse::limits::DeviceLimits;
use crate::analyse::sampler::SamplerState;
use crate::analyse::sum::IoSum;
use crate::error::{ObserveError, ObserveErrorKind, Result};

/// A moment, as a power of two of nanoseconds.
const MOMENT_BITS: u32 = 20;
/// Moments that are left to fill.
const LAG: u64 = 2860;
/// Steps of queue depth, from a millisecond on.
const STEPS: usize = 128;
const FIRST_STEP: u64 = 1_000_000;
/// Samples that wait for completions.
const SAMPLES: usize = 16;

/// The time of all devices.
pub struct Timeline {
    origin: u64,
    samplers: Vec<u64>,
    /// The first moment that was not read.
    next: u64,
    devices: Vec<DeviceTime>,
}

struct DeviceTime {
    timed: u64,
    /// Nothing is left to read from then on.
    idle_from: u64,
    bursts: BurstState,
    samplers: Vec<SamplerState>,
    area: Folded<u64>,
    sum: IoSum,
    first: Option<u64>,
    busy: u64,
}

/// Nanoseconds, on the clock of the program.
fn now() -> u64 {
    let now = clock_gettime(ClockId::Monotonic);
    let seconds = u64::try_from(now.tv_sec).unwrap_or(0);
    seconds * 1_000_000_000 + u64::try_from(now.tv_nsec).unwrap_or(0)
}

impl Timeline {
    /// Begins now; a burst ends after `gap` nanoseconds with nothing in flight.
    pub fn new(devices: usize, gap: u64, samplers: &[u64]) -> Self {
        let origin = now();
        let device = || DeviceTime {
            timed: 0,
            idle_from: 0,
            bursts: BurstState::new(gap, DeviceLimits::after(0).bursts),
            samplers: samplers
                .iter()
                .map(|width| SamplerState::new(*width, SAMPLES))
                .collect(),
            area: Folded::new(FIRST_STEP, STEPS),
            sum: IoSum::default(),
            first: None,
            busy: 0,
        };
        Self {
            origin,
            samplers: samplers.to_vec(),
            next: origin >> MOMENT_BITS,
            devices: (0..devices).map(|_| device()).collect(),
        }
    }

    /// Takes up what is old enough; to be called every second. `totals` are those of now.
    pub fn read(&mut self, watch: &Watch, totals: &WatchTotals) -> Result<()> {
        self.read_until(watch, totals, (now() >> MOMENT_BITS).saturating_sub(LAG))
    }

    /// Takes up everything.
    pub fn finish(&mut self, watch: &Watch, totals: &WatchTotals) -> Result<()> {
        self.read_until(watch, totals, (now() >> MOMENT_BITS) + 1)
    }

    fn read_until(&mut self, watch: &Watch, totals: &WatchTotals, end: u64) -> Result<()> {
        let map = watch.map("moments");
        let what = || ObserveError::new(ObserveErrorKind::Malformed, "The program has no moments");
        let moments: PerCpuArray<&MapData, [u64; MOMENT]> =
            PerCpuArray::try_from(map.ok_or_else(what)?).map_err(failed)?;
        let oldest = end.saturating_sub(u64::from(MOMENTS));
        let devices = self.devices.iter_mut().zip(&totals.devices);
        for ((device, totals), slot) in devices.zip(0_u32..) {
            if !device.may_have_more(totals, end) {
                continue;
            }
            for number in self.next.max(oldest)..end {
                let place = u32::try_from(number % u64::from(MOMENTS)).unwrap_or(0);
                let parts = moments.get(&(slot * MOMENTS + place), 0).map_err(failed)?;
                if let Some(group) = MomentGroup::of(number, parts.iter(), self.origin) {
                    device.add(&group);
                }
            }
        }
        self.next = self.next.max(end);
        Ok(())
    }

    /// The largest bursts of a device so far, and the sum of all.
    pub fn bursts(&self, slot: usize) -> (Vec<Burst>, Bursts) {
        let device = self.devices.get(slot);
        device
            .map(|device| device.bursts.profile(&self.samplers))
            .unwrap_or_default()
    }

    /// I/Os of a device that completed too late to be in it.
    pub fn unseen(&self, slot: usize, totals: &DeviceTotals) -> u64 {
        let seen = self.devices.get(slot).map_or(0, |device| device.sum.ios);
        totals.completed().saturating_sub(seen)
    }

    /// Fills in what the profile says of it.
    pub fn profile(&self, slot: usize, out: &mut DeviceProfile) {
        let Some(device) = self.devices.get(slot) else {
            return;
        };
        (out.bursts, out.bursts_total) = device.bursts.profile(&self.samplers);
        out.samplers = device.samplers.iter().map(SamplerState::profile).collect();
        let duration = device.sum.end.saturating_sub(device.first.unwrap_or(0));
        out.queue_depth = device.depth(duration);
        out.littles_law = LawInputs {
            duration,
            ios: device.sum.ios,
            known: device.sum.known,
            latency: u128::from(device.sum.latency),
            area: u128::from(device.sum.latency),
            busy: device.busy,
        }
        .check();
    }
}

/// The I/Os of one moment, in nanoseconds since the beginning.
struct MomentGroup {
    first: u64,
    sum: IoSum,
}

impl MomentGroup {
    /// Over all processors.
    fn of<'a>(
        number: u64,
        parts: impl Iterator<Item = &'a [u64; MOMENT]>,
        origin: u64,
    ) -> Option<Self> {
        let mut all: Option<Self> = None;
        for [of, ios, bytes, latency, first, last] in parts {
            if *of != number {
                continue;
            }
            let first = first.saturating_sub(origin);
            let group = all.get_or_insert(Self {
                first,
                sum: IoSum::default(),
            });
            group.first = group.first.min(first);
            group.sum.end = group.sum.end.max(last.saturating_sub(origin));
            group.sum.ios += ios;
            group.sum.known += ios;
            group.sum.bytes += bytes;
            group.sum.latency += latency;
        }
        all
    }
}

impl DeviceTime {
    /// Whether anything completed since, or so lately that its moment was not read.
    fn may_have_more(&mut self, totals: &DeviceTotals, end: u64) -> bool {
        let timed = totals.completed();
        if timed != self.timed {
            self.timed = timed;
            self.idle_from = end + u64::from(MOMENTS);
        }
        end <= self.idle_from
    }

    fn add(&mut self, group: &MomentGroup) {
        let (first, sum) = (group.first, &group.sum);
        let busy = sum.end.saturating_sub(first.max(self.sum.end));
        let begun = *self.first.get_or_insert(first);
        let since = IoSum {
            end: sum.end.saturating_sub(begun),
            ..*sum
        };
        for sampler in &mut self.samplers {
            sampler.add_group(first.saturating_sub(begun), &since);
        }
        self.busy += busy;
        self.bursts.add_group(first, sum, busy);
        self.spread(first, sum);
        self.sum.end = self.sum.end.max(sum.end);
        self.sum.ios += sum.ios;
        self.sum.known += sum.known;
        self.sum.latency += sum.latency;
    }

    /// The time in flight, evenly from the first issue to the last completion.
    fn spread(&mut self, first: u64, sum: &IoSum) {
        let length = u128::from(sum.end.saturating_sub(first)).max(1);
        self.area.spread(first, sum.end, |row, time| {
            let part = u128::from(time) * u128::from(sum.latency) / length;
            *row += u64::try_from(part).unwrap_or(u64::MAX);
        });
    }

    /// The most at one time is not known.
    fn depth(&self, duration: u64) -> Option<QueueDepth> {
        let stated = || depth::queue_depth(self.sum.latency, 0, duration, self.busy, &self.area);
        (duration > 0).then(stated)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    #[test]
    fn moments_of_two_processors_make_bursts() {
        let mut timeline = Timeline::new(1, 10 * MS, &[1000 * MS]);
        let device = timeline.devices.first_mut().unwrap();
        // Two bursts: 2 × 4 I/Os of 1 MiB from 1 to 5 ms, and one from 30 ms on.
        for (number, parts) in [
            (
                1,
                vec![
                    [1, 4, 4 << 20, 8 * MS, MS, 4 * MS],
                    [1, 4, 4 << 20, 8 * MS, MS + 5, 5 * MS],
                ],
            ),
            // Another processor's counters are of an older moment.
            (
                30,
                vec![
                    [30, 1, 1 << 20, 2 * MS, 30 * MS, 32 * MS],
                    [7, 9, 9, 9, 9, 9],
                ],
            ),
        ] {
            device.add(&MomentGroup::of(number, parts.iter(), 0).unwrap());
        }
        assert!(MomentGroup::of(8, [[7, 9, 9, 9, 9, 9]].iter(), 0).is_none());
        let (bursts, total) = timeline.bursts(0);
        let shown: Vec<_> = bursts
            .iter()
            .map(|b| (b.ios, b.bytes, b.duration_us))
            .collect();
        assert_eq!(shown, [(8, 8 << 20, 4000.0), (1, 1 << 20, 2000.0)]);
        assert_eq!((total.count, total.longest_us), (2, 4000.0));
        let mut out = DeviceProfile::default();
        timeline.profile(0, &mut out);
        // In one sample of a second, which 9 MiB of 31 ms are.
        let sampler = &out.samplers[0];
        assert_eq!((sampler.samples, sampler.active), (1, 1));
        assert!((sampler.highest_bytes_per_s - f64::from(9 << 20)).abs() < 1.0);
        let depth = out.queue_depth.unwrap();
        // 18 ms in flight in 31 ms, of which 6 with any.
        assert!((depth.mean - 18.0 / 31.0).abs() < 1e-9, "{depth:?}");
        assert!((depth.mean_while_busy - 3.0).abs() < 1e-9);
        let in_flight: f64 = depth.in_flight_us.iter().sum();
        assert!((in_flight - 18_000.0).abs() < 0.1, "{in_flight}");
    }
}
