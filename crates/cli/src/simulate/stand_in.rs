//! `advise --array`: a simulated array where nothing was measured.

use anyhow::Result;
use ioalign_core::advice::CheckedTarget;
use ioalign_core::comparison::Comparison;
use ioalign_core::workload::{Pattern, SizeShare, Workload};

use super::arms::{ArmTrial, TrialCounts};
use super::array::{named, plain};
use super::page::{ComparisonHead, comparison};

/// Sizes of the I/O whose cost is simulated.
const SIZES: [u64; 4] = [4096, 16384, 65536, 262_144];
/// In flight.
const DEPTHS: [u32; 2] = [1, 16];
const COUNTS: TrialCounts = TrialCounts {
    ios: 5000,
    warm_up: None,
    seed: 42,
    runs: 3,
};

/// What crossing costs on an array: reads and writes on its grid, and as far off as the defects are.
pub fn stand_in(name: &str, targets: &[CheckedTarget]) -> Result<Comparison> {
    let variant = plain(name, named(name)?);
    let defects = targets.iter().flat_map(|target| &target.defects);
    let counted = defects.filter(|defect| defect.counts());
    let mut starts: Vec<u64> = counted
        .filter_map(|defect| defect.offset_bytes)
        .filter(|offset| *offset > 0 && offset.is_multiple_of(512))
        .collect();
    starts.push(0);
    starts.sort_unstable();
    starts.dedup();
    let mut trials = Vec::new();
    for step in steps() {
        for start in &starts {
            trials.push(ArmTrial::new(&COUNTS, &variant, &step, *start, None)?);
        }
    }
    let head = ComparisonHead {
        array: name,
        about: &variant.array.about(),
        seed: COUNTS.seed,
    };
    Ok(comparison(&head, &trials))
}

fn steps() -> Vec<Workload> {
    let mut all = Vec::new();
    for pattern in [Pattern::Random, Pattern::Sequential] {
        for read_ratio in [1.0, 0.0] {
            for queue_depth in DEPTHS {
                all.extend(SIZES.map(|bytes| Workload {
                    sizes: vec![SizeShare::only(bytes)],
                    read_ratio,
                    pattern,
                    queue_depth,
                    ..Workload::default()
                }));
            }
        }
    }
    all
}
