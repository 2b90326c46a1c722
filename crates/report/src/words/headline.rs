//! The verdict in plain words, for someone who has never heard of alignment.

use std::collections::BTreeSet;

use ioalign_core::cost::CostRow;
use ioalign_core::{Bytes, Finding, Grid, Severity, Tier};

use super::numbers::{count, percent, trimmed};
use super::sentence::{capital, sentence};
use super::{clean, counted, kinds, place};
use crate::model::Target;
use crate::order;

/// One or two sentences: what is wrong and what it costs.
pub fn headline(target: &Target) -> String {
    if let Some(error) = &target.error {
        return format!(
            "This could not be read: {}",
            sentence(&super::reason::short(error))
        );
    }
    match target.verdict {
        Severity::Ok | Severity::Note => fine(target),
        Severity::Unknown => unknown(target),
        _ => defect(target).unwrap_or_else(|| capital(kinds::meaning(target.verdict)) + "."),
    }
}

fn fine(target: &Target) -> String {
    let waived = |f: &&Finding| !f.counts() && f.severity > Severity::Note;
    match target.findings.iter().filter(waived).count() {
        0 => {}
        1 => return "Nothing counts against it: the one finding is waived.".to_owned(),
        n => return format!("Nothing counts against it: {n} findings are waived."),
    }
    let judged: BTreeSet<_> = target
        .phases
        .iter()
        .filter(|one| one.phases.is_aligned())
        .map(|one| one.layer)
        .collect();
    let sentence = match (judged.is_empty(), target.missed.is_empty()) {
        (true, _) => "Nothing is wrong.",
        (false, true) => "Everything that carries data starts on the boundaries below it.",
        (false, false) => "Everything that carries data starts on the boundaries that matter.",
    };
    sentence.to_owned()
}

fn unknown(target: &Target) -> String {
    let said = order::findings(target)
        .into_iter()
        .find(|finding| finding.counts() && finding.severity == Severity::Unknown);
    said.map_or_else(
        || "Nothing that could be judged was recognised, so nothing is claimed.".to_owned(),
        |finding| sentence(&clean(&finding.why)),
    )
}

/// The worst finding, with all layers that lie off the same kind of grid.
fn defect(target: &Target) -> Option<String> {
    let first = *order::findings(target).first()?;
    let said = Some(sentence(&clean(&first.why)));
    let Some((grid, layer)) = grid_of(target, first).zip(first.layer) else {
        return said;
    };
    if first.offset.is_none_or(Bytes::is_zero) {
        return said;
    }
    let fact = scattered(target, first, grid).unwrap_or_else(|| {
        let (subject, several) = counted::off(target, layer, grid);
        format!("{subject} {}", off(grid, several))
    });
    Some(match cost(&first.cost, grid) {
        Some(price) => format!("{fact}: {price}."),
        None => format!("{fact}."),
    })
}

/// The grid of a finding, where it has one.
pub fn grid_of<'a>(target: &'a Target, finding: &Finding) -> Option<&'a Grid> {
    target.stack.grids.get(finding.grid?)
}

/// When only a part of the data is off: "87.5 % of the data of image file x lies off …".
fn scattered(target: &Target, finding: &Finding, grid: &Grid) -> Option<String> {
    let (layer, index) = finding.layer.zip(finding.grid)?;
    let phases = target.phases_on(layer, index)?;
    if phases.phases.len() < 2 {
        return None;
    }
    let guilty = finding.guilty.unwrap_or(layer);
    let whose = if guilty == layer {
        place::name(&target.stack, layer)
    } else {
        format!(
            "{}, because of {},",
            place::name(&target.stack, layer),
            place::name(&target.stack, guilty)
        )
    };
    Some(format!(
        "{} of {whose} lies off the {} boundaries of the {}",
        capital(&percent(phases.off_grid())),
        grid.size,
        kinds::cells(grid.kind.name())
    ))
}

fn off(grid: &Grid, several: bool) -> String {
    let verb = if several { "start" } else { "starts" };
    match grid.tier {
        Tier::Validity => format!(
            "{verb} between two {} {}",
            grid.size,
            kinds::cells(grid.kind.name())
        ),
        Tier::Rmw | Tier::Preference => {
            format!(
                "{verb} in the middle of a {} {}",
                grid.size,
                kinds::cell(grid.kind.name())
            )
        }
    }
}

/// The cost of one representative size of I/O, in words.
pub fn cost(rows: &[CostRow], grid: &Grid) -> Option<String> {
    let costs_more = |row: &&CostRow| row.cells_ratio > 1.001;
    let row = rows
        .iter()
        .filter(costs_more)
        .find(|row| row.io.get() == 4096)
        .or_else(|| rows.iter().find(costs_more))?;
    let whole = row.straddle_ratio > 0.999;
    let cells = kinds::cells(grid.kind.name());
    Some(match (grid.tier, whole) {
        (Tier::Rmw, true) => format!(
            "every {} write costs {} reads and {} writes instead of one write",
            row.io,
            trimmed(row.rmw_ratio),
            trimmed(row.cells_ratio)
        ),
        (_, true) => format!(
            "every {} request touches two {cells} instead of one",
            row.io
        ),
        _ if row.straddle_ratio > 0.0 => format!(
            "{} of all {} requests touch two {cells} instead of one",
            percent(row.straddle_ratio),
            row.io
        ),
        _ => format!(
            "a {} request touches {} times as many {cells} as it need",
            row.io,
            trimmed(row.cells_ratio)
        ),
    })
}

/// The most important facts about a target, in a few words.
pub fn said(target: &Target) -> String {
    if let Some(error) = &target.error {
        return super::reason::short(error);
    }
    let findings = order::findings(target);
    match findings.first() {
        None => String::new(),
        Some(first) if !first.counts() => format!("{} waived", count(findings.len())),
        Some(first) if first.severity != Severity::Note => brief(target, first),
        Some(_) if findings.len() == 1 => "1 note".to_owned(),
        Some(_) => format!("{} notes", count(findings.len())),
    }
}

/// A finding in a few words, for tables: `p1 3584 B off 4 KiB`.
pub fn brief(target: &Target, finding: &Finding) -> String {
    let name = finding
        .guilty
        .or(finding.layer)
        .map(|id| place::short(&target.stack, id))
        .filter(|name| !name.is_empty() && *name != target.name);
    let offset = finding.offset.filter(|offset| !offset.is_zero()).zip(
        finding
            .unit
            .or_else(|| grid_of(target, finding).map(|grid| grid.size)),
    );
    match (name, offset) {
        (Some(name), Some((offset, unit))) => format!("{name} {offset} off {unit}"),
        (None, Some((offset, unit))) => format!("{offset} off {unit}"),
        (Some(name), None) => format!("{name} {}", finding.rule),
        (None, None) => finding.rule.to_owned(),
    }
}
