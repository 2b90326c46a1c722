//! Databases on top: torn pages and sectors that are too large.

use super::Case;
use crate::finding::{Finding, Severity};
use crate::grid::{Grid, Tier};
use crate::layer::LayerId;
use crate::phase::phases;
use crate::units::Bytes;

pub(super) fn judge(case: &Case<'_>, findings: &mut Vec<Finding>) {
    for id in case.databases() {
        let layer = case.stack.layer(id);
        if let (Some(page), Some("off")) = (
            layer.block,
            layer.facts.get("torn-page-protection").map(String::as_str),
        ) {
            torn_pages(case, id, page, findings);
        }
        if layer.name == "sqlserver" {
            large_sectors(case, id, findings);
        }
    }
}

/// Without doublewrite or full-page writes a page must be atomic all the way down.
fn torn_pages(case: &Case<'_>, id: LayerId, page: Bytes, findings: &mut Vec<Finding>) {
    for bottom in case.bottoms(id) {
        let Some(grid) = Grid::new(bottom, page, Bytes::ZERO, Tier::Rmw, "database-page") else {
            continue;
        };
        let set = phases(case.stack, id, &grid);
        if set.is_known() && set.is_aligned() {
            continue;
        }
        let off = set.dominant_offset().map_or_else(
            || "at an offset that cannot be followed".to_owned(),
            |offset| format!("{} past a {page} boundary", Bytes::new(offset)),
        );
        let why = format!(
            "torn-page protection is off (innodb_doublewrite or full_page_writes) and the {page} \
             pages of {} lie {off} on {}: a page can be written in two parts, and a crash between \
             them loses it",
            case.name(id),
            case.stack.layer(bottom).name
        );
        let mut finding = Finding::new("torn-page-risk", Severity::DataRisk, why).at(id);
        finding.unit = Some(page);
        finding.offset = set.dominant_offset().map(Bytes::new);
        finding.fixable_in_place = Some(true);
        findings.push(
            finding
                .step("turn the protection on again until every layer starts on a multiple of the page")
                .step("atomic writes also need ext4 bigalloc -C 16384 or XFS, and LVM on the same multiple"),
        );
        return;
    }
}

/// SQL Server refuses to start on devices whose atomic physical sector is above 4 KiB.
fn large_sectors(case: &Case<'_>, id: LayerId, findings: &mut Vec<Finding>) {
    let large = case
        .on_grids(id)
        .find(|(_, grid, _)| grid.kind == "physical-block" && grid.size.get() > 4096);
    if let Some((index, grid, _)) = large {
        let why = format!(
            "SQL Server does not start on a device that reports physical sectors of {}, more than \
             4 KiB (PhysicalBytesPerSectorForAtomicity)",
            grid.size
        );
        let mut finding = Finding::new("sqlserver-sector-too-large", Severity::Broken, why).at(id);
        finding.grid = Some(index);
        finding.unit = Some(grid.size);
        findings.push(finding.step(
            "set ForcedPhysicalSectorSizeInBytes to \"* 4095\" (Microsoft's documented work-around) \
             or use a device with 4 KiB physical sectors",
        ));
    }
}
