//! The inference on models whose geometry is known: what is found is right, or nothing is found.

mod model;

use std::ops::ControlFlow;
use std::time::Duration;

use ioalign_core::Random;
use ioalign_core::array::RaidLevel;
use ioalign_measure::probe::{ProbeDesign, ProbeOutcome, ProbedGrid, TimedDevice, probe};
use model::{Model, ModelArray, ModelNoise};

fn probed(device: &mut dyn TimedDevice, seed: u64) -> ProbeOutcome {
    let design = ProbeDesign {
        max_time: Duration::from_secs(120),
        seed,
    };
    probe(device, &design, &mut |_| ControlFlow::Continue(())).unwrap()
}

const QUIET: ModelNoise = ModelNoise {
    jitter: 0.1,
    outlier_one_in: 0,
    drift: 0.0,
    others: 0.0,
};
const NOISY: ModelNoise = ModelNoise {
    jitter: 0.5,
    outlier_one_in: 50,
    drift: 0.3,
    others: 0.0,
};
const BUSY: ModelNoise = ModelNoise {
    jitter: 0.3,
    outlier_one_in: 200,
    drift: 0.2,
    others: 0.5,
};

/// An array by its number.
fn array(seed: u64) -> ModelArray {
    let mut random = Random::new(seed);
    let levels = [RaidLevel::Raid0, RaidLevel::Raid10, RaidLevel::Raid5, RaidLevel::Raid6];
    let level = levels[usize::try_from(random.below(4)).unwrap()];
    let disks = match level {
        RaidLevel::Raid0 => 2 + random.below(11),
        RaidLevel::Raid10 => 4 + 2 * random.below(5),
        RaidLevel::Raid5 => 3 + random.below(10),
        _ => 4 + random.below(9),
    };
    let element = if random.below(3) == 0 {
        12288 << random.below(7)
    } else {
        8192 << random.below(8)
    };
    let phases = [0, 512, 1536, 32256, 4096, 61440, 512 * random.below(element / 512)];
    let noises = [QUIET, NOISY, BUSY];
    ModelArray {
        level,
        disks: u32::try_from(disks).unwrap(),
        element,
        phase: phases[usize::try_from(random.below(7)).unwrap()],
        noise: noises[usize::try_from(random.below(3)).unwrap()],
        seed,
    }
}

fn truth(array: &ModelArray) -> (u64, u64, u64) {
    let columns = match array.level {
        RaidLevel::Raid10 => array.disks / 2,
        _ => array.disks,
    };
    (array.element, array.phase % array.element, columns.into())
}

const fn answer(grid: &ProbedGrid) -> (u64, u64, u64) {
    (grid.unit_bytes, grid.phase_bytes, grid.columns)
}

#[test]
fn arrays_are_found_exactly() {
    let count: u64 = std::env::var("ARRAYS").map_or(60, |text| text.parse().unwrap());
    let (mut exact, mut wrong, mut none) = (0, 0, 0);
    let from: u64 = std::env::var("FROM").map_or(0, |text| text.parse().unwrap());
    for seed in from..from + count {
        let array = array(seed);
        let outcome = probed(&mut Model::new(&array), seed + 1);
        let expected = truth(&array);
        let found = outcome.grids.first().map(answer);
        match found {
            Some(found) if found == expected => exact += 1,
            Some(_) => wrong += 1,
            None => none += 1,
        }
        if found != Some(expected) || std::env::var("SHOW").is_ok() {
            eprintln!("{array:?}: {outcome:?}");
        }
    }
    eprintln!("exact {exact}, wrong {wrong}, none {none}");
    assert!(exact * 100 >= count * 95 && wrong * 100 <= count, "{exact} {wrong} {none}");
}
