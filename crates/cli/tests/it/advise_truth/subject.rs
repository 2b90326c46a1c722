//! The virtual device as what an experiment is made on.

use std::time::Duration;

use ioalign_core::comparison::Cell;
use ioalign_measure::Result;
use ioalign_measure::experiment::{self, ClosedBatch, Design, ExperimentSubject, FullQueueTime};
use ioalign_testkit::served::{DeviceLaw, Places, ServedWorkload, VirtualDevice};

use super::START;

/// The names of the arms, at byte 0 and at sector 63.
pub const ARMS: [&str; 2] = ["aligned", "+32256"];

/// Two arms and the duplicate of the first.
struct Served {
    device: VirtualDevice,
    places: [Places; 3],
    depth: usize,
}

impl ExperimentSubject for Served {
    fn arms(&self) -> usize {
        2
    }

    fn duplicate(&self) -> usize {
        2
    }

    fn now(&self) -> Duration {
        micros(self.device.now_us())
    }

    fn begin_round(&mut self) -> Result<()> {
        self.places.iter_mut().for_each(Places::jump);
        Ok(())
    }

    fn batch(&mut self, arm: usize) -> Result<ClosedBatch> {
        let ran = self.device.batch(&mut self.places[arm], self.depth);
        let nanos = nanos(ran.us);
        Ok(ClosedBatch {
            elapsed_ns: nanos,
            usual_ns: nanos,
            ios: u32::try_from(ran.ios).unwrap(),
        })
    }

    fn saturate(&mut self, arm: usize, time: Duration) -> Result<FullQueueTime> {
        let time = time.as_secs_f64() * 1e6;
        let places = &mut self.places[arm];
        let ran = self
            .device
            .full_queue(places, self.depth, |ran| ran.us >= time, |_| {});
        Ok(FullQueueTime {
            elapsed_ns: nanos(ran.us),
            ios: ran.ios,
            cpu_ns: 1000 * ran.ios,
        })
    }
}

fn micros(us: f64) -> Duration {
    Duration::from_secs_f64(us / 1e6)
}

fn nanos(us: f64) -> u64 {
    micros(us).as_nanos().try_into().unwrap()
}

/// Measures one cell, as part of a run of `cells`.
pub fn measure(law: &DeviceLaw, workload: &ServedWorkload, cells: u32, seed: u64) -> Cell {
    let places = |start, number| Places::new(workload, start, seed ^ number);
    let mut served = Served {
        device: VirtualDevice::new(law.clone(), seed),
        places: [places(0, 1), places(START, 2), places(0, 3)],
        depth: workload.depth,
    };
    let design = Design {
        cells,
        saturate: true,
        max_time: Duration::from_secs(2),
        seed,
        ..Design::default()
    };
    let names = ARMS.map(str::to_owned);
    let watch = &mut |_: &_| std::ops::ControlFlow::Continue(());
    let outcome = experiment::run(&mut served, &names, &design, watch).unwrap();
    Cell {
        block_bytes: workload.sizes[0].0,
        op: match workload.reads_percent {
            100 => "read".to_owned(),
            0 => "write".to_owned(),
            percent => format!("read-{percent}"),
        },
        pattern: if workload.sequential {
            "sequential"
        } else {
            "random"
        }
        .to_owned(),
        queue_depth: u32::try_from(workload.depth).unwrap(),
        workers: 1,
        levels: outcome.levels,
        estimates: outcome.estimates,
        placebo: outcome.placebo,
        ios: outcome.ios,
        ..Cell::default()
    }
}
