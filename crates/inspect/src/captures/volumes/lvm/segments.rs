//! Segments of logical volumes from the rows of `lvs`: one row a segment.

use std::collections::{BTreeMap, BTreeSet};

use ioalign_core::Bytes;

use super::rows::{Row, field, number};
use super::{reported, short, size};
use crate::captures::{Number, TextEvidence};
use crate::volumes::{GroupLv, LvSegment, SegmentKind};

/// Segments of one volume; LVM's own limit is far below.
const MOST_SEGMENTS: usize = 1 << 12;
/// Targets of one segment: LVM has 128 stripes at most, twice that with metadata.
const MOST_TARGETS: usize = 256;
/// Extent numbers are 32 bits on disk.
const MOST_EXTENT: u64 = u32::MAX as u64;

/// Extents of a PV or of a hidden volume: `/dev/vda:26-29` or `/dev/vda(26)`.
struct ExtentRange {
    name: String,
    first: u64,
    /// `None` in the column `Devices`, which says only where it begins.
    count: Option<u64>,
}

/// Adds the volumes of one report. Volumes whose segments are known already are not read again.
pub(super) fn add(rows: &[Row], unit: Option<char>, evidence: &mut TextEvidence) {
    derive_extents(rows, unit, evidence);
    let mut known = places(evidence);
    let mut fresh: BTreeSet<(&str, &str)> = BTreeSet::new();
    for row in rows {
        let (vg, written) = (field(row, "vg_name"), field(row, "lv_name"));
        let Some(group) = reported(evidence, vg) else {
            continue;
        };
        let name = written.trim_matches(['[', ']']);
        let at = *known
            .entry((vg.to_owned(), name.to_owned()))
            .or_insert_with(|| {
                group.lvs.push(GroupLv {
                    name: name.to_owned(),
                    visible: !written.starts_with('['),
                    segments: Vec::new(),
                });
                group.lvs.len() - 1
            });
        let extent = group.extent;
        let Some(lv) = group.lvs.get_mut(at) else {
            continue;
        };
        if lv.segments.is_empty() {
            fresh.insert((vg, name));
        }
        if fresh.contains(&(vg, name)) && lv.segments.len() < MOST_SEGMENTS {
            let end = |last: &LvSegment| last.start_extent.saturating_add(last.extents);
            let start = lv.segments.last().map_or(0, end);
            lv.segments.extend(segment(row, unit, extent, start));
        }
    }
}

/// If no report has the length of an extent, a volume of known size and extents gives it.
fn derive_extents(rows: &[Row], unit: Option<char>, evidence: &mut TextEvidence) {
    let mut count: BTreeMap<(&str, &str), u32> = BTreeMap::new();
    for row in rows {
        *count
            .entry((field(row, "vg_name"), field(row, "lv_name")))
            .or_default() += 1;
    }
    let mut done: BTreeSet<&str> = BTreeSet::new();
    for row in rows {
        let vg = field(row, "vg_name");
        let alone = count.get(&(vg, field(row, "lv_name"))) == Some(&1);
        let size = number(row, "seg_size", unit);
        let size = size.or_else(|| number(row, "lv_size", unit).filter(|_| alone));
        let found = size
            .filter(|_| !done.contains(vg))
            .and_then(|size| extent_of(row, size));
        if let Some(extent) = found
            && let Some(group) = reported(evidence, vg)
        {
            done.insert(vg);
            if group.extent.is_zero() {
                group.extent = extent;
            }
        }
    }
}

/// The extent of a linear or striped segment of `size`.
fn extent_of(row: &Row, size: Number) -> Option<Bytes> {
    let plain = matches!(segtype(row, Bytes::ZERO).as_str(), "linear" | "striped");
    let ranges = ranges(row);
    let extents: u64 = ranges
        .iter()
        .map(|range| range.count)
        .sum::<Option<u64>>()?;
    if !plain || extents == 0 {
        return None;
    }
    size::extent(Number {
        low: size.low.div_ceil(extents),
        high: size.high / extents,
    })
}

/// The place of each volume in its group, by group and name.
fn places(evidence: &TextEvidence) -> BTreeMap<(String, String), usize> {
    let mut found = BTreeMap::new();
    for group in evidence.groups.iter().filter(|group| group.seqno == 0) {
        for (at, lv) in group.lvs.iter().enumerate() {
            found.insert((group.name.clone(), lv.name.clone()), at);
        }
    }
    found
}

