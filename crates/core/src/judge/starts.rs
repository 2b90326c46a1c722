//! Starts off a grid: the classic misalignment, with the first guilty layer.

use std::collections::BTreeMap;

use super::{Case, suggest};
use crate::cost;
use crate::finding::Finding;
use crate::grid::{Grid, GridKind, Origin, Tier};
use crate::layer::Kind;
use crate::layer_id::LayerId;
use crate::map::Map;
use crate::phase::PhaseSet;
use crate::role::Role;
use crate::severity::Severity;
use crate::units::Bytes;

pub(super) fn judge(case: &Case<'_>, findings: &mut Vec<Finding>) {
    let first = findings.len();
    for leaf in case.data_leaves() {
        judge_leaf(case, leaf, findings);
    }
    judge_containers(case, findings, first);
    merge_same_cause(case, findings, first);
    for (id, layer) in case.stack.layers() {
        if layer.kind == Kind::Partition && !case.is_data_leaf(id) {
            repaired(case, id, findings);
        }
    }
    harmless_roles(case, findings);
}

/// One finding for each cause: the worst; the smallest missed grid represents the others, which the same
/// move repairs.
fn judge_leaf(case: &Case<'_>, leaf: LayerId, findings: &mut Vec<Finding>) {
    let mut missed: Vec<_> = case
        .on_grids(leaf)
        .filter(|(_, _, phases)| !phases.is_aligned())
        .filter(|(index, grid, _)| !chunk_is_to_blame(case, leaf, *index, grid))
        .collect();
    missed.sort_by_key(|(_, grid, _)| {
        let worst_first = std::cmp::Reverse(severity(case, leaf, grid));
        (worst_first, grid.tier, grid.size, grid.layer)
    });
    // If the geometry below is known, the lengths that are assumed elsewhere are not used.
    let geometry_known = case
        .on_grids(leaf)
        .any(|(_, grid, _)| grid.tier == Tier::Preference && grid.origin != Origin::Assumed);
    let mut told: Vec<(Severity, LayerId)> = Vec::new();
    for (index, grid, phases) in &missed {
        let severity = severity(case, leaf, grid);
        let guilty = guilty(case, leaf, *index);
        let worse_told = told.iter().any(|(told, _)| *told > Severity::Note);
        let same_told = told.iter().any(|(_, told)| *told == guilty);
        let assumed_note = grid.origin == Origin::Assumed && severity == Severity::Note;
        if same_told || (assumed_note && (worse_told || geometry_known)) {
            continue;
        }
        told.push((severity, guilty));
        let mut finding = finding(case, leaf, *index, grid, phases, severity);
        let same = missed
            .iter()
            .filter(|(other, _, _)| self::guilty(case, leaf, *other) == guilty);
        also_off(same, grid, &mut finding);
        findings.push(finding);
    }
}

/// An image format that puts guest data off the grid of its file, where no partition has shown it:
/// they may all lie in holes as yet.
fn judge_containers(case: &Case<'_>, findings: &mut Vec<Finding>, first: usize) {
    for (id, layer) in case.stack.layers() {
        let container = layer.kind == Kind::Disk && !layer.below.is_empty();
        let told = findings[first..]
            .iter()
            .any(|finding| finding.guilty == Some(id));
        if container && !told {
            judge_leaf(case, id, findings);
        }
    }
}

/// A thin volume off a stripe on which its pool is right: the chunk size is the cause, and that is
/// said once of the pool and not of each volume.
fn chunk_is_to_blame(case: &Case<'_>, leaf: LayerId, index: usize, grid: &Grid) -> bool {
    let guilty = case.stack.layer(guilty(case, leaf, index));
    grid.tier == Tier::Preference
        && guilty.below.iter().any(|edge| {
            let pool = case.stack.layer(edge.below).kind == Kind::ThinPool;
            pool && matches!(edge.map, Map::Scattered { .. })
        })
}

pub(super) fn severity(case: &Case<'_>, leaf: LayerId, grid: &Grid) -> Severity {
    let plain = match (grid.tier, grid.origin) {
        (Tier::Validity, _) => Severity::Broken,
        (Tier::Rmw, _) => Severity::Misaligned,
        (Tier::Preference, Origin::Assumed) => Severity::Note,
        (Tier::Preference, _) if costs_little(case, grid) => Severity::Note,
        (Tier::Preference, _) => Severity::Suboptimal,
    };
    let layer = case.stack.layer(leaf);
    let swap = layer.role == Role::Swap || layer.kind == Kind::Swap;
    // Swap can be created again without losing data, and is idle on a healthy machine.
    if swap && grid.tier != Tier::Validity {
        plain.lowered()
    } else {
        plain
    }
}

