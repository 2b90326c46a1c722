//! A volume group from its text: physical volumes, logical volumes, segments.

use std::collections::BTreeMap;

use ioalign_core::Bytes;

use super::budget::Budget;
use super::segment;
use super::text::{Flaw, LvmTextSection, Value};
use crate::volumes::{GroupLv, GroupPv, LvSegment, SegmentKind, UNIT, VolumeGroup};

/// The section that describes the group, with its name: the first one of the text.
pub(super) fn root(text: &[u8]) -> Result<(String, LvmTextSection<'_>), Flaw> {
    named(LvmTextSection::new(text))
}

fn named(text: LvmTextSection<'_>) -> Result<(String, LvmTextSection<'_>), Flaw> {
    for entry in text.entries() {
        if let (name, Value::Section(body)) = entry? {
            return Ok((name.to_owned(), body));
        }
    }
    Err(Flaw::new(0, "no volume group in it"))
}

/// Reads the group that `text` describes.
pub(super) fn read(text: LvmTextSection<'_>) -> Result<VolumeGroup, Flaw> {
    let (name, body) = named(text)?;
    let extent = UNIT.checked_mul(body.number("extent_size")?.unwrap_or(0));
    let extent = extent.filter(|extent| !extent.is_zero());
    let mut group = VolumeGroup {
        name,
        id: body.string("id")?,
        seqno: body.number("seqno")?.unwrap_or(0),
        extent: extent.ok_or(Flaw::new(0, "an extent_size of zero or out of range"))?,
        ..VolumeGroup::default()
    };
    let mut budget = Budget::new();
    for (key, section) in sections(body) {
        match key? {
            "physical_volumes" => group.pvs = physical(section, group.extent, &mut budget)?,
            "logical_volumes" => group.lvs = logical(section, group.extent, &mut budget)?,
            _ => {}
        }
    }
    Ok(group)
}

/// The sections of `body` with their names; values are passed over.
fn sections(
    body: LvmTextSection<'_>,
) -> impl Iterator<Item = (Result<&str, Flaw>, LvmTextSection<'_>)> {
    body.entries().filter_map(|entry| match entry {
        Ok((name, Value::Section(section))) => Some((Ok(name), section)),
        Ok(_) => None,
        Err(flaw) => Some((Err(flaw), LvmTextSection::new(b""))),
    })
}

fn physical(
    body: LvmTextSection<'_>,
    extent: Bytes,
    budget: &mut Budget,
) -> Result<Vec<GroupPv>, Flaw> {
    let mut pvs = Vec::new();
    for (name, section) in sections(body) {
        let pv = GroupPv {
            name: name?.to_owned(),
            id: section.string("id")?,
            device: section.string("device")?,
            pe_start: UNIT
                .checked_mul(section.number("pe_start")?.unwrap_or(0))
                .ok_or(Flaw::new(0, "a pe_start out of range"))?,
            pe_count: section.number("pe_count")?.unwrap_or(0),
        };
        budget.spend::<GroupPv>(pv.name.len() + pv.id.len() + pv.device.len())?;
        segment::in_range(0, pv.pe_count, extent)?;
        segment::in_range(0, 1, pv.pe_start)?;
        pvs.push(pv);
    }
    Ok(pvs)
}

fn logical(
    body: LvmTextSection<'_>,
    extent: Bytes,
    budget: &mut Budget,
) -> Result<Vec<GroupLv>, Flaw> {
    let mut lvs = Vec::new();
    let mut chunks = BTreeMap::new();
    for (name, section) in sections(body) {
        let name = name?;
        budget.spend::<GroupLv>(name.len())?;
        let mut lv = GroupLv {
            name: name.to_owned(),
            visible: is_visible(section)?,
            segments: Vec::new(),
        };
        for (_, part) in sections(section).filter(|(key, _)| is_segment(key)) {
            lv.segments.push(segment::read(part, extent, budget)?);
            if let Some(chunk) = segment::cache_pool_chunk(part)? {
                budget.spend::<(String, Bytes)>(name.len())?;
                chunks.insert(name.to_owned(), chunk);
            }
        }
        lv.segments.sort_by_key(|segment| segment.start_extent);
        lvs.push(lv);
    }
    fill_chunks(&mut lvs, &chunks);
    Ok(lvs)
}

/// `segment1`, `segment2`, …; a flaw is let through, so that reading it fails.
fn is_segment(key: &Result<&str, Flaw>) -> bool {
    key.map_or(true, |key| key.starts_with("segment"))
}

fn is_visible(lv: LvmTextSection<'_>) -> Result<bool, Flaw> {
    let Some(Value::List(list)) = lv.get("status")? else {
        return Ok(false);
    };
    for value in list.values() {
        if value?.text().as_deref() == Some("VISIBLE") {
            return Ok(true);
        }
    }
    Ok(false)
}

/// A cache on a pool has the pool's chunk size; only cachevols write it in the cache segment.
fn fill_chunks(lvs: &mut [GroupLv], chunks: &BTreeMap<String, Bytes>) {
    for LvSegment { kind, .. } in lvs.iter_mut().flat_map(|lv| &mut lv.segments) {
        if let SegmentKind::Cache { pool, chunk, .. } = kind
            && chunk.is_none()
        {
            *chunk = chunks.get(pool).copied();
        }
    }
}
