//! RAID groups beside pools.

use ioalign_core::numbers::{percent, three, time, times};
use ioalign_core::simulation_document::{ProvisionedTenant, ProvisioningDocument, TenantRate};

use super::notes;
use crate::options::RenderOptions;
use crate::profile::table::TextTable;
use crate::text::page::{Style, TextPage, TextSpan};

/// RAID groups against one pool.
pub fn provisioning(document: &ProvisioningDocument, options: &RenderOptions) -> String {
    let mut page = TextPage::new(options);
    let point =
        |row: &ProvisionedTenant| (row.array.clone(), row.allocated_ratio.to_bits(), row.tiles);
    for (number, rows) in document
        .rows
        .chunk_by(|a, b| point(a) == point(b))
        .enumerate()
    {
        if number > 0 {
            page.blank();
        }
        let Some(first) = rows.first() else { continue };
        let load = match first.tiles {
            0 => "4 KiB random, 70 % reads, 64 in flight, on 9 disks".to_owned(),
            1 => "1 tile".to_owned(),
            tiles => format!("{tiles} tiles"),
        };
        let title = format!(
            "{} × {}, {} allocated, {load}",
            first.groups,
            first.array,
            percent(first.allocated_ratio)
        );
        page.put("", "", 2, &[TextSpan::new(Style::Strong, title)]);
        let head = [
            "",
            "group I/Os/s",
            "mean",
            "p99",
            "pool I/Os/s",
            "mean",
            "p99",
            "pool/group",
        ];
        let mut table = TextTable::new(1, &head);
        for row in rows {
            let mut cells = vec![row.tenant.clone()];
            cells.extend(rates(row.in_group));
            cells.extend(rates(row.in_pool));
            let means = row.in_group.zip(row.in_pool);
            cells.push(means.map_or_else(
                || "-".to_owned(),
                |(group, pool)| times(pool.mean_us / group.mean_us),
            ));
            table.row(Style::Plain, cells);
        }
        table.put(&mut page);
    }
    notes(&mut page, &document.notes);
    page.finish()
}

fn rates(of: Option<TenantRate>) -> [String; 3] {
    of.map_or_else(
        || ["-"; 3].map(str::to_owned),
        |rate| [three(rate.iops), time(rate.mean_us), time(rate.p99_us)],
    )
}
