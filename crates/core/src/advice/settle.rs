//! Assumptions, and the commands that would replace them.

use std::path::Path;

use super::load::LoadSummary;
use super::price::Prices;
use super::say::counted;
use super::{AdviceInput, Assumption, Basis, Item, Loss, Uncovered};
use crate::numbers::estimate;
use crate::severity::Severity;
use crate::shell;

/// A handful of arms, sizes or depths; more make a measurement long.
const MOST: usize = 4;

pub(super) fn all(
    evidence: &AdviceInput<'_>,
    load: Option<&LoadSummary>,
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
        Some(load) => {
            let only = evidence.profile.map_or(&[][..], |profile| &profile.only);
            out.extend(of_load(load, only));
        }
    }
    match prices {
        None => out.push(no_cost(&open)),
        Some(prices) => out.extend(of_cost(evidence, prices, &open)),
    }
    once(out)
}

/// Each way to know better where it stands first.
fn once(mut all: Vec<Assumption>) -> Vec<Assumption> {
    let mut said = Vec::new();
    for one in &mut all {
        if one
            .settle
            .as_ref()
            .is_some_and(|settle| said.contains(settle))
        {
            one.settle = None;
        }
        said.extend(one.settle.clone());
    }
    all
}

fn assume(what: impl Into<String>, settle: Option<String>) -> Assumption {
    Assumption {
        what: what.into(),
        settle,
    }
}

/// Targets that nothing can be said of.
fn unknown<'a>(evidence: &AdviceInput<'a>) -> impl Iterator<Item = Assumption> + 'a {
    let targets = evidence.targets.iter();
    let unknown = targets.filter(|target| target.unread || target.verdict == Severity::Unknown);
    unknown.map(|target| {
        assume(
            format!(
                "{}: it was not read or nothing in it was recognised; nothing is advised of it.",
                target.name
            ),
            Some(match target.name.as_str() {
                "this host" => "sudo ioalign check".to_owned(),
                name => format!("sudo ioalign check {}", shell::path(Path::new(name))),
            }),
        )
    })
}

const WATCH: &str = "ioalign watch DEVICE --duration 10m --json >profile.json";

fn no_profile() -> Assumption {
    assume(
        "No profile: what the I/O is and how much of it there is, is not known.",
        Some(WATCH.to_owned()),
    )
}

fn a_part(only: &[String]) -> Assumption {
    let what = format!(
        "The profile has the I/O of {} alone: that the device is busy all the time was assumed.",
        only.join("; ")
    );
    assume(what, Some(WATCH.to_owned()))
}

