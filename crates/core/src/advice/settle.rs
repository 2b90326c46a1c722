//! What had to be assumed, and the command that would settle it.

use super::load::Load;
use super::price::Prices;
use super::say::{counted, percent};
use super::{Assumption, Basis, Evidence, Item};
use crate::finding::Severity;

pub(super) fn all(
    evidence: &Evidence<'_>,
    load: Option<&Load>,
    prices: Option<&Prices<'_>>,
    items: &[Item],
) -> Vec<Assumption> {
    let mut out: Vec<Assumption> = unknown(evidence).collect();
    let open: Vec<_> = items.iter().filter(|item| item.loss.is_some()).collect();
    if open.is_empty() {
        return out;
    }
    match load {
        None => out.push(no_profile()),
        Some(load) => out.extend(of_load(load)),
    }
    match prices {
        None => out.push(no_cost(&open)),
        Some(prices) => out.extend(of_cost(evidence, prices, &open)),
    }
    out
}

fn assume(what: impl Into<String>, settle: Option<String>) -> Assumption {
    Assumption {
        what: what.into(),
        settle,
    }
}

/// Targets that nothing can be said of.
fn unknown<'a>(evidence: &Evidence<'a>) -> impl Iterator<Item = Assumption> + 'a {
    let targets = evidence.targets.iter();
    let unknown = targets.filter(|target| target.unread || target.verdict == Severity::Unknown);
    unknown.map(|target| {
        assume(
            format!(
                "{}: it was not read or nothing in it was recognised; nothing is advised of it.",
                target.name
            ),
            Some(format!("sudo ioalign check {}", target.name)),
        )
    })
}

fn no_profile() -> Assumption {
    assume(
        "No profile: what the I/O is and how much of it there is, is not known.",
        Some("ioalign watch DEVICE --duration 10m --json >profile.json".to_owned()),
    )
}

fn of_load(load: &Load) -> Vec<Assumption> {
    let mut out = Vec::new();
    if load.ios == 0 {
        out.push(assume(
            "The profile holds no reads and no writes.",
            Some("ioalign watch DEVICE --duration 10m --json >profile.json".to_owned()),
        ));
    }
    if !load.in_stack && load.devices.len() > 1 {
        let what = format!(
            "No device of the profile is named in the stack: all {} were taken together.",
            load.devices.len()
        );
        out.push(assume(what, None));
    }
    if load.busy_ratio.is_none() {
        let what = "The profile has no latencies: that the load is not a light one was assumed.";
        out.push(assume(what, None));
    }
    out
}

fn no_cost(open: &[&Item]) -> Assumption {
    assume(
        "No measurement: what a crossing costs on this device is not known.",
        Some(measure(open)),
    )
}

fn measure(open: &[&Item]) -> String {
    let mut offsets: Vec<u64> = open
        .iter()
        .filter_map(|item| item.defect.offset_bytes.filter(|offset| *offset > 0))
        .collect();
    offsets.sort_unstable();
    offsets.dedup();
    // A handful of arms; more make each of them slower to measure.
    let list: Vec<_> = offsets.iter().take(4).map(u64::to_string).collect();
    let list = if list.is_empty() {
        "512".to_owned()
    } else {
        list.join(",")
    };
    format!("ioalign measure matrix TARGET --quick --offsets 0,{list} --json >cost.json")
}

fn of_cost(evidence: &Evidence<'_>, prices: &Prices<'_>, open: &[&Item]) -> Vec<Assumption> {
    let mut out = Vec::new();
    if let Some(cost) = evidence.cost {
        let what = format!(
            "Crossings cost elsewhere what they cost on {} when it was measured.",
            cost.target
        );
        out.push(assume(what, None));
    }
    if prices.left_out() > 0 {
        let what = format!(
            "{} of the measurement {} left out: undecided, or invalid because identical arms differed.",
            counted(prices.left_out(), "cell"),
            if prices.left_out() == 1 {
                "was"
            } else {
                "were"
            }
        );
        let again = "Measure again while the machine is quieter, or with a longer --time.";
        out.push(assume(what, Some(again.to_owned())));
    }
    if open.iter().any(|item| no_cell(item)) {
        let what = "No valid cell of the measurement is off the same grid with the baseline on it, at \
                    the workload's sizes: its cost was assumed.";
        out.push(assume(what, Some(measure(open))));
    }
    let covered = open
        .iter()
        .filter_map(|item| item.loss.as_ref()?.covered_ratio);
    if let Some(least) = covered.reduce(f64::min).filter(|least| *least < 0.995) {
        let what = format!(
            "The measured cells speak for {} of the crossing I/O; of the rest the range is wide.",
            percent(least)
        );
        out.push(assume(what, Some(measure(open))));
    }
    out
}

fn no_cell(item: &Item) -> bool {
    let basis = item.loss.as_ref().map(|loss| loss.basis);
    matches!(basis, Some(Basis::Weighed | Basis::Assumed))
}