/// `None` for a row without a place.
fn segment(row: &Row, unit: Option<char>, extent: Bytes, start_extent: u64) -> Option<LvSegment> {
    let ranges = ranges(row);
    let kind = kind(row, unit, &ranges)?;
    let stated = match &kind {
        SegmentKind::Striped { .. } => ranges.iter().map(|range| range.count).sum(),
        SegmentKind::Thin { .. } => None,
        _ => ranges.first().and_then(|range| range.count),
    };
    let sized = || {
        let bytes = number(row, "seg_size", unit).or_else(|| number(row, "lv_size", unit))?;
        bytes.settle(extent)?.get().checked_div(extent.get())
    };
    let extents = stated.or_else(|| if extent.is_zero() { None } else { sized() });
    Some(LvSegment {
        start_extent,
        extents: extents.unwrap_or(0).min(MOST_EXTENT),
        kind,
    })
}

/// `seg_pe_ranges`, else `devices`.
fn ranges(row: &Row) -> Vec<ExtentRange> {
    let stated = match field(row, "seg_pe_ranges") {
        "" => field(row, "devices"),
        ranges => ranges,
    };
    stated
        .split([' ', ','])
        .filter_map(range)
        .take(MOST_TARGETS)
        .collect()
}

fn range(word: &str) -> Option<ExtentRange> {
    let word = word.trim();
    if let Some((name, rest)) = word
        .strip_suffix(')')
        .and_then(|word| word.rsplit_once('('))
    {
        return named(name, rest, None);
    }
    let (name, extents) = word.rsplit_once(':')?;
    let (first, last) = extents.split_once('-')?;
    named(name, first, Some(last))
}

fn named(name: &str, first: &str, last: Option<&str>) -> Option<ExtentRange> {
    let number = |text: &str| text.parse::<u64>().ok().filter(|n| *n <= MOST_EXTENT);
    let first = number(first)?;
    let count = match last {
        Some(last) => Some(number(last)?.checked_sub(first)? + 1),
        None => None,
    };
    let name = short(name.trim_matches(['[', ']'])).to_owned();
    (!name.is_empty()).then_some(ExtentRange { name, first, count })
}

fn kind(row: &Row, unit: Option<char>, ranges: &[ExtentRange]) -> Option<SegmentKind> {
    let names = || {
        ranges
            .iter()
            .map(|range| range.name.clone())
            .collect::<Vec<_>>()
    };
    let bytes = |name: &str| {
        let number = number(row, name, unit)?;
        size::unit(number, Bytes::KIB)
    };
    let stripe = bytes("stripe_size").unwrap_or_default();
    let plain = |name: &str| field(row, name).trim_matches(['[', ']']).to_owned();
    let written = segtype(row, stripe);
    Some(match written.as_str() {
        "linear" | "striped" if ranges.is_empty() => return None,
        "linear" | "striped" => SegmentKind::Striped {
            stripe: if ranges.len() > 1 {
                stripe
            } else {
                Bytes::ZERO
            },
            targets: ranges.iter().map(|r| (r.name.clone(), r.first)).collect(),
        },
        "mirror" => SegmentKind::Mirror {
            legs: ranges.iter().map(|r| (r.name.clone(), r.first)).collect(),
        },
        "thin-pool" => SegmentKind::ThinPool {
            data: names().into_iter().next()?,
            metadata: String::new(),
            chunk: bytes("chunk_size").unwrap_or_default(),
        },
        "thin" => SegmentKind::Thin {
            pool: plain("pool_lv"),
        },
        "cache" => SegmentKind::Cache {
            origin: names()
                .into_iter()
                .next()
                .unwrap_or_else(|| plain("origin")),
            pool: plain("pool_lv"),
            chunk: bytes("chunk_size").filter(|chunk| !chunk.is_zero()),
        },
        raid if raid.starts_with("raid") => SegmentKind::Raid {
            level: written,
            stripe,
            images: names(),
            metas: Vec::new(),
            region: bytes("region_size").filter(|region| !region.is_zero()),
        },
        _ => SegmentKind::Other {
            kind: written,
            refers: names(),
        },
    })
}

/// The type where the report has it, else what the attributes tell (`lvs(8)`, "lv_attr bits").
fn segtype(row: &Row, stripe: Bytes) -> String {
    let written = field(row, "segtype");
    if !written.is_empty() {
        return written.split('+').next().unwrap_or(written).to_owned();
    }
    match field(row, "attr").chars().next() {
        Some('t') => "thin-pool",
        Some('V') => "thin",
        Some('m' | 'M') => "mirror",
        Some('r' | 'R') if stripe.is_zero() => "raid1",
        Some('r' | 'R') => "a RAID level that the report does not name",
        Some('C') => "cache",
        Some('s' | 'S') => "snapshot",
        Some('v') => "virtual",
        Some('d' | 'D') => "vdo",
        _ => "striped",
    }
    .to_owned()
}
