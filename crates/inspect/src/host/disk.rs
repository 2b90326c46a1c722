//! Disks: the queue limits and identity that sysfs gives, judged by [`super::hints`].

use ioalign_core::layer::detail::{Detail, DiskDetail};
use ioalign_core::{Bytes, Kind, Map};

use super::hints::{self, Claims, Transport, Zoned};
use super::inventory::{SysfsBlock, transport};
use super::nvme::{self, IdNs};
use super::root::Root;
use super::site::{Built, Site, UNPLACED, layer};
use super::{Unread, What, node_inside, reason};

/// Facts for the display: key, attribute below the device's directory.
const FACTS: &[(&str, &str)] = &[
    ("vendor", "device/vendor"),
    ("serial", "device/serial"),
    ("write-cache", "queue/write_cache"),
    ("discard-granularity", "queue/discard_granularity"),
    ("discard-alignment", "discard_alignment"),
    ("atomic-write-boundary", "queue/atomic_write_boundary_bytes"),
    ("scheduler", "queue/scheduler"),
    ("read-ahead-kb", "queue/read_ahead_kb"),
];

pub(super) fn build(site: &Site<'_>, block: &SysfsBlock) -> Built {
    if !block.slaves.is_empty() {
        return stacked(site, block);
    }
    let mut claims = claims(site.root, block);
    let mut unread = Vec::new();
    if claims.transport == Transport::Nvme {
        match identify(site.root, block) {
            Ok(found) => claims.nvme = found,
            Err(why) => unread.push(no_identify(block, why)),
        }
    }
    let judged = hints::judge(&claims, UNPLACED);
    let mut built = Built::new(layer(Kind::Disk, block));
    built.grids = judged.grids;
    built.unread = unread;
    built.layer.remarks = judged.remarks;
    built.layer.write_unit = Some(Box::new(claims.write_unit()));
    facts(site.root, block, &claims, &mut built);
    built
}

/// What the disk `name` claims, where its tree says nothing else of it: the queue of a support bundle.
pub(crate) fn claims_of(root: &Root, name: &str) -> Claims {
    claims(root, &SysfsBlock::bare(name))
}

/// Reads what the disk claims, in bytes.
fn claims(root: &Root, block: &SysfsBlock) -> Claims {
    let queue = |name: &str| root.number(&format!("{}/queue/{name}", block.dir));
    let device = |name: &str| root.attr(&format!("{}/device/{name}", block.dir));
    let transport = transport(root, block);
    Claims {
        logical: queue("logical_block_size"),
        physical: queue("physical_block_size"),
        minimum: queue("minimum_io_size"),
        optimal: queue("optimal_io_size"),
        read_ahead: queue("read_ahead_kb").and_then(|kib| kib.checked_mul(1024)),
        // Counted in 512-byte units for any sector size.
        chunk: queue("chunk_sectors").and_then(|units| units.checked_mul(512)),
        zoned: zoned(root.attr(&format!("{}/queue/zoned", block.dir)).as_deref()),
        alignment_offset: match behind(root, block) {
            // Addresses of the device count from there; the kernel reports 0.
            Some(offset) => offset,
            None => root
                .signed(&format!("{}/alignment_offset", block.dir))
                .unwrap_or(0),
        },
        rotational: queue("rotational").map(|flag| flag != 0),
        vendor: device("vendor").unwrap_or_default(),
        model: device("model")
            .or_else(|| device("name"))
            .unwrap_or_default(),
        transport,
        erase: device("preferred_erase_size").and_then(|text| text.parse().ok()),
        nvme: None,
        size: (!block.size.is_zero()).then(|| block.size.get()),
        printed_by: None,
    }
}

/// The first boundary of a loop device that begins inside its file: what it lies in is aligned to the file.
fn behind(root: &Root, block: &SysfsBlock) -> Option<i64> {
    const MOST: u64 = 1 << 20;
    let offset = root.number(&format!("{}/loop/offset", block.dir))?;
    let phase = (MOST - offset % MOST) % MOST;
    (offset != 0).then(|| i64::try_from(phase).ok())?
}

fn zoned(word: Option<&str>) -> Zoned {
    match word {
        Some("host-managed") => Zoned::HostManaged,
        Some("host-aware") => Zoned::HostAware,
        _ => Zoned::None,
    }
}

/// A device that a driver without a reader here puts on others.
fn stacked(site: &Site<'_>, block: &SysfsBlock) -> Built {
    let mut volume = layer(Kind::Volume, block);
    let drbd = block.name.starts_with("drbd");
    for id in site
        .inventory
        .below(&block.name)
        .iter()
        .filter_map(|name| site.layer_of(name))
    {
        // DRBD's metadata are at the end of the device, or elsewhere: data start at 0.
        let map = if drbd {
            Map::Shift { start: Bytes::ZERO }
        } else {
            Map::Opaque(format!("the driver of {} is not followed", block.name))
        };
        volume = volume.on(id, map);
    }
    Built::new(volume)
}

