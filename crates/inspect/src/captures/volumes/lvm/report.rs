//! From the rows of `pvs`, `vgs` and `lvs` to members and groups.

use super::entry::{self, LvmEntry};
use super::rows::{self, LvmReport, Rows, field, number};
use super::{reported, segments, size};
use crate::captures::{Text, TextEvidence};
use crate::error::Result;

pub(super) fn has_pvs(text: &Text) -> bool {
    rows::sniff(text, LvmReport::Pv)
}

pub(super) fn has_vgs(text: &Text) -> bool {
    rows::sniff(text, LvmReport::Vg)
}

pub(super) fn has_lvs(text: &Text) -> bool {
    rows::sniff(text, LvmReport::Lv)
}

pub(super) fn read_pvs(text: &Text, evidence: &mut TextEvidence) -> Result<()> {
    for Rows { rows, unit } in rows::all(text, LvmReport::Pv) {
        for row in &rows {
            let start = number(row, "pe_start", unit);
            // `pvs -a` lists every block device: those that are no PVs have no format.
            let stated = row.contains_key("pv_fmt") || row.contains_key("vg_name");
            if !stated && start.is_none_or(|start| start.high == 0) {
                continue;
            }
            let entry = LvmEntry {
                device: field(row, "pv_name"),
                group: field(row, "vg_name"),
                uuid: row.get("pv_uuid").map(String::as_str),
                start,
                extents: field(row, "pv_pe_count").parse().ok(),
                device_size: number(row, "dev_size", unit),
            };
            entry::add(&entry, evidence);
        }
    }
    Ok(())
}

pub(super) fn read_vgs(text: &Text, evidence: &mut TextEvidence) -> Result<()> {
    for Rows { rows, unit } in rows::all(text, LvmReport::Vg) {
        for row in &rows {
            let Some(group) = reported(evidence, field(row, "vg_name")) else {
                continue;
            };
            let extent = number(row, "vg_extent_size", unit).and_then(size::extent);
            group.extent = extent.unwrap_or(group.extent);
            if let Some(id) = row.get("vg_uuid") {
                group.id.clone_from(id);
            }
        }
    }
    Ok(())
}

pub(super) fn read_lvs(text: &Text, evidence: &mut TextEvidence) -> Result<()> {
    for Rows { rows, unit } in rows::all(text, LvmReport::Lv) {
        segments::add(&rows, unit, evidence);
    }
    Ok(())
}
