//! Databases on top: torn pages and sectors that are too large.

use super::StackCase;
use crate::finding::Finding;
use crate::grid::{Grid, GridKind, Tier};
use crate::layer::detail::{DatabaseEngine, FileSystemFormat};
use crate::layer::{Kind, Layer};
use crate::layer_id::LayerId;
use crate::phase::{PhaseSet, phases};
use crate::rules;
use crate::severity::Severity;
use crate::units::Bytes;

/// The largest physical sector on which SQL Server starts.
const SQL_SERVER_SECTOR: u64 = 4096;

pub(super) fn judge(case: &StackCase<'_>, findings: &mut Vec<Finding>) {
    for id in case.databases() {
        let layer = case.stack.layer(id);
        let detail = layer.detail.database();
        let protection = detail.and_then(|database| database.torn_page_protection);
        if let (Some(page), Some(false)) = (layer.block, protection) {
            findings.extend(torn_pages(case, id, page));
        }
        if engine(layer) == Some(DatabaseEngine::SqlServer) {
            findings.extend(large_sectors(case, id));
        }
    }
}

/// Without doublewrite or full-page writes a page must be atomic all the way down.
fn torn_pages(case: &StackCase<'_>, id: LayerId, page: Bytes) -> Option<Finding> {
    let holder = case.stack.layer(id).below.first()?.below;
    if case.stack.layer(holder).filesystem_format() == Some(FileSystemFormat::Zfs) {
        // Never overwrites a record in place.
        return None;
    }
    let bottoms = case.bottoms(id);
    let torn = bottoms
        .iter()
        .find_map(|bottom| torn_on(case, id, holder, page, *bottom));
    torn.or_else(|| {
        let bottom = bottoms.iter().find(|b| !promises(case, **b, page))?;
        Some(unproven(case, id, page, *bottom))
    })
}

fn torn_on(
    case: &StackCase<'_>,
    id: LayerId,
    holder: LayerId,
    page: Bytes,
    bottom: LayerId,
) -> Option<Finding> {
    let phase = first_boundary(case, bottom, page);
    let grid = Grid::new(bottom, page, phase, Tier::Rmw, GridKind::DatabasePage)?;
    let set = phases(case.stack, id, &grid);
    if set.is_known() && set.is_aligned() {
        return None;
    }
    let below = phases(case.stack, holder, &grid);
    let (guilty, place) = place(case, (id, holder), &grid, &below);
    let why = format!(
        "{}, and {place}: a page can be written in two parts, and a crash between them loses it",
        unprotected(case, id)
    );
    let mut finding = Finding::new(rules::TORN_PAGE_RISK, Severity::DataRisk, why).at(id);
    finding.guilty = Some(guilty);
    finding.unit = Some(page);
    finding.offset = below.dominant_offset().map(Bytes::new);
    finding.fixable_in_place = Some(true);
    Some(finding.step(switch_on(case.stack.layer(id))).step(format!(
        "going without it takes every layer on a multiple of {page}, a file system that \
                 allocates in such units (mkfs.ext4 -O bigalloc -C {}) and a device that promises \
                 atomic writes of them",
        page.get()
    )))
}

/// Where the first page-sized piece of a disk begins: a loop device may begin inside its file.
fn first_boundary(case: &StackCase<'_>, disk: LayerId, page: Bytes) -> Bytes {
    let detail = case.stack.layer(disk).detail.disk();
    let offset = detail.map_or(0, |disk| disk.backing_offset);
    let past = offset.checked_rem(page.get()).unwrap_or(0);
    Bytes::new(if past == 0 { 0 } else { page.get() - past })
}

/// Who puts pages off their own boundaries, and how.
fn place(
    case: &StackCase<'_>,
    (id, holder): (LayerId, LayerId),
    grid: &Grid,
    below: &PhaseSet,
) -> (LayerId, String) {
    let page = grid.size;
    let bottom = &case.stack.layer(grid.layer).name;
    if !below.is_known() {
        let place = format!("where its {page} pages lie on {bottom} cannot be followed");
        return (id, place);
    }
    if let Some(offset) = below.dominant_offset() {
        let guilty = lowest_off(case, holder, grid);
        let place = format!(
            "{} starts {} past a {page} boundary of {bottom}",
            case.name(guilty),
            Bytes::new(offset)
        );
        return (guilty, place);
    }
    let holds = case.stack.layer(holder);
    let block = holds
        .block
        .map_or_else(String::new, |block| format!(" of {block}"));
    let place = format!(
        "{} allocates blocks{block}, so that a {page} page may start between two {page} boundaries of \
         {bottom}",
        case.name(holder)
    );
    (holder, place)
}

