//! The counters of the generated I/O, by the definitions themselves: divisions and comparisons,
//! without the shortcuts of [`crate::analyse`], so that a reader of the trace can be compared with
//! it.

use std::collections::BTreeMap;

use ioalign_core::profile::{
    self, Bursts, DeviceProfile, GridProfile, OpProfile, ProcessProfile, Profile, SizeCount,
};
use ioalign_core::units::ratio;
use ioalign_core::{GridClaim, Origin};

use super::GeneratePlan;
use crate::analyse::latency::Histogram;
use crate::analyse::tier;
use crate::record::{Io, NO_LATENCY, Op};

/// Powers of two, from 1 byte on.
const POWERS: usize = 64;
/// Cells that any I/O can straddle: past the largest device.
const CELLS: usize = 63;

/// Counters of all that was generated.
pub struct Truth {
    grids: Vec<GridClaim>,
    gap: u64,
    first: Option<i64>,
    last: i64,
    events: u64,
    devices: Vec<DeviceTruth>,
}

#[derive(Default)]
struct DeviceTruth {
    ops: BTreeMap<Op, Counters>,
    processes: BTreeMap<(u32, Op), Owned>,
    bursts: BurstCounters,
}

#[derive(Clone)]
struct Counters {
    ios: u64,
    bytes: u64,
    sizes: BTreeMap<u32, (u64, u64)>,
    starts: [u64; POWERS],
    lengths: [u64; POWERS],
    straddling: [u64; CELLS],
    sectors: [u64; 8],
    whole: [u64; 8],
    latency: Histogram,
    grids: Vec<OnGrid>,
}

#[derive(Copy, Clone, Default)]
struct OnGrid {
    start_off: u64,
    length_off: u64,
    straddling: u64,
    touched: u64,
    minimum: u64,
}

#[derive(Clone)]
struct Owned {
    ios: u64,
    bytes: u64,
    length_off: u64,
    starts: [u64; POWERS],
}

#[derive(Default)]
struct BurstCounters {
    begun: Option<(u64, u64)>,
    count: u64,
    duration: u64,
    longest: u64,
    bytes: u64,
}

/// The largest k for which 2^k divides the value; 63 for zero.
fn power(value: u64) -> usize {
    if value == 0 {
        return 63;
    }
    (1..64).take_while(|k| value.is_multiple_of(1 << k)).count()
}

impl Truth {
    /// The truth about a plan, on these grids. Bursts end after `gap` nanoseconds with nothing in
    /// flight.
    pub fn new(plan: &GeneratePlan, grids: &[GridClaim], gap: u64) -> Self {
        let mut devices = Vec::new();
        devices.resize_with(plan.devices.len(), DeviceTruth::default);
        Self {
            grids: grids.to_vec(),
            gap,
            first: None,
            last: i64::MIN,
            events: 0,
            devices,
        }
    }

    /// Counts one, as the trace has it.
    pub fn add(&mut self, io: &Io) {
        let latency = if io.latency == NO_LATENCY {
            0
        } else {
            io.latency
        };
        let first = *self.first.get_or_insert(io.time);
        let start = u64::try_from(io.time - first).unwrap_or(0);
        self.last = self.last.max(io.time.saturating_add_unsigned(latency));
        self.events += 1;
        let Some(device) = self.devices.get_mut(io.device as usize) else {
            return;
        };
        let grids = &self.grids;
        let counters = device
            .ops
            .entry(io.op)
            .or_insert_with(|| Counters::new(grids.len()));
        counters.add(io, grids);
        device
            .processes
            .entry((io.process, io.op))
            .or_insert_with(Owned::new)
            .add(io);
        device.bursts.add(start, start + latency, io.len, self.gap);
    }

    /// All counters, in the words of a profile.
    pub fn profile(&mut self, plan: &GeneratePlan) -> Profile {
        let duration = self.last.saturating_sub(self.first.unwrap_or(0));
        let (gap, grids) = (self.gap, &self.grids);
        let states = self.devices.iter_mut().zip(&plan.devices);
        let used = states.filter(|(state, _)| !state.ops.is_empty());
        let mut devices: Vec<_> = used
            .map(|(state, name)| state.profile(name.to_string(), plan, grids, gap))
            .collect();
        devices.sort_by(|a, b| a.device.cmp(&b.device));
        let mut out = Profile {
            schema: profile::SCHEMA.to_owned(),
            source: "generated".to_owned(),
            duration_us: u64::try_from(duration).unwrap_or(0) / 1000,
            events: self.events,
            devices,
            ..Profile::default()
        };
        out.judge();
        out
    }
}

impl DeviceTruth {
    fn profile(
        &mut self,
        device: String,
        plan: &GeneratePlan,
        grids: &[GridClaim],
        gap: u64,
    ) -> DeviceProfile {
        self.bursts.close();
        let mut out = DeviceProfile {
            device,
            processes: self.owners(plan),
            bursts_total: self.bursts.profile(gap),
            ..DeviceProfile::default()
        };
        for (op, counters) in &self.ops {
            out.by_op.insert(op.name().to_owned(), counters.profile());
            if op.has_place() {
                let named = counters.grids.iter().zip(grids);
                out.grids
                    .extend(named.map(|(on, spec)| on.profile(*op, spec, counters.ios)));
            }
        }
        out
    }

