//! A workload: what is sent to a device, described once for the load engine and for the simulator.

use serde::{Deserialize, Serialize};

/// I/O of one kind, without the device that it goes to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Workload {
    /// Its name.
    pub name: String,
    /// Sizes with their weights; one entry is a fixed size.
    pub sizes: Vec<SizeShare>,
    /// Share of reads among reads and writes: 1 is reads alone.
    pub read_ratio: f64,
    /// In what order places follow each other.
    pub pattern: Pattern,
    /// Added to every place: the misalignment under test.
    pub offset_bytes: u64,
    /// Places are multiples of this before the offset is added; `None`: of the I/O's own size.
    pub align_bytes: Option<u64>,
    /// I/Os in flight a worker.
    pub queue_depth: u32,
    /// How many completions a worker takes at once, and answers by as many new I/Os in one call; `None`: as
    /// [`Workload::usual_batch`] has it.
    pub batch: Option<u32>,
    /// Threads, each with its own queue.
    pub workers: u32,
    /// Writes of a worker between two flushes.
    pub fsync_every_writes: Option<u32>,
    /// Each write is marked `RWF_ATOMIC`: written in one piece, or refused.
    pub atomic: bool,
    /// The most I/Os a second of all workers together; `None`: as many as the device takes.
    pub rate_iops: Option<f64>,
    /// Load before anything counts.
    pub ramp_ms: u64,
    /// Load that counts.
    pub run_ms: u64,
    /// The written data.
    pub data: Data,
}

impl Default for Workload {
    fn default() -> Self {
        Self {
            name: String::new(),
            sizes: vec![SizeShare::only(4096)],
            read_ratio: 1.0,
            pattern: Pattern::Random,
            offset_bytes: 0,
            align_bytes: None,
            queue_depth: 1,
            batch: None,
            workers: 1,
            fsync_every_writes: None,
            atomic: false,
            rate_iops: None,
            ramp_ms: 1_000,
            run_ms: 10_000,
            data: Data::default(),
        }
    }
}

impl Workload {
    /// The largest I/O.
    pub fn largest_bytes(&self) -> u64 {
        let sizes = self.sizes.iter().map(|share| share.bytes);
        sizes.max().unwrap_or(0)
    }

    /// The default number of completions that are taken at once: half of the queue, at most eight. I/Os
    /// sent in one call reach the device when the last of them is ready: the whole queue at once adds to
    /// every latency, one by one costs a call for each.
    pub fn usual_batch(&self) -> u32 {
        const MOST: u32 = 8;
        (self.queue_depth / 2).clamp(1, MOST)
    }

    /// Completions that are taken at once.
    pub fn at_once(&self) -> u32 {
        let most = self.queue_depth.max(1);
        self.batch
            .unwrap_or_else(|| self.usual_batch())
            .clamp(1, most)
    }

    /// Whether anything is written.
    pub fn writes(&self) -> bool {
        self.read_ratio < 1.0
    }

    /// Sizes of its writes that have to be atomic.
    pub fn atomic_sizes(&self) -> impl Iterator<Item = u64> {
        let shares = self.sizes.iter().filter(|share| share.weight != 0);
        shares
            .filter(|_| self.atomic && self.writes())
            .map(|share| share.bytes)
    }
}

/// One size of a mix.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SizeShare {
    /// The size.
    pub bytes: u64,
    /// Its weight among the weights of all.
    pub weight: u32,
}

impl SizeShare {
    /// A size that is the only one.
    pub const fn only(bytes: u64) -> Self {
        Self { bytes, weight: 1 }
    }
}

/// The places of I/Os.
#[derive(Copy, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Pattern {
    /// Anywhere, each place as likely as any other.
    #[default]
    Random,
    /// One after the other, from a start of its own for each worker.
    Sequential,
    /// Some places far more often than others, by Zipf's law.
    Zipf {
        /// The exponent: 0 is random, 1.2 is strongly skewed.
        theta: f64,
    },
}

impl Pattern {
    /// Its word in reports and on the command line.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Random => "random",
            Self::Sequential => "sequential",
            Self::Zipf { .. } => "zipf",
        }
    }
}

/// The bytes that are written. They are never runs of zeros, which arrays and images do not store.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Data {
    /// Share of each 4 KiB that a compressor removes.
    pub compressible_ratio: f64,
    /// Share of 4 KiB blocks that are copies of others.
    pub duplicate_ratio: f64,
    /// Fills what compresses, instead of a repeated text of the engine's own; in hexadecimal.
    pub pattern_hex: Option<String>,
    /// New content for every write; without it each buffer is filled once.
    pub refill: bool,
}

impl Default for Data {
    fn default() -> Self {
        Self {
            compressible_ratio: 0.0,
            duplicate_ratio: 0.0,
            pattern_hex: None,
            refill: true,
        }
    }
}
