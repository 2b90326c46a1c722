//! Which parameters of the array matter for this workload: each is changed alone.

use anyhow::Result;
use ioalign_core::simulation_document::SimulatedEffect;
use ioalign_simulate::description::knobs;

use super::arms::{ArmTrial, once};
use super::array::ArrayVariant;
use crate::args::SimulatedLoadArgs;

/// Requests of a run.
const IOS: u64 = 10_000;
/// A change of the rate below this may be chance.
const CHANCE: f64 = 0.02;

/// The effects on the first arm.
pub fn of(
    load: &SimulatedLoadArgs,
    variant: &ArrayVariant,
    trials: &[ArmTrial],
) -> Result<Vec<SimulatedEffect>> {
    let Some(first) = trials.first() else {
        return Ok(Vec::new());
    };
    let rate = |array: &_| {
        let place = (first.arm.start_bytes, first.size);
        let counts = (IOS, first.warm_up);
        let outcome = once(array, &first.step, place, counts, load.seed);
        outcome.map(|outcome| outcome.iops())
    };
    let base = rate(&variant.array).map_err(crate::exit::UsageError)?;
    let mut effects = Vec::new();
    for knob in knobs() {
        let mut array = variant.array.clone();
        if !(knob.turn)(&mut array) {
            continue;
        }
        let ratio = rate(&array).ok().map(|rate| rate / base);
        effects.push(SimulatedEffect {
            parameter: knob.name.to_owned(),
            iops_ratio: ratio,
            matters: ratio.is_some_and(|ratio| (ratio - 1.0).abs() >= CHANCE),
        });
    }
    Ok(effects)
}