/// The lowest layer from which on, upwards, everything is off the grid.
fn lowest_off(case: &StackCase<'_>, from: LayerId, grid: &Grid) -> LayerId {
    let off = |layer: &LayerId| {
        let set = phases(case.stack, *layer, grid);
        set.is_known() && !set.is_aligned()
    };
    let mut suspect = from;
    while let Some(below) = case
        .stack
        .layer(suspect)
        .below
        .iter()
        .map(|edge| edge.below)
        .find(off)
    {
        suspect = below;
    }
    suspect
}

/// Whether a disk reports that it writes this many bytes atomically or not at all, or is not a
/// disk.
fn promises(case: &StackCase<'_>, bottom: LayerId, page: Bytes) -> bool {
    let layer = case.stack.layer(bottom);
    let limits = layer.atomic;
    layer.kind != Kind::Disk || limits.is_some_and(|limits| limits.unit_max >= page.get())
}

fn unproven(case: &StackCase<'_>, id: LayerId, page: Bytes, bottom: LayerId) -> Finding {
    let why = format!(
        "{}; every {page} page lies on its own boundary of {bottom}, but {bottom} does not say that it \
         writes {page} in one piece (atomic_write_unit_max_bytes)",
        unprotected(case, id),
        bottom = case.stack.layer(bottom).name
    );
    let mut finding = Finding::new(rules::TORN_PAGE_RISK, Severity::Note, why).at(id);
    finding.unit = Some(page);
    finding.step(switch_on(case.stack.layer(id)))
}

fn unprotected(case: &StackCase<'_>, id: LayerId) -> String {
    let option = option(case.stack.layer(id)).unwrap_or("protection");
    format!(
        "{} survives no page that is written in part ({option} is off)",
        case.subject(id)
    )
}

fn engine(layer: &Layer) -> Option<DatabaseEngine> {
    layer.detail.database()?.engine
}

fn option(layer: &Layer) -> Option<&'static str> {
    match engine(layer)? {
        DatabaseEngine::InnoDb => Some("innodb_doublewrite"),
        DatabaseEngine::PostgreSql => Some("full_page_writes"),
        _ => None,
    }
}

fn switch_on(layer: &Layer) -> String {
    match option(layer) {
        Some(option) => format!("turn {option} on again"),
        None => "turn the protection against torn pages on again".to_owned(),
    }
}

/// SQL Server refuses to start on devices whose atomic physical sector is above 4 KiB.
///
/// It asks for what the device reports, so that a claim counts that is not believed otherwise.
fn large_sectors(case: &StackCase<'_>, id: LayerId) -> Option<Finding> {
    let (disk, size) = case
        .bottoms(id)
        .into_iter()
        .filter_map(|disk| Some((disk, reported(case, disk)?)))
        .max_by_key(|(_, size)| *size)
        .filter(|(_, size)| *size > SQL_SERVER_SECTOR)?;
    let size = Bytes::new(size);
    let why = format!(
        "SQL Server does not start on a device that reports physical sectors above 4 KiB, and {} \
         reports {size} (PhysicalBytesPerSectorForAtomicity)",
        case.stack.layer(disk).name
    );
    let mut finding = Finding::new(rules::SQLSERVER_SECTOR_TOO_LARGE, Severity::Broken, why).at(id);
    finding.guilty = Some(disk);
    finding.unit = Some(size);
    finding.fixable_in_place = Some(true);
    Some(finding.step(
        "set ForcedPhysicalSectorSizeInBytes to \"* 4095\" (Microsoft's documented work-around) or use \
         a device with 4 KiB physical sectors",
    ))
}

fn is_physical(grid: &Grid) -> bool {
    matches!(grid.kind, GridKind::PhysicalBlock | GridKind::VolumeBlock)
}

/// The physical sector of a disk: as it reports it, else as the operator declares it.
fn reported(case: &StackCase<'_>, disk: LayerId) -> Option<u64> {
    let detail = case.stack.layer(disk).detail.disk();
    let reported = detail.and_then(|disk| disk.physical);
    let grids = case.stack.grids.iter();
    let declared = grids.filter(|grid| grid.layer == disk && grid.trusted() && is_physical(grid));
    reported.max(declared.map(|grid| grid.size.get()).max())
}
