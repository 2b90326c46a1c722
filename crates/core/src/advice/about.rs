//! Reasons that bear on a decision besides the deciding one.

use super::decide::{Known, NEGLIGIBLE};
use super::load::LoadSummary;
use super::loss::Loss;
use super::matching::Unmatched;
use super::say::{in_flight, kind_of_io};
use super::uncovered::Uncovered;
use super::{Decision, Defect, Reason};
use crate::numbers::estimate;

/// The kinds of I/O that are named in a sentence.
const NAMED: usize = 3;

/// For a defect whose cost is one of boundaries.
pub(super) fn loss(known: Known<'_>) -> Vec<Reason> {
    let Known { defect, load, .. } = known;
    let Some(loss) = known.loss else {
        return Vec::new();
    };
    let mut reasons = Vec::new();
    if let Some(crossing) = loss.crossing_ratio {
        let text = format!(
            "{} of the I/O touches a block more than it must because of it.",
            estimate(crossing)
        );
        reasons.push(Reason::new("crossing", text));
    }
    reasons.extend(not_covered(loss));
    if load.is_some_and(LoadSummary::mostly_sequential_reads) {
        let text = "Most of the I/O is sequential reads, which gain most from alignment.";
        reasons.push(Reason::new("sequential-reads", text));
    }
    if load.is_some_and(LoadSummary::mostly_random_writes)
        && defect.rewrites
        && !loss.basis.is_measured()
    {
        let text = "Most of the I/O is random writes: a cache takes some of them up, and each that it \
                    does not is read, changed and written.";
        reasons.push(Reason::new("random-writes", text));
    }
    if !loss.basis.is_measured() && loss.high_ratio >= NEGLIGIBLE {
        let text = "On arrays with a cache of flash it is less noticeable, which is why the range \
                    begins at nothing.";
        reasons.push(Reason::new("flash-cache", text));
    }
    reasons
}

/// The I/O that nothing was measured of, by name.
fn not_covered(loss: &Loss) -> Option<Reason> {
    let named: Vec<_> = loss.uncovered.iter().filter(|one| one.matters()).collect();
    if named.is_empty() {
        return None;
    }
    let more = if named.len() > NAMED {
        "; and more"
    } else {
        ""
    };
    let named: Vec<_> = named.into_iter().take(NAMED).map(name).collect();
    let text = format!("No measured cell speaks for {}{more}.", named.join("; "));
    Some(Reason::new("not-covered", text))
}

fn name(one: &Uncovered) -> String {
    let why = match (one.unlike, one.queue_depth) {
        (Unmatched::Operation, _) => "that operation was not measured".to_owned(),
        (Unmatched::Pattern, _) => "that order was not measured".to_owned(),
        (Unmatched::Size, _) => "no cell has a size near it".to_owned(),
        (Unmatched::QueueDepth, Some(depth)) => {
            format!("no cell with {} in flight", in_flight(depth))
        }
        (Unmatched::QueueDepth, None) => "that queue depth was not measured".to_owned(),
    };
    format!(
        "{} ({} of the crossing I/O: {why})",
        kind_of_io(one),
        estimate(one.crossing_ratio)
    )
}

/// The effort of the repair.
pub(super) fn repair(defect: &Defect, decision: Decision) -> Option<Reason> {
    match defect.fixable_in_place {
        Some(false) if decision == Decision::Leave => Some(Reason::new(
            "not-in-place",
            "It cannot be put right in place: the data would have to be copied.",
        )),
        Some(false) => Some(Reason::new(
            "not-in-place",
            "It cannot be put right in place: the data must be copied, which takes a backup and an outage.",
        )),
        Some(true) => Some(Reason::new("in-place", "It can be put right in place.")),
        None => None,
    }
}