    fn owners(&self, plan: &GeneratePlan) -> Vec<ProcessProfile> {
        // A format that knows no processes has none to be counted.
        if plan.processes.is_empty() {
            return Vec::new();
        }
        let named = self.processes.iter().map(|((process, op), owned)| {
            let of = plan.processes.get(*process as usize);
            ProcessProfile {
                pid: of.map_or(0, |process| process.pid),
                name: of.map_or_else(String::new, |process| process.name.to_string()),
                op: op.name().to_owned(),
                ios: owned.ios,
                bytes: owned.bytes,
                length_off_4096_ios: owned.length_off,
                start_pow2_histogram: owned.starts.to_vec(),
            }
        });
        let mut all: Vec<_> = named.collect();
        all.sort_by(|a, b| (b.ios, a.pid, &a.name, &a.op).cmp(&(a.ios, b.pid, &b.name, &b.op)));
        all
    }
}

impl Counters {
    fn new(grids: usize) -> Self {
        Self {
            ios: 0,
            bytes: 0,
            sizes: BTreeMap::new(),
            starts: [0; POWERS],
            lengths: [0; POWERS],
            straddling: [0; CELLS],
            sectors: [0; 8],
            whole: [0; 8],
            latency: Histogram::default(),
            grids: vec![OnGrid::default(); grids],
        }
    }

    fn add(&mut self, io: &Io, grids: &[GridClaim]) {
        self.ios += 1;
        self.bytes += u64::from(io.len);
        if io.latency != NO_LATENCY {
            self.latency.add(io.latency);
        }
        if !io.op.has_place() {
            return;
        }
        let (start, len) = (io.offset, u64::from(io.len));
        count_one(&mut self.starts, power(start));
        count_one(&mut self.lengths, power(len));
        let sector = usize::try_from(start / 512 % 8).unwrap_or(0);
        count_one(&mut self.sectors, sector);
        if len % 4096 == 0 {
            count_one(&mut self.whole, sector);
        }
        let size = self.sizes.entry(io.len).or_default();
        size.0 += 1;
        size.1 += u64::from(!start.is_multiple_of(4096));
        if len > 0 {
            for (k, straddling) in self.straddling.iter_mut().enumerate() {
                let cell = 1_u64 << k;
                *straddling += u64::from(len <= cell && start / cell != (start + len - 1) / cell);
            }
        }
        for (on, spec) in self.grids.iter_mut().zip(grids) {
            on.add(start, len, spec);
        }
    }

    fn profile(&self) -> OpProfile {
        let sizes = self.sizes.iter().map(|(bytes, (ios, off))| SizeCount {
            bytes: u64::from(*bytes),
            ios: *ios,
            off_4096_ios: *off,
        });
        let mut straddling = self.straddling.to_vec();
        straddling.resize(POWERS, 0);
        OpProfile {
            ios: self.ios,
            bytes: self.bytes,
            size_histogram: sizes.collect(),
            start_pow2_histogram: self.starts.to_vec(),
            length_pow2_histogram: self.lengths.to_vec(),
            straddling_pow2: straddling,
            start_mod_4096: self.sectors,
            whole_start_mod_4096: self.whole,
            latency_us: self.latency.summary(),
            latency_histogram_ns: self.latency.classes(),
            ..OpProfile::default()
        }
    }
}

fn count_one(all: &mut [u64], index: usize) {
    if let Some(count) = all.get_mut(index) {
        *count += 1;
    }
}

impl OnGrid {
    fn add(&mut self, start: u64, len: u64, spec: &GridClaim) {
        let (size, phase) = (spec.size.get().max(1), spec.phase.get());
        // One cell up: what lies before the first boundary has a cell too.
        let start = start + size - phase % size;
        let minimum = len.div_ceil(size);
        let touched = if len == 0 {
            0
        } else {
            (start + len - 1) / size - start / size + 1
        };
        self.start_off += u64::from(!start.is_multiple_of(size));
        self.length_off += u64::from(!len.is_multiple_of(size));
        self.straddling += u64::from(minimum == 1 && touched == 2);
        self.touched += touched;
        self.minimum += minimum;
    }

    fn profile(&self, op: Op, spec: &GridClaim, ios: u64) -> GridProfile {
        GridProfile {
            op: op.name().to_owned(),
            kind: spec.kind.to_string(),
            size_bytes: spec.size.get(),
            phase_bytes: spec.phase.get(),
            tier: tier(spec.tier).to_owned(),
            declared: spec.origin == Origin::Declared,
            pieces: ios,
            start_off_grid: self.start_off,
            length_not_multiple: self.length_off,
            straddling: self.straddling,
            cells_touched: self.touched,
            cells_minimum: self.minimum,
            ..GridProfile::default()
        }
    }
}

impl Owned {
    const fn new() -> Self {
        Self {
            ios: 0,
            bytes: 0,
            length_off: 0,
            starts: [0; POWERS],
        }
    }

    fn add(&mut self, io: &Io) {
        self.ios += 1;
        self.bytes += u64::from(io.len);
        self.length_off += u64::from(!io.len.is_multiple_of(4096));
        count_one(&mut self.starts, power(io.offset));
    }
}

impl BurstCounters {
    fn add(&mut self, start: u64, end: u64, bytes: u32, gap: u64) {
        match &mut self.begun {
            Some((_, last)) if start <= *last || start - *last < gap => *last = end.max(*last),
            _ => {
                self.close();
                self.begun = Some((start, end));
            }
        }
        self.bytes += u64::from(bytes);
    }

    fn close(&mut self) {
        if let Some((start, end)) = self.begun.take() {
            self.count += 1;
            self.duration += end - start;
            self.longest = self.longest.max(end - start);
        }
    }

    fn profile(&self, gap: u64) -> Bursts {
        let rate = || ratio(self.bytes, self.duration) * 1e9;
        Bursts {
            gap_us: gap / 1000,
            count: self.count,
            duration_us: ratio(self.duration, 1000),
            longest_us: ratio(self.longest, 1000),
            throughput_bytes_per_s: (self.duration > 0).then(rate),
        }
    }
}
