//! From a loss and a load to a decision, with its reasons.

use super::load::LoadSummary;
use super::loss::{Basis, Loss};
use super::say::{longer, range};
use super::{Decision, Defect, Reason};
use crate::numbers::estimate;
use crate::severity::Severity;

/// A loss that is at most this is not worth moving data.
pub const NEGLIGIBLE: f64 = 0.02;
/// Nor is one that takes at most this share of all time, idle time among it.
pub const NEGLIGIBLE_TIME: f64 = 0.005;
/// A loss that is at least this is worth an interruption,
pub const CONSIDERABLE: f64 = 0.10;
/// where it takes at least this share of all time.
pub const CONSIDERABLE_TIME: f64 = 0.01;

/// The facts about one defect.
#[derive(Copy, Clone)]
pub(super) struct Known<'a> {
    pub(super) defect: &'a Defect,
    pub(super) loss: Option<&'a Loss>,
    pub(super) load: Option<&'a LoadSummary>,
}

/// Decides on one defect, with the reason that decided.
pub(super) fn decide(known: Known<'_>) -> (Decision, Reason) {
    match known.loss {
        _ if known.defect.risks_data() => (Decision::FixNow, at_risk(known.defect)),
        Some(loss) => by_loss(known.defect, loss, known.load),
        None => no_boundary(),
    }
}

fn at_risk(defect: &Defect) -> Reason {
    let what = match defect.severity {
        Severity::Broken => "It does not boot, mount, join or read: repair at any cost.",
        _ => "A crash or a torn write can lose data: repair at any cost.",
    };
    Reason::new("data-at-risk", what)
}

fn no_boundary() -> (Decision, Reason) {
    let text =
        "Its cost is not one of boundaries that I/O crosses, so that offsets cannot measure it.";
    (Decision::NextOutage, Reason::new("not-an-offset", text))
}

fn by_loss(defect: &Defect, loss: &Loss, load: Option<&LoadSummary>) -> (Decision, Reason) {
    if loss.high_ratio < NEGLIGIBLE {
        let text = format!(
            "I/O takes {} because of it: less than moving data is worth.",
            longer(loss)
        );
        return (Decision::Leave, Reason::new("costs-little", text));
    }
    let most = loss.lost_time_high_ratio;
    if most.is_some_and(|most| most < NEGLIGIBLE_TIME) {
        let text = format!("{}{}.", said(loss), lost(loss, load));
        return (Decision::Leave, Reason::new("light-load", text));
    }
    match loss.basis {
        Basis::MeasuredAndWeighed | Basis::PartlyMeasured => weighed(loss, load),
        Basis::Measured => unweighed(loss),
        Basis::Weighed | Basis::Assumed => assumed(defect, loss, load),
    }
}

/// How much longer, and how that is known.
fn said(loss: &Loss) -> String {
    let longer = longer(loss);
    let covered = estimate(loss.covered_ratio.unwrap_or_default());
    match loss.basis {
        Basis::MeasuredAndWeighed if loss.is_undecided() => format!(
            "This workload's I/O takes {longer} because of it, by measured intervals that are not decided"
        ),
        Basis::MeasuredAndWeighed => {
            format!("This workload's I/O takes {longer} because of it, as measured")
        }
        Basis::PartlyMeasured => format!(
            "This workload's I/O takes {longer} because of it: cells were measured for {covered} of the \
             crossing I/O, and what the rest pays is assumed"
        ),
        Basis::Measured if loss.is_undecided() => {
            format!(
                "I/O takes {longer} because of it, by measured intervals of which some are not decided"
            )
        }
        Basis::Measured => format!("I/O takes {longer} because of it, as measured"),
        Basis::Weighed | Basis::Assumed => {
            format!("I/O takes {longer} because of it, as far as one can say without a measurement")
        }
    }
}

/// If the device is idle most of the time: the loss as a share of all time.
fn lost(loss: &Loss, load: Option<&LoadSummary>) -> String {
    let busy = load.and_then(|load| load.busy_ratio);
    let times = loss.lost_time_low_ratio.zip(loss.lost_time_high_ratio);
    busy.zip(times)
        .map(|(busy, (low, high))| {
            format!(
                "; the device is busy for {} of the time, so that {} of all time is lost",
                estimate(busy),
                range(low, high)
            )
        })
        .unwrap_or_default()
}

fn weighed(loss: &Loss, load: Option<&LoadSummary>) -> (Decision, Reason) {
    let text = said(loss);
    let considerable = loss.low_ratio >= CONSIDERABLE;
    let least = loss.lost_time_low_ratio;
    if considerable && least.is_some_and(|least| least < CONSIDERABLE_TIME) {
        let text = format!("{text}{}.", lost(loss, load));
        return (Decision::NextOutage, Reason::new("light-load", text));
    }
    if considerable {
        let kind = if loss.basis.is_measured() {
            "loss-measured"
        } else {
            "loss-partly-measured"
        };
        return (Decision::FixNow, Reason::new(kind, format!("{text}.")));
    }
    let least = if loss.high_ratio >= CONSIDERABLE {
        "not certain to be enough for an interruption of its own"
    } else {
        "not enough for an interruption of its own"
    };
    let text = format!("{text}: {least}.");
    (Decision::NextOutage, Reason::new("loss-moderate", text))
}

/// A profile without I/O weighs nothing either.
fn unweighed(loss: &Loss) -> (Decision, Reason) {
    let text = format!(
        "{}; how much of the load is of the kinds that pay most is not known.",
        said(loss)
    );
    (Decision::NextOutage, Reason::new("load-unknown", text))
}

/// Nothing was measured: never reason enough for an interruption.
fn assumed(defect: &Defect, loss: &Loss, load: Option<&LoadSummary>) -> (Decision, Reason) {
    let high = estimate(loss.high_ratio);
    if load.is_some_and(LoadSummary::mostly_random_writes) && !defect.rewrites {
        let text = "Most of the I/O is random writes, of which caches take up the second request: \
                    wait for an outage, or leave it.";
        return (Decision::Leave, Reason::new("random-writes", text));
    }
    let what = if loss.covered_ratio.is_some() {
        "What a crossing costs this workload's I/O was not measured"
    } else {
        "What a crossing costs was not measured"
    };
    let text = format!(
        "{what}: between nothing and {high} longer, which is no reason for an interruption of its own."
    );
    (Decision::NextOutage, Reason::new("cost-unknown", text))
}