/// A full stripe matters where a part of one costs parity reads; an optimal I/O size where it is the
/// width of a stripe. Elsewhere both only name a convenient length.
pub(super) fn costs_little(case: &Case<'_>, grid: &Grid) -> bool {
    if grid.origin == Origin::Declared {
        return false;
    }
    match grid.kind {
        GridKind::FullStripe => !case.has_parity(grid.layer),
        GridKind::OptimalIo => !case
            .grids_beside(grid)
            .any(|(_, other)| other.trusted() && other.kind == GridKind::StripeUnit),
        _ => false,
    }
}

fn finding(
    case: &Case<'_>,
    leaf: LayerId,
    index: usize,
    grid: &Grid,
    phases: &PhaseSet,
    severity: Severity,
) -> Finding {
    let rule = match (grid.tier, severity) {
        (Tier::Validity, _) => "start-invalid",
        (Tier::Rmw, _) => "start-misaligned",
        (Tier::Preference, Severity::Note) if grid.origin == Origin::Assumed => {
            "start-off-assumed-grid"
        }
        (Tier::Preference, Severity::Note) => "start-off-convenient-grid",
        (Tier::Preference, _) => "start-suboptimal",
    };
    let guilty = guilty(case, leaf, index);
    let mut finding = Finding::new(rule, severity, why(case, leaf, guilty, grid, phases)).at(leaf);
    finding.guilty = Some(guilty);
    finding.grid = Some(index);
    finding.unit = Some(grid.size);
    finding.offset = phases.dominant_offset().map(Bytes::new);
    finding.confidence = grid.confidence;
    finding.cost = cost::table(grid.size, phases);
    finding.suggest = suggest::start(case, guilty, grid);
    if severity > Severity::Note {
        (finding.fixable_in_place, finding.steps) =
            suggest::remedy(case, guilty, grid, &finding.suggest);
    }
    finding
}

/// The lowest layer from which on, upwards, everything is off the grid.
fn guilty(case: &Case<'_>, leaf: LayerId, grid: usize) -> LayerId {
    let mut suspect = leaf;
    loop {
        let worst_below = case
            .stack
            .layer(suspect)
            .below
            .iter()
            .map(|edge| edge.below)
            .find(|below| {
                case.phases_on(*below, grid)
                    .is_some_and(|phases| !phases.is_aligned())
            });
        match worst_below {
            Some(below) => suspect = below,
            None => return suspect,
        }
    }
}

fn why(case: &Case<'_>, leaf: LayerId, guilty: LayerId, grid: &Grid, phases: &PhaseSet) -> String {
    let mut text = arithmetic(
        case,
        guilty,
        grid,
        case.phases_for(guilty, grid).unwrap_or(phases),
    );
    if grid.tier == Tier::Validity {
        text.push_str(if grid.kind == GridKind::Zone {
            ": such a zone can only be written from its start"
        } else {
            ": I/O that is not in whole sectors fails"
        });
    }
    if guilty != leaf {
        text.push_str(&format!("; {} inherits it", case.name(leaf)));
    }
    text
}

/// `partition sda1 starts at sector 63 = 32256 B: 3584 B past a 4 KiB boundary (physical-block)`
fn arithmetic(case: &Case<'_>, layer: LayerId, grid: &Grid, phases: &PhaseSet) -> String {
    let below = case.stack.layer(grid.layer).name.as_str();
    let unit = format!(
        "{} boundary of {below} ({}, {})",
        grid.size, grid.kind, grid.source
    );
    match phases.phases.as_slice() {
        [only] => {
            let start = start_text(case, layer);
            format!(
                "{} starts{start} {} past a {unit}",
                case.subject(layer),
                Bytes::new(only.offset)
            )
        }
        several => {
            let offsets = match several.iter().filter(|phase| phase.offset != 0).count() {
                1 => "one offset".to_owned(),
                n => format!("{n} different offsets"),
            };
            format!(
                "{:.0} % of {} lies off every {unit}, at {offsets}",
                100.0 * phases.off_grid(),
                case.name(layer)
            )
        }
    }
}

fn start_text(case: &Case<'_>, layer: LayerId) -> String {
    let layer = case.stack.layer(layer);
    let bytes = layer.below.first().and_then(|edge| edge.map.start());
    match (layer.start_sectors, bytes) {
        (Some(sectors), _) => format!(
            " at sector {} = {} B,",
            sectors.count(),
            sectors.bytes().get()
        ),
        (None, Some(bytes)) => format!(" at byte {},", bytes.get()),
        (None, None) => String::new(),
    }
}

