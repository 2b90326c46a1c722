//! Arrays in virtual time: the layouts of the simulator, disks with one queue each, noise, and others who use them.

use std::time::Duration;

use ioalign_core::array::{Maker, PlannedArray, RaidLevel};
use ioalign_core::{Bytes, Random};
use ioalign_measure::Result;
use ioalign_measure::probe::{ProbeIo, TimedDevice};
use ioalign_simulate::geometry::{ArrayGeometry, ArrayShape, CopyLayout, DiskSteps, SmallWrite};

/// What is probed.
#[derive(Clone, Debug)]
pub struct ModelArray {
    pub level: RaidLevel,
    pub disks: u32,
    pub element: u64,
    /// Where the first boundary lies.
    pub phase: u64,
    pub noise: ModelNoise,
    pub seed: u64,
}

/// How irregular it is.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct ModelNoise {
    /// A service takes 1 ms times 1 plus or minus this.
    pub jitter: f64,
    /// One in this many takes ten times as long; 0: none does.
    pub outlier_one_in: u64,
    /// Service times rise by this share and fall again, every few seconds.
    pub drift: f64,
    /// Requests of others for each ms.
    pub others: f64,
}

/// A device of known geometry.
pub struct Model {
    geometry: ArrayGeometry,
    start: u64,
    noise: ModelNoise,
    random: Random,
    now: f64,
    others_at: f64,
    free: Vec<f64>,
    steps: DiskSteps,
    pub size: u64,
}

const SERVICE_NS: f64 = 1e6;

pub fn float(value: u64) -> f64 {
    f64::from(u32::try_from(value).unwrap())
}

impl Model {
    pub fn new(array: &ModelArray) -> Self {
        let single = array.disks == 1;
        let shape = ArrayShape {
            array: PlannedArray {
                level: if single {
                    RaidLevel::Raid0
                } else {
                    array.level
                },
                disks: array.disks,
                element: Bytes::new(array.element),
                maker: Maker::Controller,
            },
            copies: CopyLayout::Near,
            small_write: SmallWrite::Fewest,
            disk_bytes: 8 << 30,
            failed: Vec::new(),
        };
        let geometry = ArrayGeometry::new(shape).unwrap();
        let disks = array.disks as usize;
        Self {
            geometry,
            start: array.element - array.phase % array.element,
            noise: array.noise,
            random: Random::new(array.seed),
            now: 0.0,
            others_at: 0.0,
            free: vec![0.0; disks],
            steps: DiskSteps::default(),
            size: 1 << 30,
        }
    }

    fn unit(&mut self) -> f64 {
        float(self.random.below(1 << 32).min(u64::from(u32::MAX))) / 4_294_967_296.0
    }

    fn service(&mut self) -> f64 {
        let noise = self.noise;
        let mut ns = SERVICE_NS * (1.0 + noise.jitter * (2.0 * self.unit() - 1.0));
        if noise.outlier_one_in > 0 && self.random.below(noise.outlier_one_in) == 0 {
            ns *= 10.0;
        }
        ns * (1.0 + noise.drift * (self.now / 3e9).sin())
    }

    /// What others have sent since the last batch.
    fn others(&mut self) {
        if self.noise.others <= 0.0 {
            return;
        }
        while self.others_at < self.now {
            let at = self.random.below(self.size - 4096) / 512 * 512;
            self.serve(self.others_at, at, 512, false);
            self.others_at += SERVICE_NS / self.noise.others * -(1.0 - self.unit()).ln();
        }
    }

    fn serve(&mut self, from: f64, at: u64, bytes: u64, write: bool) -> f64 {
        let mut steps = std::mem::take(&mut self.steps);
        self.geometry
            .steps(at + self.start, bytes, write, &mut steps);
        let mut done = from;
        for group in &steps.groups {
            let mut read = from;
            for io in &steps.ios[group.reads.clone()] {
                let mut disk = io.disk as usize;
                if io.any_copy {
                    self.geometry.each_copy(io, |other, _| {
                        if self.free[other as usize] < self.free[disk] {
                            disk = other as usize;
                        }
                    });
                }
                read = read.max(self.take(disk, from));
            }
            done = done.max(read);
            for io in &steps.ios[group.writes.clone()] {
                done = done.max(self.take(io.disk as usize, read));
            }
        }
        self.steps = steps;
        done
    }

    fn take(&mut self, disk: usize, from: f64) -> f64 {
        let end = self.free[disk].max(from) + self.service();
        self.free[disk] = end;
        end
    }
}

impl TimedDevice for Model {
    fn size_bytes(&self) -> u64 {
        self.size
    }

    fn sector_bytes(&self) -> u64 {
        512
    }

    fn elapsed(&self) -> Duration {
        Duration::from_secs_f64(self.now / 1e9)
    }

    fn time(&mut self, batch: &[ProbeIo]) -> Result<u64> {
        self.others();
        let from = self.now;
        let mut done = from;
        for io in batch {
            assert!(io.offset + u64::from(io.bytes) <= self.size, "{io:?}");
            done = done.max(self.serve(from, io.offset, io.bytes.into(), io.write));
        }
        // The path to the device.
        let done = done + 20e3 + 20e3 * self.unit();
        self.now = done + 5e3;
        Ok(Duration::from_secs_f64((done - from) / 1e9)
            .as_nanos()
            .try_into()
            .unwrap())
    }
}
