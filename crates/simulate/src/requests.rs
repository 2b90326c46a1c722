//! The requests of a workload: the same stream for the same seed.
//!
//! Places come from splitmix64, one number each, modulo the places that there are; of a mix of reads and writes
//! one number before it chooses which. A load generator on a real array can send the same stream.

use ioalign_core::random::split_mix;
use ioalign_core::workload::{Pattern, Workload};

/// One request, at an address of the region.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct ArrayRequest {
    /// Where.
    pub at: u64,
    /// How much.
    pub len: u64,
    /// Whether it writes.
    pub write: bool,
}

/// A stream of requests.
#[derive(Clone, Debug)]
pub struct RequestStream {
    seed: u64,
    sizes: Vec<RequestSize>,
    weights: u64,
    /// Of 2^32; `None` where all are alike.
    reads: Option<u64>,
    all_write: bool,
    pattern: Pattern,
    offset: u64,
    /// Of sequential workers: where each one is.
    cursors: Vec<u64>,
    region: u64,
}

#[derive(Copy, Clone, Debug)]
struct RequestSize {
    len: u64,
    weight: u64,
    step: u64,
    places: u64,
}

impl RequestStream {
    /// The stream over a region, or why there is none.
    pub fn new(workload: &Workload, region: u64, seed: u64) -> Result<Self, String> {
        let room = region.saturating_sub(workload.offset_bytes);
        let size = |share: &ioalign_core::workload::SizeShare| {
            let step = workload.align_bytes.unwrap_or(share.bytes).max(1);
            if share.bytes == 0 || !share.bytes.is_multiple_of(512) {
                return Err(format!(
                    "an I/O of {} bytes is not of whole sectors",
                    share.bytes
                ));
            }
            if !step.is_multiple_of(512) || !workload.offset_bytes.is_multiple_of(512) {
                return Err("places are not at whole sectors".to_owned());
            }
            let places = room.checked_sub(share.bytes).map(|rest| rest / step + 1);
            let too_large = || {
                format!(
                    "an I/O of {} bytes does not fit in {room} bytes",
                    share.bytes
                )
            };
            Ok(RequestSize {
                len: share.bytes,
                weight: share.weight.into(),
                step,
                places: places.ok_or_else(too_large)?,
            })
        };
        let sizes: Vec<_> = workload.sizes.iter().map(size).collect::<Result<_, _>>()?;
        let weights = sizes.iter().map(|size| size.weight).sum();
        if weights == 0 {
            return Err("no size has a weight".to_owned());
        }
        let workers = u64::from(workload.workers.max(1));
        Ok(Self {
            seed,
            weights,
            reads: share_of(workload.read_ratio),
            all_write: workload.read_ratio <= 0.0,
            pattern: workload.pattern,
            offset: workload.offset_bytes,
            cursors: (0..workers).map(|worker| room / workers * worker).collect(),
            region: room,
            sizes,
        })
    }

    /// The next request of a worker.
    #[inline]
    pub fn next(&mut self, worker: usize) -> ArrayRequest {
        let write = match self.reads {
            Some(reads) => split_mix(&mut self.seed) >> 32 >= reads,
            None => self.all_write,
        };
        let size = self.size();
        let place = match self.pattern {
            Pattern::Random => split_mix(&mut self.seed) % size.places,
            Pattern::Zipf { theta } => self.skewed(size.places, theta),
            Pattern::Sequential => self.following(worker, size),
        };
        ArrayRequest {
            at: self.offset + place * size.step,
            len: size.len,
            write,
        }
    }

    #[inline]
    fn size(&mut self) -> RequestSize {
        if let [only] = *self.sizes.as_slice() {
            return only;
        }
        let mut left = split_mix(&mut self.seed) % self.weights;
        for size in &self.sizes {
            match left.checked_sub(size.weight) {
                Some(rest) => left = rest,
                None => return *size,
            }
        }
        self.sizes[0]
    }

    fn following(&mut self, worker: usize, size: RequestSize) -> u64 {
        let cursor = &mut self.cursors[worker];
        let mut place = cursor.div_ceil(size.step);
        if place >= size.places {
            place = 0;
        }
        *cursor = (place * size.step + size.len) % self.region.max(1);
        place
    }

    /// Zipf's law by the inverse of its integral, over places in a scattered order.
    // A rank need not be exact past 2^53.
    #[allow(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss
    )]
    fn skewed(&mut self, places: u64, theta: f64) -> u64 {
        let u = (split_mix(&mut self.seed) >> 11) as f64 / (1_u64 << 53) as f64;
        let n = places as f64;
        let rank = if (theta - 1.0).abs() < 1e-9 {
            n.powf(u)
        } else {
            let power = 1.0 - theta;
            (u * (n.powf(power) - 1.0) + 1.0).powf(1.0 / power)
        };
        let mut scattered = rank as u64;
        split_mix(&mut scattered) % places
    }
}

/// A share of 2^32; `None` for nothing and for everything.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn share_of(ratio: f64) -> Option<u64> {
    (ratio > 0.0 && ratio < 1.0).then_some((ratio * 4_294_967_296.0) as u64)
}
