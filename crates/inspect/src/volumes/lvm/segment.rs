//! Segments of logical volumes: the keys that each type writes (lvm2 `lib/*/` segment types).

use ioalign_core::Bytes;

use super::budget::Budget;
use super::text::{Flaw, LvmTextList, LvmTextSection, Value};
use crate::volumes::{LvSegment, SegmentKind, UNIT};

/// Keys under which types that are not followed name other volumes.
const REFERENCES: [&str; 11] = [
    "data",
    "metadata",
    "origin",
    "cow_store",
    "merging_store",
    "vdo_pool",
    "writecache",
    "meta_dev",
    "cache_pool",
    "thin_pool",
    "external_origin",
];

/// Reads one segment.
pub(super) fn read(
    body: LvmTextSection<'_>,
    extent: Bytes,
    budget: &mut Budget,
) -> Result<LvSegment, Flaw> {
    let start_extent = body.number("start_extent")?.unwrap_or(0);
    let extents = body.number("extent_count")?.unwrap_or(0);
    in_range(start_extent, extents, extent)?;
    let written = body.string("type")?;
    budget.spend::<LvSegment>(written.len())?;
    // Flags follow the type: `cache+CACHE_USES_CACHEVOL`.
    let kind = written.split('+').next().unwrap_or_default();
    Ok(LvSegment {
        start_extent,
        extents,
        kind: mapping(kind, body, extent, budget)?,
    })
}

/// Addresses stay below 4 EiB, so that sums of a few of them fit in 64 bits.
const END_OF_ADDRESSES: Bytes = Bytes::new(1 << 62);

/// Whether `count` extents from extent `start` keep within the addresses that are allowed.
pub(super) fn in_range(start: u64, count: u64, extent: Bytes) -> Result<(), Flaw> {
    let end = start
        .checked_add(count)
        .and_then(|end| extent.checked_mul(end));
    match end {
        Some(end) if end <= END_OF_ADDRESSES => Ok(()),
        _ => Err(Flaw::new(0, "extents out of range")),
    }
}

fn mapping(
    kind: &str,
    body: LvmTextSection<'_>,
    extent: Bytes,
    budget: &mut Budget,
) -> Result<SegmentKind, Flaw> {
    Ok(match kind {
        "striped" | "linear" => striped(body, extent, budget)?,
        "mirror" => SegmentKind::Mirror {
            legs: targets(body, "mirrors", extent, budget)?,
        },
        "thin-pool" => SegmentKind::ThinPool {
            data: name(body, "pool", budget)?,
            metadata: name(body, "metadata", budget)?,
            chunk: size(body, "chunk_size")?.unwrap_or_default(),
        },
        "thin" => SegmentKind::Thin {
            pool: name(body, "thin_pool", budget)?,
        },
        "cache" => SegmentKind::Cache {
            origin: name(body, "origin", budget)?,
            pool: name(body, "cache_pool", budget)?,
            chunk: size(body, "chunk_size")?,
        },
        level if level.starts_with("raid") => raid(level, body, budget)?,
        other => SegmentKind::Other {
            kind: other.to_owned(),
            refers: references(body, budget)?,
        },
    })
}

fn striped(
    body: LvmTextSection<'_>,
    extent: Bytes,
    budget: &mut Budget,
) -> Result<SegmentKind, Flaw> {
    let targets = targets(body, "stripes", extent, budget)?;
    let stripe = size(body, "stripe_size")?.unwrap_or_default();
    Ok(SegmentKind::Striped {
        stripe: if targets.len() > 1 {
            stripe
        } else {
            Bytes::ZERO
        },
        targets,
    })
}

