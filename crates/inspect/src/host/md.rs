//! md arrays from `md/*`: level, chunk, and where data start on each member.

use ioalign_core::{
    ArrayLevel, Bytes, GridKind, Kind, Map, Origin, Remark, Runs, Severity, Tier, rules,
};

use super::inventory::SysfsBlock;
use super::root::Root;
use super::site::{Built, Site, incomplete, layer};
use crate::volumes::md::geometry::{MdGeometry, Placement, geometry, level_number};

/// `drivers/md/raid5.c` reads and writes parity in stripes of pages.
pub(super) const STRIPE_PAGE: u64 = 4096;

/// The facts of sysfs about an array.
struct SysfsArray {
    level: String,
    geometry: Option<MdGeometry>,
    chunk: Bytes,
    disks: u32,
}

/// A member device: its slot, and where its data start.
struct SysfsMember {
    name: String,
    slot: Option<u32>,
    start: Option<Bytes>,
    /// Length of the data area.
    size: Option<Bytes>,
    state: String,
}

pub(super) fn build(site: &Site<'_>, block: &SysfsBlock) -> Built {
    let array = array(site.root, block);
    let mut built = Built::new(layer(Kind::Md, block));
    facts(site.root, block, &array, &mut built);
    let members = members(site.root, block);
    for (index, member) in members.iter().enumerate() {
        let Some(id) = site.layer_of(&member.name) else {
            continue;
        };
        let before = members.get(..index).unwrap_or_default();
        let map = concatenated(&array, before, member)
            .or_else(|| zoned(&array, &members, member))
            .unwrap_or_else(|| edge(&array, member));
        built.layer = built.layer.on(id, map);
    }
    leftovers(site, block, &mut built);
    grids(site.root, block, &array, &mut built);
    remarks(site.root, block, &array, &mut built);
    built
}

fn array(root: &Root, block: &SysfsBlock) -> SysfsArray {
    let attr = |name: &str| root.attr(&format!("{}/md/{name}", block.dir));
    let number = |name: &str| first_number(&attr(name)?);
    let level = attr("level").unwrap_or_default();
    let disks = number("raid_disks").and_then(|n| u32::try_from(n).ok());
    let layout = number("layout").and_then(|n| u32::try_from(n).ok());
    let geometry = level_number(&level)
        .and_then(|level| geometry(level, layout.unwrap_or(0), disks.unwrap_or(0)));
    SysfsArray {
        level,
        geometry,
        chunk: Bytes::new(number("chunk_size").unwrap_or(0)),
        disks: disks.unwrap_or(0),
    }
}

/// During a reshape the files hold `new (old)`.
fn first_number(text: &str) -> Option<u64> {
    text.split_whitespace().next()?.parse().ok()
}

/// From `md/dev-*`, which lists spares too; `md/rd*` where a tree has only those.
fn members(root: &Root, block: &SysfsBlock) -> Vec<SysfsMember> {
    let entries = root.list(&format!("{}/md", block.dir));
    let mut found: Vec<SysfsMember> = entries
        .iter()
        .filter_map(|entry| {
            let name = entry.strip_prefix("dev-")?;
            Some(member(root, &format!("{}/md/{entry}", block.dir), name))
        })
        .collect();
    if found.is_empty() {
        found = entries
            .iter()
            .filter_map(|entry| by_slot(root, block, entry))
            .collect();
    }
    found.sort_by_key(|member| (member.slot.is_none(), member.slot));
    found
}

/// `rd0`: a link to `dev-sdb1`, or a directory with a link `block`.
fn by_slot(root: &Root, block: &SysfsBlock, entry: &str) -> Option<SysfsMember> {
    let slot = entry.strip_prefix("rd")?.parse().ok()?;
    let dir = format!("{}/md/{entry}", block.dir);
    let target = root.link_name(&dir);
    let name = target
        .and_then(|name| name.strip_prefix("dev-").map(str::to_owned))
        .or_else(|| root.link_name(&format!("{dir}/block")))?;
    let found = member(root, &dir, &name);
    Some(SysfsMember {
        slot: Some(slot),
        ..found
    })
}

fn member(root: &Root, dir: &str, name: &str) -> SysfsMember {
    // Counted in 512-byte units; of the data, not of the superblock.
    let offset = root.number(&format!("{dir}/offset"));
    SysfsMember {
        name: name.to_owned(),
        slot: root
            .attr(&format!("{dir}/slot"))
            .and_then(|slot| slot.parse().ok()),
        start: offset.and_then(|units| Bytes::new(units).checked_mul(512)),
        size: root
            .number(&format!("{dir}/size"))
            .and_then(|kib| Bytes::KIB.checked_mul(kib)),
        state: root.attr(&format!("{dir}/state")).unwrap_or_default(),
    }
}

/// A member of a linear set lies behind those before it, each rounded down to the chunk
/// (`drivers/md/md-linear.c`).
fn concatenated(array: &SysfsArray, before: &[SysfsMember], member: &SysfsMember) -> Option<Map> {
    if array.geometry?.placement != Placement::Concatenated || member.slot.is_none() {
        return None;
    }
    let used = |member: &SysfsMember| {
        let size = member.size?.get();
        Some(size - size.checked_rem(array.chunk.get()).unwrap_or(0))
    };
    let from = before
        .iter()
        .try_fold(0_u64, |sum, m| sum.checked_add(used(m)?))?;
    let (to, len) = (member.start?.get(), used(member)?);
    from.checked_add(len).and(to.checked_add(len))?;
    let mut runs = Runs::new();
    runs.push(from, to, len);
    Some(Map::Linear(runs))
}

