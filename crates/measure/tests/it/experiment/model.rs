//! A device whose truth is known: the time of every batch is drawn, and moves a clock of its own.

use std::f64::consts::TAU;
use std::time::Duration;

use ioalign_core::Random;
use ioalign_measure::experiment::{ClosedBatch, ExperimentSubject, FullQueueTime};
use ioalign_measure::{Error, ErrorKind, Result};

/// Where a batch stands.
pub struct Moment {
    /// Number of the arm; that of the duplicate is the number of arms.
    pub arm: usize,
    /// Seconds since the start.
    pub now: f64,
    /// Rounds begun.
    pub round: u64,
}

type Law = Box<dyn FnMut(&Moment, &mut Noise) -> f64>;
type LoadLaw = Box<dyn FnMut(usize, &mut Noise) -> (f64, f64)>;

/// A subject made of a law: how many µs a batch takes.
pub struct Model {
    arms: usize,
    law: Law,
    /// I/Os a second and processor time an I/O, in µs, with a full queue.
    loaded: Option<LoadLaw>,
    noise: Noise,
    clock: Duration,
    round: u64,
    /// Batches until the device is gone.
    pub left: Option<u64>,
    /// What it takes to write back what a block has left.
    pub flush: Duration,
    /// Queues of a batch, one after the other: of a walk several.
    pub queues: usize,
    run: Vec<Duration>,
}

impl Model {
    pub fn new(
        arms: usize,
        seed: u64,
        law: impl FnMut(&Moment, &mut Noise) -> f64 + 'static,
    ) -> Self {
        Self {
            arms,
            law: Box::new(law),
            loaded: None,
            noise: Noise::new(seed),
            clock: Duration::from_secs(7),
            round: 0,
            left: None,
            flush: Duration::ZERO,
            queues: 1,
            run: Vec::with_capacity(16),
        }
    }

    /// An arm that takes `ratio` of the time of the baseline, with this noise.
    pub fn with_effect(
        ratio: f64,
        seed: u64,
        mut noise: impl FnMut(&Moment, &mut Noise) -> f64 + 'static,
    ) -> Self {
        Self::new(2, seed, move |moment, random| {
            let effect = if moment.arm == 1 { ratio } else { 1.0 };
            100.0 * effect * noise(moment, random)
        })
    }

    /// With this behaviour under load.
    pub fn loaded(mut self, law: impl FnMut(usize, &mut Noise) -> (f64, f64) + 'static) -> Self {
        self.loaded = Some(Box::new(law));
        self
    }
}

impl ExperimentSubject for Model {
    fn arms(&self) -> usize {
        self.arms
    }

    fn duplicate(&self) -> usize {
        self.arms
    }

    fn now(&self) -> Duration {
        self.clock
    }

    fn begin_round(&mut self) -> Result<()> {
        self.round += 1;
        Ok(())
    }

    fn batch(&mut self, arm: usize) -> Result<ClosedBatch> {
        if let Some(left) = &mut self.left {
            let gone = || Error::new(ErrorKind::Device, "the model is gone");
            *left = left.checked_sub(1).ok_or_else(gone)?;
        }
        let moment = Moment {
            arm,
            now: self.clock.as_secs_f64(),
            round: self.round,
        };
        let mut queue = || Duration::from_secs_f64((self.law)(&moment, &mut self.noise) / 1e6);
        self.run.clear();
        self.run.extend((0..self.queues).map(|_| queue()));
        self.run.sort_unstable();
        let sum: Duration = self.run.iter().sum();
        self.clock += sum;
        let nanos = |time: Duration| time.as_nanos().try_into().unwrap();
        Ok(ClosedBatch {
            elapsed_ns: nanos(sum / u32::try_from(self.queues).unwrap()),
            usual_ns: nanos(self.run[self.queues / 2]),
            ios: 1,
        })
    }

