//! There is no room for a layout: how much is missing, and what makes room.

use super::survey::Choices;
use crate::Error;
use crate::layout::{MovableBlock, least};
use crate::resize::first_that_works;
use crate::tables::refused;

const MIB: u64 = 1 << 20;

/// The refusal. `lines`: the blocks of each habit that was tried.
pub fn error(moving: &[u32], lines: &[Vec<MovableBlock>], choices: &Choices) -> Error {
    let numbers: Vec<_> = moving.iter().map(u32::to_string).collect();
    let what = match moving {
        [_] => format!("there is no room to move partition {}", numbers.join("")),
        _ => format!("there is no room to move partitions {}", numbers.join(", ")),
    };
    let error = refused(match choices.align {
        Some(align) => format!("{what} to a multiple of {align} B"),
        None => format!("{what} onto the grid"),
    });
    let ways = ways(missing(lines), choices);
    match ways.is_empty() {
        true => error,
        false => error.advise(ways.join("; or ")),
    }
}

fn ways(missing: Option<u64>, choices: &Choices) -> Vec<String> {
    let mut ways = Vec::new();
    match missing {
        Some(more) => {
            let still = if choices.grow { " still" } else { "" };
            let mib = more / MIB;
            ways.push(format!(
                "make the disk or image {mib} MiB longer{still} and use that (--grow)"
            ));
        }
        None => ways.push("a longer disk would not help: what stays is in the way".to_owned()),
    }
    if choices.align.is_some() {
        ways.push("take a smaller --align".to_owned());
    }
    if !choices.only.is_empty() {
        ways.push("let the other partitions move as well (no --partition)".to_owned());
    }
    if !choices.shrink_last {
        ways.push("cut off the last file system (--shrink-last)".to_owned());
    }
    ways
}

/// By how many bytes the disk would have to be longer, in whole mebibytes.
fn missing(lines: &[Vec<MovableBlock>]) -> Option<u64> {
    lines.iter().filter_map(|blocks| longer(blocks)).min()
}

fn longer(blocks: &[MovableBlock]) -> Option<u64> {
    let steps = blocks.iter().filter_map(|block| block.grid);
    let most = steps.fold(MIB, |sum, grid| sum.saturating_add(grid.period.max(MIB)));
    let works = |mib: u64| least(&on_a_longer_disk(blocks, mib.saturating_mul(MIB))).is_some();
    let high = most.div_ceil(MIB);
    works(high).then(|| first_that_works(1, high, works) * MIB)
}

fn on_a_longer_disk(blocks: &[MovableBlock], more: u64) -> Vec<MovableBlock> {
    let longer = |block: &MovableBlock| MovableBlock {
        within: match block.fixed {
            true => block.within,
            false => (block.within.0, block.within.1.saturating_add(more)),
        },
        ..block.clone()
    };
    blocks.iter().map(longer).collect()
}
