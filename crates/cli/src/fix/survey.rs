//! The facts of `check` about a target, as the survey of a fix.

use std::path::Path;

use anyhow::Result;
use ioalign_core::judge::StartDemands;
use ioalign_core::{
    Bytes, Finding, GridClaim, Kind, LayerId, Role, SectorSize, Severity, Stack, rules, shell,
};
use ioalign_inspect::assemble;
use ioalign_repair::Disk;
use ioalign_repair::fix::{DiskSurvey, PartitionFacts};
use ioalign_repair::tables::{PartitionSlot, RewritableTable, SlotKind};
use ioalign_report::Target;
use ioalign_report::words::{clean, kinds};

use super::{enlarge, owner, refuse};
use crate::check::{self, CheckJob};

/// The survey; refused where data may be somewhere else than the table says.
pub fn of(
    disk: &mut dyn Disk,
    path: &Path,
    grids: Vec<GridClaim>,
    sector: Option<SectorSize>,
) -> Result<DiskSurvey> {
    let table =
        RewritableTable::read_anywhere(disk).map_err(|error| refuse::unplanned(error, path))?;
    owner::refuse_others(path, sector)?;
    of_table(&table, path, &check::one(path, &job(grids, sector)))
}

/// The same of a table and a target that are read already.
pub fn of_table(table: &RewritableTable, path: &Path, target: &Target) -> Result<DiskSurvey> {
    if let Some(error) = &target.error {
        let what = format!("{}: {}", path.display(), error.message);
        return Err(refuse::refusal(rules::FIX_NO_PLAN, what, &check_of(path)));
    }
    let slots = table.slots();
    let ground = ground(&target.stack, &slots).ok_or_else(|| {
        let what = format!("{}: check does not see its partitions", path.display());
        refuse::refusal(rules::FIX_NO_PLAN, what, &format!("{} -v", check_of(path)))
    })?;
    sound(target, ground, path)?;
    let demands = StartDemands::of(&target.stack);
    let data = slots.iter().filter(|slot| slot.kind != SlotKind::Extended);
    Ok(DiskSurvey {
        parts: data
            .map(|slot| part(target, &demands, ground, slot))
            .collect(),
        container: container(target),
    })
}

/// The grid off which the image file puts the data of the disk, for any partitions.
pub fn container(target: &Target) -> Option<u64> {
    let mut guilty = target
        .findings
        .iter()
        .filter(|one| one.severity > Severity::Note && is_its_file(target, one));
    guilty.find_map(|one| one.unit.map(Bytes::get))
}

/// Whether a finding is about how the image file lays the disk out.
pub fn is_its_file(target: &Target, finding: &Finding) -> bool {
    finding.guilty.is_some_and(|id| {
        let layer = target.stack.layer(id);
        layer.kind == Kind::Disk && !layer.below.is_empty()
    })
}

/// How the target of a fix is judged.
pub fn job(grids: Vec<GridClaim>, sector: Option<SectorSize>) -> CheckJob {
    let plain = CheckJob::default();
    CheckJob {
        inspect: assemble::AssembleOptions {
            grids,
            sector,
            ..plain.inspect
        },
        ..plain
    }
}

/// The address space of the table: that in which most partitions start where the table says.
fn ground(stack: &Stack, slots: &[PartitionSlot]) -> Option<LayerId> {
    let fits = |id: LayerId| {
        let hit = |slot: &&PartitionSlot| partition(stack, id, slot.start).is_some();
        slots.iter().filter(hit).count()
    };
    let best = stack.layers().map(|(id, _)| (fits(id), id)).max()?;
    (best.0 > 0 || slots.is_empty()).then_some(best.1)
}

/// The partition of an address space that starts there.
pub fn partition(stack: &Stack, ground: LayerId, start: u64) -> Option<LayerId> {
    stack.above(ground).find(|id| {
        let layer = stack.layer(*id);
        let starts = layer.below.first().and_then(|edge| edge.map.start());
        let holds = !matches!(layer.role, Role::Extended | Role::Protective);
        layer.kind == Kind::Partition && holds && starts == Some(Bytes::new(start))
    })
}

