//! A load while it runs: which request comes next, and what was seen of those before.

use ioalign_core::random::Random;
use ioalign_core::units::ratio;

use super::MOST_IN_FLIGHT;
use super::latencies::LatencyBuckets;
use super::system::{SimulatedTenant, TenantLoad, TenantOutcome};
use crate::requests::{ArrayRequest, RequestStream};

/// Those that count, and those before.
struct TenantStreams {
    warm_up: RequestStream,
    counted: RequestStream,
}

/// The requests of a load.
enum TenantRequests<'a> {
    Streams(Box<TenantStreams>),
    Replay(std::slice::Iter<'a, super::ReplayedIo>),
}

/// A load while it runs.
pub struct TenantState<'a> {
    pub about: SimulatedTenant<'a>,
    requests: TenantRequests<'a>,
    /// The mean time between requests of an open workload.
    gap_ns: Option<u64>,
    random: Random,
    pub latencies: LatencyBuckets,
    pub ios: u64,
    pub bytes: u64,
    /// Whether anything must be rounded, mapped in pieces or cached: the short way does none of it.
    pub is_plain: bool,
}

impl<'a> TenantState<'a> {
    pub fn new(about: &SimulatedTenant<'a>, number: u64, seed: u64) -> Result<Self, String> {
        let seed = seed.wrapping_add(number.wrapping_mul(0x9e37_79b9));
        let region = about.place.size();
        let mut gap_ns = None;
        let requests = match about.load {
            TenantLoad::Workload(workload) => {
                gap_ns = workload.rate_iops.map(gap).transpose()?;
                TenantRequests::Streams(Box::new(TenantStreams {
                    warm_up: RequestStream::new(workload, region, !seed)?,
                    counted: RequestStream::new(workload, region, seed)?,
                }))
            }
            TenantLoad::Replay { ios, .. } => {
                for (number, io) in ios.iter().enumerate() {
                    if io.at.checked_add(io.len).is_none_or(|end| end > region) {
                        let (number, at) = (number + 1, io.at);
                        return Err(format!(
                            "I/O {number} of the trace, {} bytes at {at}, is past the volume's {region} bytes",
                            io.len
                        ));
                    }
                }
                TenantRequests::Replay(ios.iter())
            }
        };
        Ok(Self {
            about: *about,
            requests,
            gap_ns,
            random: Random::new(seed),
            latencies: LatencyBuckets::new(),
            ios: 0,
            bytes: 0,
            is_plain: about.block_bytes == 0,
        })
    }

    /// Places of a closed load: for each one its worker. An open one has none.
    pub fn workers(&self) -> Result<Vec<usize>, String> {
        let (workers, depth) = match self.about.load {
            TenantLoad::Workload(workload) => (
                u64::from(workload.workers.max(1)),
                u64::from(workload.queue_depth.max(1)),
            ),
            TenantLoad::Replay { depth, .. } => (1, depth.unwrap_or(0).into()),
        };
        if workers * depth > MOST_IN_FLIGHT {
            let many = workers * depth;
            return Err(format!(
                "at most {MOST_IN_FLIGHT} I/Os are in flight, not {many}"
            ));
        }
        if self.gap_ns.is_some() {
            return Ok(Vec::new());
        }
        let all = 0..workers * depth;
        Ok(all
            .map(|slot| usize::try_from(slot % workers).unwrap_or(0))
            .collect())
    }

    /// Whether requests come at times of their own.
    pub const fn is_open(&self) -> bool {
        let timed = matches!(self.about.load, TenantLoad::Replay { depth: None, .. });
        timed || self.gap_ns.is_some()
    }

    /// Nanoseconds until the next request of an open load that is at `now`.
    pub fn wait(&mut self, now: u64) -> Option<u64> {
        match &self.requests {
            TenantRequests::Replay(rest) => {
                let next = rest.as_slice().first()?;
                Some(next.time_ns.saturating_sub(now))
            }
            TenantRequests::Streams(_) => Some(exponential(&mut self.random, self.gap_ns?)),
        }
    }

    /// The next request; `None`: the trace is at its end.
    #[inline]
    pub fn next(&mut self, worker: usize, counts: bool) -> Option<ArrayRequest> {
        match &mut self.requests {
            TenantRequests::Streams(streams) if counts => Some(streams.counted.next(worker)),
            TenantRequests::Streams(streams) => Some(streams.warm_up.next(worker)),
            TenantRequests::Replay(rest) => rest.next().map(|io| ArrayRequest {
                at: io.at,
                len: io.len,
                write: io.write,
            }),
        }
    }

    pub fn outcome(&self) -> TenantOutcome {
        TenantOutcome {
            ios: self.ios,
            bytes: self.bytes,
            latency: self.latencies.summary(),
        }
    }
}

/// Exponentially distributed with this mean: queues depend on its variance.
// 53 random bits, and a time below 2^53 nanoseconds that is not negative.
#[allow(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss
)]
fn exponential(random: &mut Random, mean: u64) -> u64 {
    let share = ((random.next() >> 11) + 1) as f64 / (1_u64 << 53) as f64;
    (-share.ln() * mean as f64) as u64
}

/// The mean time between requests of a rate.
// A gap is below 2^53 nanoseconds.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn gap(rate: f64) -> Result<u64, String> {
    let ns = ratio(1_000_000_000, 1) / rate;
    (1.0..1e15)
        .contains(&ns)
        .then_some(ns as u64)
        .ok_or_else(|| {
            format!("a rate of {rate} I/Os a second: more than 0.000001, at most 1000000000")
        })
}
