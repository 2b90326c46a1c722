//! The description of a generated trace.

use std::str::FromStr;

use super::Random;
use crate::record::{TraceDevice, TraceProcess};

/// A share, exact to a millionth.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Ratio(u32);

const MILLION: u32 = 1_000_000;

impl Ratio {
    /// A share in per cent.
    pub const fn percent(percent: u32) -> Self {
        Self(percent * 10_000)
    }

    /// Whether this one belongs to the share.
    #[inline]
    pub fn hits(self, random: &mut Random) -> bool {
        self.0 > 0 && random.below(u64::from(MILLION)) < u64::from(self.0)
    }
}

impl FromStr for Ratio {
    type Err = String;

    /// `17%`, `0.17`, `1`.
    fn from_str(text: &str) -> Result<Self, String> {
        let (digits, scale) = match text.strip_suffix('%') {
            Some(digits) => (digits, 10_000.0),
            None => (text, f64::from(MILLION)),
        };
        let value: f64 = digits
            .trim()
            .parse()
            .map_err(|_| format!("`{text}` is no share: 17% or 0.17"))?;
        let parts = (value * scale).round();
        if !(0.0..=f64::from(MILLION)).contains(&parts) {
            return Err(format!("`{text}` is not from 0% to 100%"));
        }
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // within range
        Ok(Self(parts as u32))
    }
}

/// Sizes and how often each is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SizeMix {
    /// Bytes, and the weights up to and with this size.
    steps: Vec<(u32, u64)>,
    total: u64,
}

impl SizeMix {
    /// Bytes with their weights; `None` where no weight is above zero.
    pub fn new(sizes: &[(u32, u32)]) -> Option<Self> {
        let mut total = 0_u64;
        let steps = sizes.iter().map(|(bytes, weight)| {
            total += u64::from(*weight);
            (*bytes, total)
        });
        let steps = steps.collect();
        (total > 0).then_some(Self { steps, total })
    }

    /// All of them.
    pub fn sizes(&self) -> impl Iterator<Item = u32> {
        self.steps.iter().map(|(bytes, _)| *bytes)
    }

    /// The largest.
    pub fn largest(&self) -> u32 {
        self.sizes().max().unwrap_or(0)
    }

    #[inline]
    pub(super) fn pick(&self, random: &mut Random) -> u32 {
        let at = random.below(self.total);
        let found = self.steps.iter().find(|(_, upto)| at < *upto);
        found.map_or(0, |(bytes, _)| *bytes)
    }
}

/// I/O comes for a time, then none does.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct BurstPlan {
    /// Nanoseconds with I/O.
    pub on: u64,
    /// Nanoseconds from the start of a burst to the start of the next.
    pub every: u64,
}

/// The description of a generated trace.
#[derive(Clone, Debug)]
pub struct GeneratePlan {
    /// I/Os.
    pub ios: u64,
    /// Another seed gives another trace of the same kind.
    pub seed: u64,
    /// The devices, all alike.
    pub devices: Vec<TraceDevice>,
    /// Bytes of each of them.
    pub device_size: u64,
    /// Who issues I/O, all alike; none where the format knows none.
    pub processes: Vec<TraceProcess>,
    /// How large it is.
    pub sizes: SizeMix,
    /// I/O starts at a multiple of this, but for what is misaligned, and the shift.
    pub align: u64,
    /// The share that starts off by a few 512-byte sectors.
    pub misaligned: Ratio,
    /// Added to every offset: a partition that starts there.
    pub shift: u64,
    /// The share that begins where the last I/O of its device and process ended.
    pub sequential: Ratio,
    /// Reads among reads and writes.
    pub reads: Ratio,
    /// Discards among all but flushes.
    pub discards: Ratio,
    /// Flushes among all.
    pub flushes: Ratio,
    /// Mean time from one I/O to the next, in nanoseconds.
    pub between: u64,
    /// When I/O comes; always, without.
    pub bursts: Option<BurstPlan>,
    /// The most in flight.
    pub depth: usize,
    /// Mean latency in nanoseconds; 0: none is known.
    pub latency: u64,
    /// Latency of writes that cover a 4 KiB block in part, in percent of that of others.
    pub penalty_percent: u64,
    /// Times are multiples of this many nanoseconds, as in the format.
    pub tick: u64,
    /// Latencies too.
    pub latency_tick: u64,
}

impl Default for GeneratePlan {
    fn default() -> Self {
        Self {
            ios: 100_000,
            seed: 1,
            devices: vec![TraceDevice::Number {
                major: 8,
                minor: 16,
            }],
            device_size: 1 << 40,
            processes: processes(4),
            sizes: SizeMix {
                steps: vec![(4096, 1)],
                total: 1,
            },
            align: 4096,
            misaligned: Ratio(0),
            shift: 0,
            sequential: Ratio(0),
            reads: Ratio::percent(70),
            discards: Ratio(0),
            flushes: Ratio(0),
            between: 50_000,
            bursts: None,
            depth: 64,
            latency: 120_000,
            penalty_percent: 160,
            tick: 1,
            latency_tick: 1,
        }
    }
}

impl GeneratePlan {
    /// A time as the format can have it.
    pub(super) fn ticks(&self, nanos: u64) -> i64 {
        let tick = self.tick.max(1);
        i64::try_from(nanos / tick * tick).unwrap_or(i64::MAX)
    }

    pub(super) fn latency_ticks(&self, nanos: u64) -> u64 {
        let tick = self.latency_tick.max(1);
        (nanos / tick * tick).max(tick)
    }

    /// The reason why the plan is impossible, in a sentence.
    pub fn fault(&self) -> Option<String> {
        let need = u64::from(self.sizes.largest()) + self.align + 4096;
        if self.align == 0 || !self.align.is_power_of_two() {
            return Some("the alignment is not a power of two".to_owned());
        }
        if self.device_size < need.saturating_mul(4) {
            return Some("the device is smaller than four of the largest I/Os".to_owned());
        }
        if self
            .shift
            .checked_add(self.device_size)
            .is_none_or(|end| end > 1 << 62)
        {
            return Some("the device ends past 4 EiB".to_owned());
        }
        if self
            .bursts
            .is_some_and(|bursts| bursts.on == 0 || bursts.every < bursts.on)
        {
            return Some("a burst is longer than the time to the next".to_owned());
        }
        let places = (self.device_size - need) / self.align;
        if places < 4 * self.depth as u64 {
            return Some("the device has too few places for this many I/Os in flight".to_owned());
        }
        self.devices
            .is_empty()
            .then(|| "there is no device".to_owned())
    }
}

/// Number of processes, with the names of typical server processes.
pub fn processes(count: u32) -> Vec<TraceProcess> {
    const NAMES: [&str; 6] = [
        "postgres",
        "mysqld",
        "etcd",
        "java",
        "qemu-kvm",
        "kworker/u8:1",
    ];
    let names = NAMES.iter().cycle();
    let all = (1000..).zip(names).take(count.max(1) as usize);
    all.map(|(pid, name)| TraceProcess {
        pid,
        name: (*name).into(),
    })
    .collect()
}