/// Nothing but partitions lies on it, and nothing is broken.
fn sound(target: &Target, ground: LayerId, path: &Path) -> Result<()> {
    let stack = &target.stack;
    let other = stack
        .above(ground)
        .find(|id| stack.layer(*id).kind != Kind::Partition);
    if let Some(other) = other {
        let why = format!(
            "{}: the whole disk belongs to something beside its partitions: {}; it is not touched",
            path.display(),
            what(stack, other)
        );
        return Err(refuse::refusal(rules::FIX_NO_PLAN, why, &check_of(path)));
    }
    let here = |id: LayerId| id == ground || stack.above(ground).any(|above| above == id);
    let broken = target.findings.iter().find(|finding| {
        finding.severity == Severity::Broken
            && finding.layer.is_none_or(here)
            && !enlarge::is_about_length(finding)
    });
    match broken {
        Some(finding) => {
            let why = format!(
                "{}: {} ({}): this is to be put right before anything moves",
                path.display(),
                clean(&finding.why),
                finding.rule
            );
            let next = format!("ioalign explain {}", finding.rule);
            Err(refuse::refusal(rules::FIX_NO_PLAN, why, &next))
        }
        None => Ok(()),
    }
}

fn check_of(path: &Path) -> String {
    format!("ioalign check {}", shell::path(path))
}

fn part(
    target: &Target,
    demands: &StartDemands<'_>,
    ground: LayerId,
    slot: &PartitionSlot,
) -> PartitionFacts {
    let stack = &target.stack;
    let layer = partition(stack, ground, slot.start);
    let role = layer.map_or(Role::Data, |id| stack.layer(id).role);
    PartitionFacts {
        number: slot.number,
        what: layer.map_or_else(unknown, |id| contents(stack, id)),
        demand: role.carries_data().then(|| demands.on(ground, layer)),
        suggested: layer.and_then(|id| suggested(target, id)),
        stays: layer.and_then(|id| stays(stack, id)),
        needs: layer.and_then(|id| enlarge::needed(target, id)),
    }
}

/// The good start that `check` names for a partition in the finding that counts most.
fn suggested(target: &Target, partition: LayerId) -> Option<u64> {
    let own = target.findings.iter().filter(|one| {
        let is_guilty = one.guilty == Some(partition) || one.layer == Some(partition);
        is_guilty && one.severity > Severity::Note
    });
    let worst = own
        .filter(|one| one.suggest.start.is_some())
        .max_by_key(|one| one.severity)?;
    worst.suggest.start.map(Bytes::get)
}

fn unknown() -> String {
    "not recognised".to_owned()
}

/// Its content: `ext4`, `LVM physical volume`, `LUKS2 with ext4`.
fn contents(stack: &Stack, partition: LayerId) -> String {
    let mut names = Vec::new();
    let mut at = partition;
    while let Some(above) = stack.above(at).next() {
        names.push(what(stack, above));
        at = above;
        if names.len() > 2 {
            break;
        }
    }
    let role = stack.layer(partition).role;
    match names.is_empty() {
        true if role == Role::Data => unknown(),
        true => role.describe().to_owned(),
        false => names.join(" with "),
    }
}

fn what(stack: &Stack, id: LayerId) -> String {
    let layer = stack.layer(id);
    match layer.kind {
        Kind::Filesystem | Kind::Crypt | Kind::Swap => clean(&layer.name),
        kind => kinds::layer(kind).to_owned(),
    }
}

/// Why a partition cannot move.
fn stays(stack: &Stack, partition: LayerId) -> Option<String> {
    let nested = stack
        .above(partition)
        .any(|id| stack.layer(id).kind == Kind::Partition);
    if nested {
        return Some(
            "it has a table of its own, which may count from the start of the disk".to_owned(),
        );
    }
    match stack.layer(partition).role {
        Role::BiosBoot => Some("a boot loader is found there by its place".to_owned()),
        Role::Reserved => Some("it is reserved for what manages the disk".to_owned()),
        _ => None,
    }
}
