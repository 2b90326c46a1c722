//! Copies and parity, once a stripe is known: writes go where reads need not.

use super::device::ProbeIo;
use super::outcome::{ProbeStage, ProbedGrid, Redundancy};
use super::pairs::multiple;
use super::sampler::{ProbeHalt, Sampler};
use crate::stats::median;

/// Batches of each kind.
const EACH: usize = 96;
/// Two that wait for each other take this many times as long as one, or more.
const WAITS: f64 = 1.5;
/// Two that do not take this many times as long, or less.
const DOES_NOT: f64 = 1.4;
/// Blocks of the page cache and of disks: a write of this size needs no read of its own.
const WRITE: u64 = 4096;

/// The kinds of batches: whether they write, and in which of two columns each of their I/Os lies.
const KINDS: [(bool, &[u64]); 5] = [
    (false, &[0]),
    (false, &[0, 0]),
    (true, &[0]),
    (true, &[0, 0]),
    (true, &[0, 1]),
];

/// What reads and writes of one column and of two show; `None`: neither the one nor the other.
pub(super) fn redundancy(
    sampler: &mut Sampler<'_>,
    grid: &ProbedGrid,
    turn: u64,
) -> Result<Option<Redundancy>, ProbeHalt> {
    sampler.stage = ProbeStage::Redundancy;
    sampler.group = 1;
    sampler.device.settle()?;
    let last = sampler.device.size_bytes().saturating_sub(2 * turn);
    let within = (grid.unit_bytes / WRITE).max(1);
    let unit = grid.unit_bytes;
    let block = sampler.block(KINDS.len(), EACH, &mut |arm, random, batch| {
        let (write, columns) = KINDS.get(arm).copied().unwrap_or((false, &[0]));
        // Neighbours share a stripe; two of one column lie in different ones.
        let near = multiple(random, turn, 0, last);
        for column in columns {
            let apart = columns.len() > 1 && columns.iter().all(|one| one == column);
            let row = if apart {
                multiple(random, turn, 0, last)
            } else {
                near
            };
            batch.push(ProbeIo {
                offset: row + grid.phase_bytes + column * unit + random.below(within) * WRITE,
                bytes: u32::try_from(WRITE).unwrap_or(u32::MAX),
                write,
            });
        }
    })?;
    let times: Vec<f64> = block
        .into_iter()
        .map(|mut ratios| median(&mut ratios))
        .collect();
    let [read, two_reads, write, two_writes, neighbours] = times.as_slice() else {
        return Ok(None);
    };
    let (reads, writes) = (two_reads / read, two_writes / write);
    let neighbours = neighbours / write;
    Ok(if neighbours >= WAITS && writes >= WAITS {
        Some(Redundancy::Parity)
    } else if reads <= DOES_NOT && writes >= WAITS && neighbours <= DOES_NOT {
        Some(Redundancy::Mirror)
    } else if reads >= WAITS && writes >= WAITS && neighbours <= DOES_NOT {
        Some(Redundancy::Unseen)
    } else {
        None
    })
}
