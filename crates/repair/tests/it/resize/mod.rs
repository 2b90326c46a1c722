//! Ends of last partitions: grown to the end of a longer disk, cut off behind smaller file systems.

mod grow;
mod shrink;

use std::path::Path;

use ioalign_core::Boundaries;
use ioalign_repair::fix::{self, Choices, DiskSurvey, PartitionFacts, RepairPlan};
use ioalign_repair::mover;

use crate::convert::{blank, shell};
use crate::image;

const MIB: u64 = 1 << 20;

/// All partitions want a multiple of 4 KiB.
fn survey(numbers: &[u32]) -> DiskSurvey {
    let part = |number: &u32| PartitionFacts {
        number: *number,
        what: String::from("data"),
        demand: Some(Boundaries {
            period: 4096,
            phase: 0,
        }),
        suggested: None,
        stays: None,
        needs: None,
    };
    DiskSurvey {
        parts: numbers.iter().map(part).collect(),
        ..DiskSurvey::default()
    }
}

fn plan(path: &Path, numbers: &[u32], choices: &Choices) -> RepairPlan {
    let mut disk = crate::image::opened(path);
    fix::plan(&mut disk, &survey(numbers), choices).unwrap()
}

fn apply(path: &Path, plan: &RepairPlan) {
    let mut disk = crate::image::opened(path);
    let mut watch = |_: &mover::MoverProgress| std::ops::ControlFlow::Continue(());
    let journal = path.with_extension("journal");
    mover::apply(
        &mut disk,
        &journal,
        &plan.job,
        &mover::MoveOrigin::default(),
        &mover::MoverOptions::default(),
        &mut watch,
    )
    .unwrap();
}

fn verified(path: &Path) {
    let said = shell("sgdisk --verify \"$1\"; sfdisk --verify \"$1\"", &[path]);
    assert!(said.contains("No problems found"), "{said}");
}

const GROW: Choices = Choices {
    only: Vec::new(),
    align: None,
    grow: true,
    shrink_last: false,
    anywhere: false,
    enlarge: None,
};
const SHRINK: Choices = Choices {
    only: Vec::new(),
    align: None,
    grow: false,
    shrink_last: true,
    anywhere: false,
    enlarge: None,
};

fn two(path: &Path, script: &str) {
    blank(path, 64 * MIB);
    image::partition(path, 512, script);
}
