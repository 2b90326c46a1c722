//! The arms and cells of an experiment, each under the hash of all that its numbers depend on.

use crate::experiment::{LabArm, LabExperiment, LabLoad, script};
use crate::hash::ContentHash;

/// A cell of an arm.
pub struct PlannedCell<'a> {
    /// The load.
    pub load: &'a LabLoad,
    /// Of its places.
    pub seed: u64,
    /// Under which it is kept.
    pub key: String,
    /// Its call in the guest.
    pub call: String,
}

/// An arm with its cells.
pub struct PlannedArm<'a> {
    /// The arm.
    pub arm: &'a LabArm,
    /// Under which its check is kept.
    pub key: String,
    /// Its cells, in order.
    pub cells: Vec<PlannedCell<'a>>,
    /// The script up to the check.
    pub built: String,
}

/// All arms. `base`: what all numbers depend on.
pub fn arms<'a>(experiment: &'a LabExperiment, base: &ContentHash) -> Vec<PlannedArm<'a>> {
    let mut base = base.clone();
    base.add(experiment.guest.memory_mib.to_le_bytes());
    let arms = experiment.arms.iter();
    arms.map(|arm| planned(experiment, arm, &base)).collect()
}

fn planned<'a>(
    experiment: &'a LabExperiment,
    arm: &'a LabArm,
    base: &ContentHash,
) -> PlannedArm<'a> {
    let built = script::built(experiment, arm);
    let mut hash = base.clone();
    hash.add(&built);
    hash.add(script::checked(experiment, arm));
    let mut cells = Vec::new();
    let loads = experiment.loads.iter();
    for load in loads.filter(|load| load.runs_on(&arm.name)) {
        for seed in &experiment.seeds {
            let call = |key: &str| script::cell(key, load, experiment.seconds, *seed);
            let mut hash = hash.clone();
            hash.add(call(""));
            hash.add(&load.op);
            let key = hash.text();
            cells.push(PlannedCell {
                load,
                seed: *seed,
                call: call(&key),
                key,
            });
        }
    }
    PlannedArm {
        arm,
        key: hash.text(),
        cells,
        built,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::named;

    #[test]
    fn what_changes_a_number_changes_its_key() {
        let one = named("raid10-six-scenarios").unwrap();
        let keys = |experiment: &LabExperiment| -> Vec<String> {
            let arms = arms(experiment, &ContentHash::new());
            arms.iter()
                .flat_map(|arm| &arm.cells)
                .map(|cell| cell.key.clone())
                .collect()
        };
        let all = keys(&one);
        let mut once = all.clone();
        once.sort();
        once.dedup();
        assert_eq!(once.len(), all.len());
        let mut longer = one.clone();
        longer.seconds += 1;
        assert!(keys(&longer).iter().all(|key| !all.contains(key)));
        let mut renamed = one;
        renamed.arms[0].name = "other raw".to_owned();
        assert_eq!(keys(&renamed), all);
    }
}