/// RAID 0 over members of unequal size has zones with fewer columns towards its end: whole chunks
/// still, at rows that this map does not count (`drivers/md/raid0.c`, `create_strip_zones`).
fn zoned(array: &SysfsArray, members: &[SysfsMember], member: &SysfsMember) -> Option<Map> {
    let rows = |m: &SysfsMember| m.size?.get().checked_div(array.chunk.get());
    let first = members.first().and_then(rows)?;
    let unequal = members
        .iter()
        .any(|m| rows(m).is_some_and(|rows| rows != first));
    (array.level == "raid0" && unequal).then(|| {
        Some(Map::Scattered {
            start: member.start?,
            granule: array.chunk,
        })
    })?
}

fn edge(array: &SysfsArray, member: &SysfsMember) -> Map {
    let Some(start) = member.start else {
        return Map::Opaque("md gives no data offset for this member".to_owned());
    };
    match (member.slot, &array.geometry) {
        (None, _) if member.state.contains("journal") => Map::Opaque("md write journal".to_owned()),
        (None, _) => Map::Opaque("md spare: holds no data yet".to_owned()),
        (Some(slot), Some(geometry)) => geometry.map(start, array.chunk, slot),
        (Some(_), None) => Map::Opaque(format!("md level {} is not followed", array.level)),
    }
}

/// Slaves that `md/` does not list (a container's, or a tree without `dev-*`).
fn leftovers(site: &Site<'_>, block: &SysfsBlock, built: &mut Built) {
    for name in site.inventory.below(&block.name) {
        let Some(id) = site.layer_of(name) else {
            continue;
        };
        if built.layer.below.iter().all(|edge| edge.below != id) {
            let why = "md does not say where its data lie on this member";
            built.layer.below.push(ioalign_core::Edge {
                below: id,
                map: Map::Opaque(why.to_owned()),
            });
        }
    }
}

fn grids(root: &Root, block: &SysfsBlock, array: &SysfsArray, built: &mut Built) {
    let Some(geometry) = &array.geometry else {
        return;
    };
    // Kernels with larger pages let the admin choose it.
    let page = root.number(&format!("{}/md/stripe_size", block.dir));
    let page = Bytes::new(page.filter(|page| *page != 0).unwrap_or(STRIPE_PAGE));
    raid_grids(built, geometry, array.chunk, page, "sysfs md");
}

/// The grids of an array: chunk, full stripe, and the page in which parity is computed.
pub(super) fn raid_grids(
    built: &mut Built,
    geometry: &MdGeometry,
    chunk: Bytes,
    page: Bytes,
    source: &str,
) {
    let reported = Origin::Reported;
    if geometry.is_striped() {
        let source = format!("{source}: chunk size");
        built.grid(
            chunk,
            Tier::Preference,
            GridKind::RaidChunk,
            reported,
            &source,
        );
    }
    if let Some(stripe) = geometry.full_stripe(chunk).filter(|_| geometry.data > 1) {
        let source = format!("{source}: chunk {chunk} × {} data disks", geometry.data);
        built.grid(
            stripe,
            Tier::Preference,
            GridKind::FullStripe,
            reported,
            &source,
        );
    }
    if geometry.has_parity() {
        let source = "drivers/md/raid5.c works in 4 KiB pages";
        built.grid(
            page,
            Tier::Rmw,
            GridKind::MdStripeCachePage,
            reported,
            source,
        );
    }
}

fn facts(root: &Root, block: &SysfsBlock, array: &SysfsArray, built: &mut Built) {
    built.layer.level = Some(ArrayLevel::new(array.level.clone()));
    let facts = &mut built.layer.facts;
    facts.insert("raid-disks", array.disks.to_string());
    let attributes = [
        ("chunk", "chunk_size"),
        ("layout", "layout"),
        ("metadata", "metadata_version"),
        ("degraded", "degraded"),
        ("component-size-kib", "component_size"),
        ("array-state", "array_state"),
        ("uuid", "uuid"),
    ];
    for (key, file) in attributes {
        facts.extend(
            root.attr(&format!("{}/md/{file}", block.dir))
                .map(|v| (key, v)),
        );
    }
}

fn remarks(root: &Root, block: &SysfsBlock, array: &SysfsArray, built: &mut Built) {
    let remarks = &mut built.layer.remarks;
    let reshape = root.attr(&format!("{}/md/reshape_position", block.dir));
    if let Some(position) = reshape.filter(|position| position != "none") {
        remarks.push(incomplete(
            rules::MD_RESHAPE,
            format!("A reshape is in progress at sector {position}: geometry and data offsets will change"),
        ));
    }
    let degraded = root
        .number(&format!("{}/md/degraded", block.dir))
        .unwrap_or(0);
    if degraded > 0 {
        remarks.push(Remark::new(
            rules::MD_DEGRADED,
            Severity::Note,
            format!("{degraded} of {} members are missing", array.disks),
        ));
    }
    let known = array.geometry.is_some() || array.level == "container";
    if !known {
        remarks.push(incomplete(
            rules::MD_LEVEL_UNKNOWN,
            format!(
                "md level `{}` with {} members is not known",
                array.level, array.disks
            ),
        ));
    }
}
