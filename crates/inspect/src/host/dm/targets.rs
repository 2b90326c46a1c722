//! What each device-mapper target does with addresses. Source: the kernel's
//! `Documentation/admin-guide/device-mapper/*.rst`, one page a target.

use ioalign_core::{Bytes, Map};

use super::table::DmSegment;
use crate::host::DevNo;
use crate::volumes::md::geometry::{MdGeometry, geometry};

/// The place of a segment on one device below.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct DmPiece {
    pub(super) device: DevNo,
    pub(super) map: Map,
}

/// An array as a `raid` target describes it.
pub(super) struct Raid {
    pub(super) geometry: MdGeometry,
    pub(super) chunk: Bytes,
    pub(super) region: Option<Bytes>,
    /// The image devices by slot; `-` in the table is `None`.
    pub(super) images: Vec<Option<DevNo>>,
    pub(super) data_offset: Bytes,
}

/// Targets of the kernel and of LVM. None has a key among its arguments but `crypt`, and `integrity` behind names
/// of options.
pub const TARGETS: [&str; 28] = [
    "linear",
    "striped",
    "crypt",
    "raid",
    "mirror",
    "thin",
    "thin-pool",
    "cache",
    "era",
    "clone",
    "snapshot",
    "snapshot-origin",
    "snapshot-merge",
    "multipath",
    "verity",
    "integrity",
    "writecache",
    "error",
    "zero",
    "delay",
    "flakey",
    "dust",
    "ebs",
    "zoned",
    "log-writes",
    "switch",
    "unstriped",
    "vdo",
];

/// Members of one target, at most.
const MOST_MEMBERS: usize = 1024;

/// All places of a segment. `granule` answers for the pool of a thin volume.
pub(super) fn pieces(
    segment: &DmSegment,
    granule: &dyn Fn(DevNo) -> Option<Bytes>,
) -> Vec<DmPiece> {
    let found = match segment.target.as_str() {
        "linear" | "flakey" | "delay" | "dust" | "ebs" => shifted(segment, 0, Some(1)),
        "crypt" => shifted(segment, 3, Some(4)),
        "snapshot-origin" | "log-writes" | "zoned" => shifted(segment, 0, None),
        "thin-pool" | "era" => shifted(segment, 1, None),
        "writecache" => shifted(segment, 1, None),
        "snapshot" | "snapshot-merge" => snapshot(segment),
        "thin" => thin(segment, granule),
        "cache" => cache(segment),
        "striped" => striped(segment),
        "mirror" => mirror(segment),
        "multipath" => Some(mirrored(segment.devices(), Bytes::ZERO)),
        "raid" => raid(segment).map(|raid| raid.pieces()),
        "zero" | "error" => Some(Vec::new()),
        _ => None,
    };
    found.unwrap_or_else(|| opaque(segment))
}

/// Every device that the arguments name, with the reason why it is not followed.
fn opaque(segment: &DmSegment) -> Vec<DmPiece> {
    let why = format!("device-mapper target {} is not followed", segment.target);
    segment
        .devices()
        .take(MOST_MEMBERS)
        .map(|device| DmPiece {
            device,
            map: Map::Opaque(why.clone()),
        })
        .collect()
}

fn device(segment: &DmSegment, index: usize) -> Option<DevNo> {
    DevNo::parse(segment.word(index)?)
}

/// One device below, at an offset that the arguments give (or 0).
fn shifted(segment: &DmSegment, at: usize, offset: Option<usize>) -> Option<Vec<DmPiece>> {
    let start = match offset {
        Some(index) => segment.bytes(index)?,
        None => Bytes::ZERO,
    };
    Some(vec![DmPiece {
        device: device(segment, at)?,
        map: Map::Shift { start },
    }])
}

/// `origin cow P|N chunk`: what was written since lies in chunks on the COW device.
fn snapshot(segment: &DmSegment) -> Option<Vec<DmPiece>> {
    let granule = segment.bytes(3).filter(|chunk| !chunk.is_zero())?;
    Some(vec![
        DmPiece {
            device: device(segment, 0)?,
            map: Map::Shift { start: Bytes::ZERO },
        },
        scattered(device(segment, 1)?, granule),
    ])
}

const fn scattered(device: DevNo, granule: Bytes) -> DmPiece {
    DmPiece {
        device,
        map: Map::Scattered {
            start: Bytes::ZERO,
            granule,
        },
    }
}

fn thin(segment: &DmSegment, granule: &dyn Fn(DevNo) -> Option<Bytes>) -> Option<Vec<DmPiece>> {
    let pool = device(segment, 0)?;
    Some(vec![scattered(pool, granule(pool)?)])
}

