//! The inference on models whose geometry is known: what is found is right, or nothing is found.

mod model;
mod none;
mod writes;

use std::ops::ControlFlow;
use std::time::Duration;

use ioalign_core::Random;
use ioalign_core::array::RaidLevel;
use ioalign_measure::probe::{ProbeDesign, ProbeOutcome, ProbedGrid, TimedDevice, probe};
use model::{Model, ModelArray, ModelNoise};
use none::{Hidden, NoStripe};

fn probed(device: &mut dyn TimedDevice, seed: u64) -> ProbeOutcome {
    let design = ProbeDesign {
        max_time: Duration::from_secs(120),
        seed,
        write: false,
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
    let levels = [
        RaidLevel::Raid0,
        RaidLevel::Raid10,
        RaidLevel::Raid5,
        RaidLevel::Raid6,
    ];
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
    let phases = [
        0,
        512,
        1536,
        32256,
        4096,
        61440,
        512 * random.below(element / 512),
    ];
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

/// Every answer is exact but a few in a hundred, and those are "none".
#[test]
fn arrays_are_found_exactly() {
    let count: u64 = std::env::var("ARRAYS").map_or(150, |text| text.parse().unwrap());
    let (mut exact, mut none) = (0, 0);
    for seed in 0..count {
        let array = array(seed);
        let outcome = probed(&mut Model::new(&array), seed + 1);
        match outcome.grids.first().map(answer) {
            Some(found) => {
                assert_eq!(found, truth(&array), "{array:?}: {outcome:?}");
                exact += 1;
            }
            None => none += 1,
        }
    }
    eprintln!("exact {exact}, none {none}");
    assert!(exact * 100 >= count * 97, "{exact} of {count}");
}

/// With little room there are fewer distances, and fewer geometries: still nothing wrong.
#[test]
fn small_devices_are_probed() {
    let mut exact = 0;
    for seed in 0..40 {
        let array = array(seed);
        let mut device = Model::new(&array);
        device.size = (32 + 8 * (seed % 5)) << 20;
        let outcome = probed(&mut device, seed);
        if let Some(found) = outcome.grids.first().map(answer) {
            assert_eq!(found, truth(&array), "{array:?}: {outcome:?}");
            exact += 1;
        }
    }
    assert!(exact > 20, "{exact}");
}

/// Units that are no power of two, nor three times one.
#[test]
fn units_of_any_small_factor_are_found() {
    for (seed, element) in [20 << 10, 40 << 10, 80 << 10, 28 << 10, 224 << 10]
        .into_iter()
        .enumerate()
    {
        let array = ModelArray {
            level: RaidLevel::Raid0,
            disks: 5,
            element,
            phase: 1536,
            noise: QUIET,
            seed: seed as u64,
        };
        let outcome = probed(&mut Model::new(&array), 1);
        assert_eq!(
            outcome.grids.first().map(answer),
            Some(truth(&array)),
            "{outcome:?}"
        );
    }
}

/// A unit outside of the family: better none than a wrong one.
#[test]
fn a_unit_that_is_not_considered_is_not_rounded() {
    for (seed, element) in [17 << 10, 68 << 10, 76 << 10, 148 << 10]
        .into_iter()
        .enumerate()
    {
        let array = ModelArray {
            level: RaidLevel::Raid0,
            disks: 4,
            element,
            phase: 512,
            noise: QUIET,
            seed: seed as u64,
        };
        let outcome = probed(&mut Model::new(&array), 1);
        assert!(outcome.grids.is_empty(), "{element}: {outcome:?}");
    }
}

#[test]
fn nothing_is_found_where_nothing_repeats() {
    let hidden = [
        Hidden::Single,
        Hidden::Seeks,
        Hidden::Rate,
        Hidden::Memory,
        Hidden::RandomMap(65536),
        Hidden::RandomMap(1 << 20),
        Hidden::RandomMap(4 << 20),
        Hidden::Channels(4),
        Hidden::Channels(32),
    ];
    for seed in 0..10 {
        for one in hidden {
            let outcome = probed(&mut NoStripe::new(one, seed), seed);
            assert!(outcome.grids.is_empty(), "{one:?}: {outcome:?}");
            assert!(
                outcome.partial.is_none() && outcome.detection_limit < 0.6,
                "{one:?}: {outcome:?}"
            );
        }
    }
}

/// The time is kept, and what the operator ends says so.
#[test]
fn a_probe_ends_when_it_is_told_to() {
    let mut device = Model::new(&array(3));
    let mut design = ProbeDesign {
        max_time: Duration::from_millis(300),
        seed: 1,
        write: false,
    };
    let on = &mut |_: &_| ControlFlow::Continue(());
    let outcome = probe(&mut device, &design, on).unwrap();
    assert_eq!(outcome.partial.as_deref(), Some("the time is over"));
    assert!(outcome.elapsed < Duration::from_millis(400) && outcome.grids.is_empty());
    design.max_time = Duration::from_secs(100);
    let mut looks = 0;
    let outcome = probe(&mut Model::new(&array(3)), &design, &mut |_| {
        looks += 1;
        if looks > 5 {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    });
    let outcome = outcome.unwrap();
    assert_eq!(outcome.partial.as_deref(), Some("interrupted"));
    assert!(outcome.reads > 0);
}

#[test]
fn a_small_device_is_refused() {
    let mut device = Model::new(&array(3));
    device.size = 16 << 20;
    let design = ProbeDesign {
        max_time: Duration::from_secs(1),
        seed: 1,
        write: false,
    };
    let error = probe(&mut device, &design, &mut |_| ControlFlow::Continue(())).unwrap_err();
    assert!(error.to_string().contains("32 MiB"), "{error}");
}