/// Identify Namespace: from the captured tree, or by ioctl on the live machine.
fn identify(root: &Root, block: &SysfsBlock) -> Result<Option<IdNs>, String> {
    let copy = format!("ioalign/nvme/{}.id-ns", block.name);
    if !root.is_live() {
        let bytes = root.blob(&copy, nvme::ID_NS_BYTES as u64);
        let why = || format!("the captured tree has no {copy}");
        let bytes = bytes.ok_or_else(|| root.why_unread(&copy).unwrap_or_else(why))?;
        let version = root.number(&version_of(block));
        let version = version.and_then(|number| u32::try_from(number).ok());
        return Ok(nvme::parse_for(&bytes, version));
    }
    match identify_live(root, block) {
        Ok((bytes, version)) => {
            let found = nvme::parse_for(&bytes, version);
            root.keep(&copy, bytes);
            if let Some(number) = version {
                root.keep(&version_of(block), format!("{number}\n"));
            }
            Ok(found)
        }
        Err(why) => {
            root.keep_unread(&copy, &why);
            Err(why)
        }
    }
}

/// Where a captured tree has VER of Identify Controller, as a decimal number.
fn version_of(block: &SysfsBlock) -> String {
    format!("ioalign/nvme/{}.version", block.name)
}

/// Identify Namespace, and the version that the controller names.
fn identify_live(root: &Root, block: &SysfsBlock) -> Result<(Vec<u8>, Option<u32>), String> {
    let nsid = root.number(&format!("{}/nsid", block.dir));
    let nsid = nsid.and_then(|nsid| u32::try_from(nsid).ok());
    let nsid = nsid.ok_or("sysfs has no namespace id")?;
    let inside = node_inside(&block.name);
    let device = root.device(&inside).map_err(|error| reason(&error))?;
    let bytes = nvme::ioctl::namespace(&device, nsid).map_err(|error| error.to_string())?;
    let controller = nvme::ioctl::controller(&device).ok();
    let version = controller.and_then(|bytes| nvme::version(&bytes));
    Ok((bytes, version))
}

fn no_identify(block: &SysfsBlock, why: String) -> Unread {
    Unread {
        what: format!("Identify Namespace of {}", block.name),
        why,
        unknown: "NPWG, NPWA, atomic boundaries and LBA formats, beyond sysfs's digest".to_owned(),
        device: None,
    }
}

fn facts(root: &Root, block: &SysfsBlock, claims: &Claims, built: &mut Built) {
    let facts = &mut built.layer.facts;
    for (key, attribute) in FACTS {
        if let Some(value) = root.attr(&format!("{}/{attribute}", block.dir)) {
            facts.insert(key, value);
        }
    }
    if let Some(ns) = &claims.nvme {
        facts.insert("lba-formats", formats(ns));
        facts.extend(ns.atomic_words().map(|said| ("nvme-atomic-write", said)));
    }
    built.layer.detail = Detail::Disk(detail(root, block, claims));
}

fn detail(root: &Root, block: &SysfsBlock, claims: &Claims) -> DiskDetail {
    let attr = |name: &str| root.attr(&format!("{}/{name}", block.dir));
    let number = |name: &str| attr(name)?.parse().ok();
    // The file below a loop device is not followed: its extents are another question.
    let is_loop = block.what == What::Loop;
    let (file, offset) = (attr("loop/backing_file"), number("loop/offset"));
    let firmware = ["device/rev", "device/firmware_rev", "device/fwrev"];
    DiskDetail {
        transport: claims.transport.name(),
        model: attr("device/model"),
        firmware: firmware.into_iter().find_map(attr),
        logical: claims.logical,
        physical: claims.physical,
        minimum: claims.minimum,
        optimal: claims.optimal,
        alignment_offset: claims.alignment_offset,
        rotational: claims.rotational,
        backing_file: file.filter(|_| is_loop),
        backing_offset: offset.filter(|_| is_loop).unwrap_or(0),
    }
}

/// `512 (rp 2), 4096 (rp 0, in use)`: whether the drive has a faster format.
fn formats(ns: &IdNs) -> String {
    let rows = ns.formats.iter().enumerate().map(|(index, format)| {
        let used = if index == ns.current { ", in use" } else { "" };
        format!("{} (rp {}{used})", format.block, format.performance)
    });
    rows.collect::<Vec<_>>().join(", ")
}