/// `metadata cache origin block`: the origin holds all, the cache device some blocks.
fn cache(segment: &DmSegment) -> Option<Vec<DmPiece>> {
    let block = segment.bytes(3).filter(|block| !block.is_zero())?;
    Some(vec![
        DmPiece {
            device: device(segment, 2)?,
            map: Map::Shift { start: Bytes::ZERO },
        },
        scattered(device(segment, 1)?, block),
    ])
}

/// `count chunk (device offset)…`
fn striped(segment: &DmSegment) -> Option<Vec<DmPiece>> {
    let count = segment
        .count(0)
        .filter(|n| (1..=MOST_MEMBERS).contains(n))?;
    let chunk = segment.bytes(1).filter(|chunk| !chunk.is_zero())?;
    (0..count)
        .map(|i| {
            Some(DmPiece {
                device: device(segment, 2 + 2 * i)?,
                map: Map::Striped {
                    start: segment.bytes(3 + 2 * i)?,
                    chunk,
                    data: count as u64,
                    column: Some(i as u64),
                },
            })
        })
        .collect()
}

/// `log-type #log-args … #legs (device offset)…`
fn mirror(segment: &DmSegment) -> Option<Vec<DmPiece>> {
    let legs_at = segment.count(1)?.checked_add(2)?;
    let legs = segment.count(legs_at).filter(|n| *n <= MOST_MEMBERS)?;
    (0..legs)
        .map(|i| {
            let at = legs_at + 1 + 2 * i;
            Some(DmPiece {
                device: device(segment, at)?,
                map: Map::Mirror {
                    start: segment.bytes(at + 1)?,
                },
            })
        })
        .collect()
}

fn mirrored(devices: impl Iterator<Item = DevNo>, start: Bytes) -> Vec<DmPiece> {
    devices
        .take(MOST_MEMBERS)
        .map(|device| DmPiece {
            device,
            map: Map::Mirror { start },
        })
        .collect()
}

/// `type #params params… #devices (meta data)…`; the first parameter is the chunk.
pub(super) fn raid(segment: &DmSegment) -> Option<Raid> {
    let params = segment.count(1)?;
    let devices_at = params.checked_add(2)?;
    let count = segment.count(devices_at).filter(|n| *n <= MOST_MEMBERS)?;
    let images = (0..count).map(|i| device(segment, devices_at + 2 + 2 * i));
    let (level, layout) = level(segment)?;
    Some(Raid {
        geometry: geometry(level, layout, u32::try_from(count).ok()?)?,
        chunk: segment.bytes(2)?,
        region: segment.after("region_size").and_then(super::table::sectors),
        images: images.collect(),
        data_offset: segment
            .after("data_offset")
            .and_then(super::table::sectors)
            .unwrap_or_default(),
    })
}

/// md's level and layout for a dm-raid type (`drivers/md/dm-raid.c`, `raid_types`).
fn level(segment: &DmSegment) -> Option<(i32, u32)> {
    let word = segment.word(0)?;
    Some(match word {
        "raid0" | "raid0_meta" => (0, 0),
        "raid1" => (1, 0),
        "raid4" => (4, 0),
        "raid5_la" => (5, 0),
        "raid5_ra" => (5, 1),
        "raid5_ls" | "raid5" => (5, 2),
        "raid5_rs" => (5, 3),
        "raid5_n" => (5, 5),
        "raid6_zr" => (6, 8),
        "raid6_nr" => (6, 9),
        "raid6_nc" => (6, 10),
        "raid6_la_6" => (6, 16),
        "raid6_ra_6" => (6, 17),
        "raid6_ls_6" => (6, 18),
        "raid6_rs_6" => (6, 19),
        "raid6_n_6" => (6, 5),
        _ if word.starts_with("raid10") => (10, raid10_layout(segment)?),
        _ => return None,
    })
}

fn raid10_layout(segment: &DmSegment) -> Option<u32> {
    let copies: u32 = segment
        .after("raid10_copies")
        .map_or(Some(2), |word| word.parse().ok())
        .filter(|copies| *copies <= 0xff)?;
    Some(match segment.after("raid10_format").unwrap_or("near") {
        "near" => 0x100 | copies,
        "far" => (copies << 8) | 1,
        "offset" => (1 << 16) | (copies << 8) | 1,
        _ => return None,
    })
}

impl Raid {
    fn pieces(&self) -> Vec<DmPiece> {
        let slots = self.images.iter().zip(0_u32..);
        slots
            .filter_map(|(image, slot)| {
                Some(DmPiece {
                    device: (*image)?,
                    map: self.geometry.map(self.data_offset, self.chunk, slot),
                })
            })
            .collect()
    }
}