fn of_load(load: &LoadSummary, only: &[String]) -> Vec<Assumption> {
    let mut out = Vec::new();
    if load.ios == 0 {
        out.push(assume(
            "The profile holds no reads and no writes.",
            Some(WATCH.to_owned()),
        ));
    }
    if !load.in_stack {
        let names: Vec<_> = load.devices.iter().take(MOST).cloned().collect();
        let what = format!(
            "The stack does not name {}: its profile was taken for the stack's (--assume-same).",
            names.join(", ")
        );
        out.push(assume(what, Some(WATCH.to_owned())));
    }
    if !only.is_empty() {
        out.push(a_part(only));
    } else if load.busy_ratio.is_none() {
        let what =
            "The profile has no latencies: that the device is busy all the time was assumed.";
        out.push(assume(what, None));
    }
    if load.queue_depth.is_none() {
        let what = "The profile does not say how many I/Os were in flight: the range holds all depths \
                    that were measured.";
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

/// The command that measures what is missing: the kinds of I/O that no cell speaks for, where they are known.
fn measure(open: &[&Item]) -> String {
    let offsets = open
        .iter()
        .filter_map(|item| item.defect.offset_bytes.filter(|offset| *offset > 0));
    let mut offsets: Vec<u64> = offsets.collect();
    offsets.sort_unstable();
    offsets.dedup();
    let list = match offsets.as_slice() {
        [] => "512".to_owned(),
        some => join(some.iter().map(u64::to_string)),
    };
    let missing = open.iter().filter_map(|item| item.loss.as_ref());
    let missing = missing.flat_map(|loss| &loss.uncovered);
    let missing: Vec<_> = missing.filter(|one| one.matters()).collect();
    let cells = cells(&missing);
    format!(
        "ioalign measure matrix TARGET --ramp 1s --time 10s --offsets 0,{list}{cells} --json >cost.json"
    )
}

fn cells(missing: &[&Uncovered]) -> String {
    if missing.is_empty() {
        return String::new();
    }
    let list = |of: &dyn Fn(&Uncovered) -> String| {
        let mut all: Vec<_> = missing.iter().map(|one| of(one)).collect();
        let mut seen = Vec::new();
        all.retain(|one| {
            let new = !seen.contains(one);
            seen.push(one.clone());
            new
        });
        join(all.into_iter())
    };
    let order = |one: &Uncovered| match one.sequential {
        Some(true) => "sequential".to_owned(),
        Some(false) => "random".to_owned(),
        None => "random,sequential".to_owned(),
    };
    let write = if missing.iter().any(|one| one.op == "write") {
        " --write"
    } else {
        ""
    };
    let depth = missing.iter().find_map(|one| one.queue_depth);
    let depth = depth.map(|depth| format!(" --depth {:.0}", depth.clamp(1.0, 4096.0)));
    format!(
        " --sizes {} --ops {} --patterns {}{}{write}",
        list(&|one| one.bytes.to_string()),
        list(&|one| one.op.to_owned()),
        list(&order),
        depth.unwrap_or_default()
    )
}

fn join(all: impl Iterator<Item = String>) -> String {
    all.take(MOST).collect::<Vec<_>>().join(",")
}

fn of_cost(evidence: &AdviceInput<'_>, prices: &Prices<'_>, open: &[&Item]) -> Vec<Assumption> {
    let target = &prices.comparison().target;
    let same = !super::strangers(&AdviceInput {
        assume_same: false,
        profile: None,
        ..*evidence
    })
    .is_empty();
    if prices.comparison().simulated {
        let what =
            format!("What a crossing costs is that of the {target}: no device was measured.");
        let mut out = vec![assume(what, Some(measure(open)))];
        out.extend(of_cells(prices));
        out.extend(of_matches(open));
        return out;
    }
    let what = if same {
        format!(
            "The stack does not name {target}: that crossings cost the same on both was assumed (--assume-same)."
        )
    } else {
        format!(
            "Crossings cost elsewhere and later what they cost on {target} when it was measured."
        )
    };
    let mut out = vec![assume(what, None)];
    out.extend(of_cells(prices));
    if open.iter().any(|item| no_cell(item)) {
        let what = "No valid cell of the measurement is off the same grid with the baseline on it: what a \
                    crossing costs was assumed.";
        out.push(assume(what, Some(measure(open))));
    } else if open.iter().any(|item| !prices.has_offset_of(&item.defect)) {
        let what = "No arm of the measurement is as far off the grid as the defect: crossings are taken to \
                    cost the same wherever they are.";
        out.push(assume(what, Some(measure(open))));
    }
    out.extend(of_matches(open));
    out
}

fn of_cells(prices: &Prices<'_>) -> Vec<Assumption> {
    let mut out = Vec::new();
    let is = |count: usize| if count == 1 { "is" } else { "are" };
    let undecided = prices.undecided();
    if undecided > 0 {
        let what = format!(
            "{} of the measurement {} undecided: the intervals bound the cost, and make the range wide.",
            counted(undecided, "cell"),
            is(undecided)
        );
        let again = "Measure again while the machine is quieter, or with a longer --time.";
        out.push(assume(what, Some(again.to_owned())));
    }
    let left_out = prices.left_out();
    if left_out > 0 {
        let what = format!(
            "{} of the measurement {} left out: invalid because identical arms differed, or without an interval.",
            counted(left_out, "cell"),
            is(left_out)
        );
        let again = "Measure again while the machine is quieter, or with a longer --time.";
        out.push(assume(what, Some(again.to_owned())));
    }
    out
}

/// How far the cells are of the I/O that the workload sends.
fn of_matches(open: &[&Item]) -> Vec<Assumption> {
    let losses = || open.iter().filter_map(|item| item.loss.as_ref());
    let mut out = Vec::new();
    let covered = losses().filter_map(|loss| loss.covered_ratio);
    if let Some(least) = covered.reduce(f64::min).filter(|least| *least < 0.995) {
        let what = format!(
            "The measured cells speak for {} of the crossing I/O; of the rest the range is wide.",
            estimate(least)
        );
        out.push(assume(what, Some(measure(open))));
    }
    let between = |loss: &Loss| loss.interpolated_ratio;
    let between = losses().filter_map(between).reduce(f64::max);
    if let Some(most) = between.filter(|most| *most > 0.005) {
        let what = format!(
            "{} of the crossing I/O is priced by cells of other sizes, queue depths or mixes, with the range of those on \
             both sides of it.",
            estimate(most)
        );
        out.push(assume(what, None));
    }
    out
}

/// Whether not one cell is of this grid.
fn no_cell(item: &Item) -> bool {
    let is_none = |loss: &Loss| {
        matches!(loss.basis, Basis::Weighed | Basis::Assumed) && loss.covered_ratio.is_none()
    };
    item.loss.as_ref().is_some_and(is_none)
}
