//! From a loss and a load to a decision, with its reasons.

use super::load::Load;
use super::loss::{self, Basis, Loss};
use super::price::Prices;
use super::say::{longer, percent};
use super::{Decision, Defect, Item, Reason};
use crate::finding::Severity;

/// A loss that is at most this is not worth moving data.
pub const NEGLIGIBLE: f64 = 0.02;
/// A loss that is at least this is worth an interruption.
pub const CONSIDERABLE: f64 = 0.10;

/// Decides on one defect.
pub(super) fn item(
    target: &str,
    defect: &Defect,
    load: Option<&Load>,
    prices: Option<&Prices<'_>>,
) -> Item {
    let loss = loss::of(defect, load, prices);
    let (decision, first) = match &loss {
        _ if defect.risks_data() => (Decision::FixNow, at_risk(defect)),
        Some(loss) => by_loss(defect, loss, load),
        None => no_boundary(),
    };
    let mut reasons = vec![first];
    if !defect.risks_data() {
        let about = loss.as_ref().map(|loss| about(defect, loss, load));
        reasons.extend(about.into_iter().flatten());
    }
    reasons.extend(how(defect, decision));
    Item {
        target: target.to_owned(),
        defect: defect.clone(),
        decision,
        loss,
        reasons,
    }
}

fn at_risk(defect: &Defect) -> Reason {
    let what = match defect.severity {
        Severity::Broken => {
            "It does not boot, mount, join or read: whatever the cost of the repair."
        }
        _ => "A crash or a torn write can lose data: whatever the cost of the repair.",
    };
    Reason::new("data-at-risk", what)
}

fn no_boundary() -> (Decision, Reason) {
    let text =
        "Its cost is not one of boundaries that I/O crosses, so that offsets cannot measure it.";
    (Decision::NextOutage, Reason::new("not-an-offset", text))
}

fn by_loss(defect: &Defect, loss: &Loss, load: Option<&Load>) -> (Decision, Reason) {
    if loss.high_ratio < NEGLIGIBLE {
        let text = format!(
            "I/O takes {} because of it: less than moving data is worth.",
            longer(loss)
        );
        return (Decision::Leave, Reason::new("costs-little", text));
    }
    if let Some(load) = load.filter(|load| load.light) {
        return light(loss, load);
    }
    if loss.basis.is_measured() {
        return measured(loss);
    }
    assumed(defect, loss, load)
}

/// With a light load nobody waits for the device: an outage will come.
fn light(loss: &Loss, load: &Load) -> (Decision, Reason) {
    let decision = if loss.high_ratio < CONSIDERABLE {
        Decision::Leave
    } else {
        Decision::NextOutage
    };
    let text = format!(
        "The load is light: the device is busy for {} of the time. I/O takes {} because of it, {}.",
        percent(load.busy_ratio.unwrap_or_default()),
        longer(loss),
        if loss.basis.is_measured() {
            "as measured"
        } else {
            "as far as one can say without a measurement"
        }
    );
    (decision, Reason::new("light-load", text))
}

fn measured(loss: &Loss) -> (Decision, Reason) {
    let longer = longer(loss);
    // A profile without I/O weighs nothing either.
    if loss.basis == Basis::Measured {
        let text = format!(
            "I/O takes {longer} because of it, as measured; how much of the load is of the dear kinds is \
             not known."
        );
        return (Decision::NextOutage, Reason::new("load-unknown", text));
    }
    let text = format!("This workload's I/O takes {longer} because of it, as measured");
    if loss.low_ratio >= CONSIDERABLE {
        let text = format!("{text}.");
        return (Decision::FixNow, Reason::new("loss-measured", text));
    }
    let text = format!("{text}: not enough for an interruption of its own.");
    (Decision::NextOutage, Reason::new("loss-moderate", text))
}

/// Nothing was measured: never reason enough for an interruption.
fn assumed(defect: &Defect, loss: &Loss, load: Option<&Load>) -> (Decision, Reason) {
    let high = percent(loss.high_ratio);
    if load.is_some_and(Load::mostly_random_writes) && !defect.rewrites {
        let text = "Most of the I/O is random writes, of which caches take up the second request: \
                    wait for an outage, or leave it.";
        return (Decision::Leave, Reason::new("random-writes", text));
    }
    let text = format!(
        "What a crossing costs was not measured: between nothing and {high} longer, which is no reason \
         for an interruption of its own."
    );
    (Decision::NextOutage, Reason::new("cost-unknown", text))
}

/// What else bears on it.
fn about(defect: &Defect, loss: &Loss, load: Option<&Load>) -> Vec<Reason> {
    let mut reasons = Vec::new();
    if let Some(crossing) = loss.crossing_ratio {
        let text = format!(
            "{} of the I/O touches a block more than it must because of it.",
            percent(crossing)
        );
        reasons.push(Reason::new("crossing", text));
    }
    if load.is_some_and(Load::mostly_sequential_reads) {
        let text = "Most of the I/O is sequential reads, which gain most from alignment.";
        reasons.push(Reason::new("sequential-reads", text));
    }
    if load.is_some_and(Load::mostly_random_writes) && defect.rewrites && !loss.basis.is_measured()
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

/// What putting it right takes.
fn how(defect: &Defect, decision: Decision) -> Option<Reason> {
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