/// `["pv0", 0, "pv1", 2560]`: names and first extents by turns.
fn targets(
    body: LvmTextSection<'_>,
    key: &str,
    extent: Bytes,
    budget: &mut Budget,
) -> Result<Vec<(String, u64)>, Flaw> {
    let mut found = Vec::new();
    let Some(list) = list(body, key)? else {
        return Ok(found);
    };
    let mut values = list.values();
    while let Some(target) = values.next() {
        let target = string(target?, budget)?;
        let first = values
            .next()
            .ok_or(Flaw::new(0, "a target without its extent"))??;
        let first = first.number()?;
        in_range(first, 0, extent)?;
        found.push((target, first));
    }
    Ok(found)
}

/// `raids = ["lv_rmeta_0", "lv_rimage_0", …]`; `raid0` has no metadata volumes and names its
/// images in `raid0_lvs`.
fn raid(level: &str, body: LvmTextSection<'_>, budget: &mut Budget) -> Result<SegmentKind, Flaw> {
    let mut names = names(body, "raids", budget)?;
    if names.is_empty() {
        names = self::names(body, "raid0_lvs", budget)?;
    }
    let devices = match body.number("device_count")? {
        Some(count) => Some(count),
        None => body.number("stripe_count")?,
    };
    let alone = devices.is_some_and(|count| count == names.len() as u64);
    let (metas, images) = if alone {
        (Vec::new(), names)
    } else {
        pairs(names)
    };
    Ok(SegmentKind::Raid {
        level: level.to_owned(),
        stripe: size(body, "stripe_size")?.unwrap_or_default(),
        images,
        metas,
        region: size(body, "region_size")?,
    })
}

fn pairs(names: Vec<String>) -> (Vec<String>, Vec<String>) {
    let (mut first, mut second) = (Vec::new(), Vec::new());
    for (index, name) in names.into_iter().enumerate() {
        let side = if index % 2 == 0 {
            &mut first
        } else {
            &mut second
        };
        side.push(name);
    }
    (first, second)
}

fn references(body: LvmTextSection<'_>, budget: &mut Budget) -> Result<Vec<String>, Flaw> {
    let mut found = Vec::new();
    for entry in body.entries() {
        let (key, value) = entry?;
        if REFERENCES.contains(&key) && value.text().is_some() {
            found.push(string(value, budget)?);
        }
    }
    Ok(found)
}

/// The chunk of a `cache-pool` segment, which the cache that uses the pool does not repeat.
pub(super) fn cache_pool_chunk(body: LvmTextSection<'_>) -> Result<Option<Bytes>, Flaw> {
    if body.string("type")?.split('+').next() == Some("cache-pool") {
        size(body, "chunk_size")
    } else {
        Ok(None)
    }
}

fn list<'a>(body: LvmTextSection<'a>, key: &str) -> Result<Option<LvmTextList<'a>>, Flaw> {
    match body.get(key)? {
        Some(Value::List(list)) => Ok(Some(list)),
        _ => Ok(None),
    }
}

fn names(body: LvmTextSection<'_>, key: &str, budget: &mut Budget) -> Result<Vec<String>, Flaw> {
    let mut found = Vec::new();
    for value in list(body, key)?.iter().flat_map(|list| list.values()) {
        if let value @ Value::Quoted(_) = value? {
            found.push(string(value, budget)?);
        }
    }
    Ok(found)
}

fn name(body: LvmTextSection<'_>, key: &str, budget: &mut Budget) -> Result<String, Flaw> {
    match body.get(key)? {
        Some(value) => string(value, budget),
        None => Ok(String::new()),
    }
}

fn string(value: Value<'_>, budget: &mut Budget) -> Result<String, Flaw> {
    let text = value
        .text()
        .ok_or(Flaw::new(0, "something else where a name is due"))?;
    budget.spend::<(String, u64)>(text.len())?;
    Ok(text.into_owned())
}

/// A size in 512-byte units, as bytes.
fn size(body: LvmTextSection<'_>, key: &str) -> Result<Option<Bytes>, Flaw> {
    match body.number(key)? {
        None => Ok(None),
        Some(units) => UNIT
            .checked_mul(units)
            .map(Some)
            .ok_or(Flaw::new(0, "a size out of range")),
    }
}