/// Adds the other grids that are missed as well: each size and kind once, however many disks have it.
fn also_off<'a>(
    missed: impl Iterator<Item = &'a (usize, &'a Grid, &'a PhaseSet)>,
    grid: &Grid,
    finding: &mut Finding,
) {
    let mut named = vec![(grid.size, &grid.kind)];
    let mut others = Vec::new();
    for (_, other, phases) in missed.filter(|(_, other, _)| other.origin != Origin::Assumed) {
        let place = (other.size, &other.kind);
        let Some(offset) = phases.dominant_offset().filter(|_| !named.contains(&place)) else {
            continue;
        };
        named.push(place);
        let offset = Bytes::new(offset);
        others.push(format!("{} ({}) by {offset}", other.size, other.kind));
    }
    if !others.is_empty() {
        finding
            .why
            .push_str(&format!("; also off {}", others.join(", ")));
    }
}

/// Several volumes on one bad partition are one defect, not many.
fn merge_same_cause(case: &Case<'_>, findings: &mut Vec<Finding>, first: usize) {
    let mut kept: Vec<Finding> = Vec::new();
    let mut more: Vec<Vec<LayerId>> = Vec::new();
    let mut known: BTreeMap<_, usize> = BTreeMap::new();
    for finding in findings.drain(first..) {
        let cause = (
            finding.guilty,
            finding.grid,
            finding.offset,
            finding.severity,
        );
        let same = known.get(&cause).copied();
        if same.is_none() && finding.layer != finding.guilty {
            known.insert(cause, kept.len());
        }
        match (same, finding.layer) {
            (Some(index), Some(layer)) => more[index].push(layer),
            _ => {
                kept.push(finding);
                more.push(Vec::new());
            }
        }
    }
    for (finding, more) in kept.iter_mut().zip(more) {
        if !more.is_empty() {
            let names: Vec<_> = more.iter().take(4).map(|layer| case.name(*layer)).collect();
            let rest = more.len().saturating_sub(4);
            let rest = if rest > 0 {
                format!(" and {rest} more")
            } else {
                String::new()
            };
            finding
                .why
                .push_str(&format!("; so do {}{rest}", names.join(", ")));
        }
    }
    findings.extend(kept);
}

/// A partition that is off a grid on which everything above it is nevertheless right.
fn repaired(case: &Case<'_>, partition: LayerId, findings: &mut Vec<Finding>) {
    if case
        .on_grids(partition)
        .all(|(_, _, phases)| phases.is_aligned())
    {
        return;
    }
    let leaves = case.leaves_on(partition);
    for (index, grid, phases) in case.on_grids(partition) {
        let right = |leaf: &LayerId| {
            case.phases_on(*leaf, index)
                .is_some_and(PhaseSet::is_aligned)
        };
        if phases.is_aligned() || leaves.is_empty() || !leaves.iter().all(right) {
            continue;
        }
        let mut finding = Finding::new(
            "start-repaired-above",
            Severity::Note,
            format!(
                "{}, but the layer on it makes up for that: the data are on the grid, nothing is lost",
                arithmetic(case, partition, grid, phases)
            ),
        )
        .at(partition);
        finding.grid = Some(index);
        finding.unit = Some(grid.size);
        finding.offset = phases.dominant_offset().map(Bytes::new);
        finding.confidence = grid.confidence;
        findings.push(finding);
        return;
    }
}

/// Partitions without data may start anywhere. A note says so, to prevent a needless repair.
fn harmless_roles(case: &Case<'_>, findings: &mut Vec<Finding>) {
    for (id, layer) in case.stack.layers() {
        let quiet = matches!(layer.role, Role::BiosBoot | Role::Msr | Role::Reserved);
        if layer.kind != Kind::Partition || !quiet {
            continue;
        }
        let off = case
            .on_grids(id)
            .find(|(_, grid, phases)| grid.tier == Tier::Rmw && !phases.is_aligned());
        if let Some((index, grid, phases)) = off {
            let why = format!(
                "{}, which does not matter: {}",
                arithmetic(case, id, grid, phases),
                layer.role.describe()
            );
            let mut finding = Finding::new("start-harmless", Severity::Note, why).at(id);
            finding.grid = Some(index);
            finding.unit = Some(grid.size);
            finding.offset = phases.dominant_offset().map(Bytes::new);
            findings.push(finding);
        }
    }
}
