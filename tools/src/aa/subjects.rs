//! Subjects around another one.

use std::hint::spin_loop;
use std::time::{Duration, Instant};

use ioalign_measure::Result;
use ioalign_measure::experiment::{ClosedBatch, ExperimentSubject, FullQueueTime};

/// Notes every batch: its arm and its time, round by round.
pub struct RoundRecorder<S> {
    pub inner: S,
    pub rounds: Vec<Vec<(usize, u64)>>,
}

impl<S: ExperimentSubject> RoundRecorder<S> {
    pub fn new(inner: S) -> Self {
        Self {
            inner,
            rounds: Vec::new(),
        }
    }
}

impl<S: ExperimentSubject> ExperimentSubject for RoundRecorder<S> {
    fn arms(&self) -> usize {
        self.inner.arms()
    }

    fn duplicate(&self) -> usize {
        self.inner.arms()
    }

    fn begin_round(&mut self) -> Result<()> {
        self.rounds.push(Vec::with_capacity(256));
        self.inner.begin_round()
    }

    fn batch(&mut self, arm: usize) -> Result<ClosedBatch> {
        let duplicate = arm == self.inner.arms();
        let asked = if duplicate {
            self.inner.duplicate()
        } else {
            arm
        };
        let batch = self.inner.batch(asked)?;
        if let Some(round) = self.rounds.last_mut() {
            round.push((arm, batch.elapsed_ns));
        }
        Ok(batch)
    }

    fn saturate(&mut self, arm: usize, time: Duration) -> Result<FullQueueTime> {
        self.inner.saturate(arm, time)
    }
}

/// Makes every batch of arm 1 longer by a share of the time that it took: it waits for so long, and says so
/// to the nanosecond.
pub struct Delayed<S> {
    pub inner: S,
    pub percent: f64,
}

impl<S: ExperimentSubject> ExperimentSubject for Delayed<S> {
    fn arms(&self) -> usize {
        self.inner.arms()
    }

    fn duplicate(&self) -> usize {
        self.inner.duplicate()
    }

    fn begin_round(&mut self) -> Result<()> {
        self.inner.begin_round()
    }

    fn batch(&mut self, arm: usize) -> Result<ClosedBatch> {
        let batch = self.inner.batch(arm)?;
        if arm != 1 {
            return Ok(batch);
        }
        let share = self.percent / 100.0;
        let delay = Duration::from_nanos(batch.elapsed_ns).mul_f64(share);
        let begun = Instant::now();
        while begun.elapsed() < delay {
            spin_loop();
        }
        let longer = |nanos: u64| {
            let time = Duration::from_nanos(nanos).mul_f64(1.0 + share);
            time.as_nanos().try_into().unwrap()
        };
        Ok(ClosedBatch {
            elapsed_ns: longer(batch.elapsed_ns),
            usual_ns: longer(batch.usual_ns),
            ..batch
        })
    }

    fn saturate(&mut self, arm: usize, time: Duration) -> Result<FullQueueTime> {
        self.inner.saturate(arm, time)
    }
}

/// Does nothing, and says that it took a while.
#[derive(Default)]
pub struct Idle {
    pub batches: u64,
}

impl ExperimentSubject for Idle {
    fn arms(&self) -> usize {
        2
    }

    fn begin_round(&mut self) -> Result<()> {
        Ok(())
    }

    fn batch(&mut self, arm: usize) -> Result<ClosedBatch> {
        self.batches += 1;
        let elapsed_ns = 10_000 + (self.batches * 7919) % 1009 + arm as u64;
        Ok(ClosedBatch {
            elapsed_ns,
            usual_ns: elapsed_ns,
            ios: 1,
        })
    }

    fn saturate(&mut self, _: usize, _: Duration) -> Result<FullQueueTime> {
        Ok(FullQueueTime::default())
    }
}
