//! The stripe of an array: looked for, checked with new distances, and its first boundary.

use ioalign_core::Bytes;

use super::confirm::{CheckEnd, confirm};
use super::family::StripeFamily;
use super::fit::FitLeader;
use super::outcome::{ProbeOutcome, ProbedGrid, ProbedKind};
use super::phase::{PhaseQuestion, phase};
use super::sampler::{ProbeHalt, Sampler};
use super::search::{SearchEnd, StripeSearch, certainty};

/// How often a geometry may fail its check before the probe ends without one.
const CHECKS: u32 = 4;
/// Said where no geometry fits.
const UNCLEAR: &str = "reads wait for each other at some distances, but no geometry explains which";

/// The stripe that pairs of reads show, and the bytes after which it repeats itself.
pub(super) fn stripe(
    sampler: &mut Sampler<'_>,
    family: &StripeFamily,
    outcome: &mut ProbeOutcome,
) -> Result<Option<(ProbedGrid, u64)>, ProbeHalt> {
    let mut search = StripeSearch::begin(sampler, family)?;
    let Some((leader, check)) = sure(sampler, &mut search, outcome)? else {
        return Ok(None);
    };
    let (unit, columns) = (leader.geometry.unit, leader.geometry.columns);
    let asked = PhaseQuestion {
        unit,
        turn: family.turn(&leader.geometry),
    };
    let Some(phase) = phase(sampler, &asked, &check)? else {
        let what = format!(
            "units of {} in {columns} columns are there, but where they begin is not clear",
            Bytes::new(unit)
        );
        outcome.unclear = true;
        outcome.notes.push(what);
        return Ok(None);
    };
    let grid = ProbedGrid {
        kind: ProbedKind::Stripe,
        unit_bytes: unit,
        phase_bytes: phase.bytes,
        columns,
        confidence_ratio: certainty((check.odds.unwrap_or(0.0) + leader.odds).min(phase.odds)),
        effect_ratio: leader.effect,
    };
    Ok(Some((grid, asked.turn)))
}

/// A geometry that is sure and was confirmed; what contradicts one is learned from.
fn sure(
    sampler: &mut Sampler<'_>,
    search: &mut StripeSearch<'_>,
    outcome: &mut ProbeOutcome,
) -> Result<Option<(FitLeader, CheckEnd)>, ProbeHalt> {
    let mut doubt = None;
    for _ in 0..CHECKS {
        let end = search.go_on(sampler)?;
        outcome.detection_limit = outcome.detection_limit.min(search.limit());
        let leader = match end {
            SearchEnd::Leader(leader) => leader,
            SearchEnd::Unclear => {
                doubt.get_or_insert_with(|| UNCLEAR.to_owned());
                break;
            }
            SearchEnd::TooLarge(leader) => {
                doubt = Some(format!(
                    "units of {} in {} columns seem likely; the device is too small to check them",
                    Bytes::new(leader.geometry.unit),
                    leader.geometry.columns
                ));
                break;
            }
            SearchEnd::Nothing => break,
        };
        let check = confirm(sampler, &leader, search)?;
        if check.odds.is_some() {
            return Ok(Some((leader, check)));
        }
        for (distances, block) in &check.seen {
            search.learn(distances, block);
        }
        doubt = Some(format!(
            "units of {} in {} columns seemed likely and were not confirmed",
            Bytes::new(leader.geometry.unit),
            leader.geometry.columns
        ));
    }
    outcome.unclear |= doubt.is_some();
    outcome.notes.extend(doubt);
    Ok(None)
}
