//! A section on its way to a workload.

use ioalign_core::workload::{Data, Pattern, Workload};

use super::FioSettings;
use super::rate::FioRates;
use super::sizes::FioSizes;

/// The engines of fio.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum SentBy {
    /// `io_uring`.
    Uring,
    /// `libaio`.
    Aio,
    /// `posixaio`.
    PosixAio,
    /// `psync` and the like: one at a time.
    Sync,
}

/// The keys of a section, before it is a workload.
pub struct FioDraft {
    pub workload: Workload,
    pub settings: FioSettings,
    pub sizes: FioSizes,
    pub engine: SentBy,
    pub folder: Option<String>,
    pub files: Vec<String>,
    pub file_count: Option<String>,
    pub file_bytes: Option<u64>,
    pub rates: FioRates,
    pub read_percent: f64,
    pub mixed: bool,
    /// The skew of random places.
    pub zipf: Option<f64>,
    pub time_based: bool,
    pub runs: bool,
    pub stonewall: bool,
    pub waits_for: Option<String>,
    /// The most completions that are taken at once.
    pub taken_at_once: Option<u32>,
    pub offset_increment: Option<String>,
    pub norandommap: bool,
    pub invalidates: bool,
    pub scrambles: bool,
}

impl FioDraft {
    /// The defaults of fio.
    pub fn new(name: &str) -> Self {
        Self {
            workload: Workload {
                name: name.to_owned(),
                pattern: Pattern::Sequential,
                ramp_ms: 0,
                data: Data {
                    refill: false,
                    ..Data::default()
                },
                ..Workload::default()
            },
            settings: FioSettings {
                buffered: true,
                ..FioSettings::default()
            },
            sizes: FioSizes::default(),
            engine: SentBy::Sync,
            folder: None,
            files: Vec::new(),
            file_count: None,
            file_bytes: None,
            rates: (None, None),
            read_percent: 0.5,
            mixed: false,
            zipf: None,
            time_based: false,
            runs: false,
            stonewall: false,
            waits_for: None,
            taken_at_once: None,
            offset_increment: None,
            norandommap: false,
            invalidates: true,
            scrambles: true,
        }
    }

    /// Whether it walks from place to place.
    pub fn walks(&self) -> bool {
        self.workload.pattern == Pattern::Sequential
    }
}