    fn saturate(&mut self, arm: usize, time: Duration) -> Result<FullQueueTime> {
        let law = self.loaded.as_mut().expect("a law of full load");
        let (iops, cpu_us) = law(arm, &mut self.noise);
        let elapsed = time + self.flush;
        self.clock += elapsed;
        let whole = |value: f64| format!("{value:.0}").parse::<u64>().unwrap();
        let ios = iops * time.as_secs_f64();
        Ok(FullQueueTime {
            elapsed_ns: elapsed.as_nanos().try_into().unwrap(),
            ios: whole(ios),
            cpu_ns: whole(ios * cpu_us * 1e3),
        })
    }
}

/// Random numbers of several laws.
pub struct Noise(Random);

impl Noise {
    pub fn new(seed: u64) -> Self {
        Self(Random::new(seed))
    }

    /// Between 0 and 1, never either.
    pub fn uniform(&mut self) -> f64 {
        let bits = u32::try_from(self.0.next() >> 32).unwrap();
        (f64::from(bits) + 0.5) / 4_294_967_296.0
    }

    pub fn chance(&mut self, share: f64) -> bool {
        self.uniform() < share
    }

    pub fn below(&mut self, end: u64) -> u64 {
        self.0.below(end)
    }

    /// Box and Muller.
    pub fn normal(&mut self) -> f64 {
        let (a, b) = (self.uniform(), self.uniform());
        (-2.0 * a.ln()).sqrt() * (TAU * b).cos()
    }

    pub fn laplace(&mut self) -> f64 {
        let ratio = self.uniform() / self.uniform();
        ratio.ln()
    }

    /// Student's t with 3 degrees of freedom: the variance is finite, the fourth moment is not.
    pub fn t3(&mut self) -> f64 {
        let square = |normal: f64| normal * normal;
        let chi: f64 = (0..3).map(|_| square(self.normal())).sum();
        self.normal() / (chi / 3.0).sqrt()
    }

    /// Pareto's law from 1 on; below 2 the variance is infinite.
    pub fn pareto(&mut self, exponent: f64) -> f64 {
        self.uniform().powf(-1.0 / exponent)
    }
}

/// Kinds of noise that machines have, as a factor of the time of a batch.
pub mod noises {
    use super::{Moment, Noise};

    pub fn quiet(_: &Moment, noise: &mut Noise) -> f64 {
        (0.05 * noise.normal()).exp()
    }

    pub fn t3(_: &Moment, noise: &mut Noise) -> f64 {
        (0.05 * noise.t3()).exp()
    }

    /// Most batches are alike, some take ten or a hundred times as long.
    pub fn pareto(_: &Moment, noise: &mut Noise) -> f64 {
        0.95 + 0.05 * noise.pareto(1.5)
    }

    /// Up and down by half within seconds, with steps in between.
    pub fn drift(moment: &Moment, noise: &mut Noise) -> f64 {
        let swing = 0.5 * (moment.now * 9.0).sin();
        let step = if (moment.now * 3.0).fract() < 0.2 {
            2.0
        } else {
            1.0
        };
        (1.0 + swing) * step * (0.05 * noise.normal()).exp()
    }

    /// A cache that is hit half of the time.
    pub fn bimodal(_: &Moment, noise: &mut Noise) -> f64 {
        let mode = if noise.chance(0.5) { 1.0 } else { 2.0 };
        mode * (0.02 * noise.normal()).exp()
    }

    /// A full queue on a virtual machine: most batches are of one of two kinds, the others anything up to three times
    /// as long.
    pub fn modes(_: &Moment, noise: &mut Noise) -> f64 {
        let mode = match noise.below(10) {
            0..4 => 1.0,
            4..7 => 2.0,
            _ => 1.0 + 2.0 * noise.uniform(),
        };
        mode * (0.01 * noise.normal()).exp()
    }

    /// A neighbour that comes and goes: for some ms all is slower by a factor that nobody knows before.
    pub fn regimes() -> impl FnMut(&Moment, &mut Noise) -> f64 {
        let mut slow = 1.0;
        move |_, noise| {
            if noise.chance(0.01) {
                slow = if noise.chance(0.5) {
                    1.0
                } else {
                    noise.pareto(1.0).min(50.0)
                };
            }
            slow * (0.05 * noise.normal()).exp()
        }
    }
}
