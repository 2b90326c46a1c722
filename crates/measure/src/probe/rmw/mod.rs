//! The unit of writes: those that cover whole units cost less, because nothing has to be read first.
//!
//! Writes of growing size are sent at every phase that a sector allows. Of a size below the unit none covers a unit; of the size
//! of the unit those at one phase do. A boundary of a stripe makes writes across it slower as well: so half a unit, written within
//! a unit, has to take longer than the whole.

mod verdict;

use super::device::ProbeIo;
use super::outcome::{ProbeStage, ProbedGrid, ProbedKind};
use super::sampler::{ProbeHalt, Sampler};
use super::search::{LEAST_EFFECT, certainty};
use verdict::{is_faster, spread, verdict};

/// The largest unit that is looked for.
const MOST: u64 = 128 << 10;
/// Writes at each phase in the first look.
const LOOKED: usize = 4;
/// Phases that are looked at again, and how often.
const CHOSEN: usize = 8;
const AGAIN: usize = 12;
/// Writes of each kind in a round of the check, and the most rounds.
const CHECKED: usize = 32;
const ROUNDS: u32 = 4;
/// Writes in flight: one alone may end in a buffer.
const IN_FLIGHT: [u64; 2] = [1, 8];

/// A size and a phase of writes.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
struct WriteArm {
    bytes: u64,
    /// Writes begin at this many bytes past a multiple of `step`.
    phase: u64,
    step: u64,
}

/// Finds the unit of writes; the smallest effect that could have been seen comes with it.
pub(super) fn unit(sampler: &mut Sampler<'_>) -> Result<(Option<ProbedGrid>, f64), ProbeHalt> {
    sampler.stage = ProbeStage::Writes;
    let sector = sampler.device.sector_bytes();
    let mut limit = LEAST_EFFECT;
    for in_flight in IN_FLIGHT {
        let mut size = 2 * sector;
        while size <= MOST {
            let (found, spread) = of_size(sampler, size, in_flight)?;
            if found.is_some() {
                return Ok((found, limit));
            }
            limit = limit.max(spread);
            size *= 2;
        }
    }
    Ok((None, limit))
}

/// Whether writes of this size cover whole units at one phase.
fn of_size(
    sampler: &mut Sampler<'_>,
    size: u64,
    in_flight: u64,
) -> Result<(Option<ProbedGrid>, f64), ProbeHalt> {
    let sector = sampler.device.sector_bytes();
    let all: Vec<WriteArm> = (0..size / sector)
        .map(|number| whole(size, number * sector))
        .collect();
    let look = measured(sampler, &all, LOOKED, in_flight)?;
    let mut usual: Vec<f64> = look.iter().flatten().copied().collect();
    let spread = spread(&mut usual);
    let chosen = fastest(&all, &look, CHOSEN);
    let again = measured(sampler, &chosen, AGAIN, in_flight)?;
    let Some(best) = fastest(&chosen, &again, 1).first().copied() else {
        return Ok((None, spread));
    };
    let check = check_arms(&best, sector);
    let mut seen = vec![Vec::new(); check.len()];
    let mut clear = None;
    for _ in 0..ROUNDS {
        let round = measured(sampler, &check, CHECKED, in_flight)?;
        for (sum, more) in seen.iter_mut().zip(round) {
            sum.extend(more);
        }
        clear = verdict(&seen);
        // A busy machine needs more; what does not differ at all does not.
        if clear.is_some() || !is_faster(&seen) {
            break;
        }
    }
    let found = clear.map(|(effect, apart)| ProbedGrid {
        kind: ProbedKind::RmwUnit,
        unit_bytes: size,
        phase_bytes: best.phase,
        columns: 1,
        confidence_ratio: certainty(apart * apart / 2.0),
        effect_ratio: effect,
    });
    Ok((found, spread))
}

const fn whole(size: u64, phase: u64) -> WriteArm {
    WriteArm {
        bytes: size,
        phase,
        step: size,
    }
}

/// The whole unit; then writes a sector beside it on both sides, in the middle between two units, and of each half of one.
fn check_arms(best: &WriteArm, sector: u64) -> Vec<WriteArm> {
    let size = best.bytes;
    let beside = |more: u64| whole(size, (best.phase + more) % size);
    let half = |more: u64| WriteArm {
        bytes: size / 2,
        phase: (best.phase + more) % size,
        step: size,
    };
    vec![
        *best,
        beside(sector),
        beside(size - sector),
        beside(size / 2),
        half(0),
        half(size / 2),
    ]
}

/// The arms with the shortest times: by their lower quartile, because what disturbs a write makes it longer.
fn fastest(arms: &[WriteArm], block: &[Vec<f64>], count: usize) -> Vec<WriteArm> {
    let times = block.iter().map(|ratios| {
        let mut sorted = ratios.clone();
        sorted.sort_unstable_by(f64::total_cmp);
        sorted
            .get(sorted.len() / 4)
            .copied()
            .unwrap_or(f64::INFINITY)
    });
    let mut sorted: Vec<_> = arms.iter().copied().zip(times).collect();
    sorted.sort_by(|a, b| a.1.total_cmp(&b.1));
    sorted.into_iter().take(count).map(|(arm, _)| arm).collect()
}

/// Writes of every arm in random order, at random places; before each round nothing is cached.
fn measured(
    sampler: &mut Sampler<'_>,
    arms: &[WriteArm],
    each: usize,
    in_flight: u64,
) -> Result<Vec<Vec<f64>>, ProbeHalt> {
    let size = sampler.device.size_bytes();
    let mut all = vec![Vec::with_capacity(each); arms.len()];
    for _ in 0..each {
        sampler.device.settle()?;
        let block = sampler.block(arms.len(), 1, &mut |arm, random, batch| {
            let Some(arm) = arms.get(arm) else { return };
            let room = (size - 2 * arm.step) / arm.step;
            batch.extend((0..in_flight).map(|_| ProbeIo {
                offset: random.below(room) * arm.step + arm.phase,
                bytes: u32::try_from(arm.bytes).unwrap_or(u32::MAX),
                write: true,
            }));
        })?;
        for (sum, more) in all.iter_mut().zip(block) {
            sum.extend(more);
        }
    }
    Ok(all)
}
