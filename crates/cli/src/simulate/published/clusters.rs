//! A hyperconverged cluster and a storage appliance.

use anyhow::Result;
use ioalign_core::simulation_document::PublishedFigure;
use ioalign_core::workload::{Pattern, Workload};

use super::model::{ALIGNED, POINTS, PublishedModel, filled, load, preset, row};

const HCI: &str = "The return of misaligned IO";
const ZFS: &str = "Detecting and resolving Oracle Solaris LUN alignment problems, figures 2 and 6";

/// A hyperconverged cluster and a storage appliance.
pub fn rows(model: &PublishedModel, rows: &mut Vec<PublishedFigure>) -> Result<()> {
    let array = preset("hci-vdisk")?;
    let writes = load(1 << 20, 0.0, Pattern::Random, 4);
    let gain = model.gain(&array, &writes, [ALIGNED, ALIGNED + 1536], None)?;
    let published = (211.0 / 129.0 - 1.0) * 100.0;
    let what = "1 MiB writes, 4 jobs, partition at 1536 bytes: 129 to 211 MiB/s";
    let mut one = row("hci-vdisk", what, published, HCI);
    one.note = "jobs on disks of their own: places are random to the disks below".to_owned();
    rows.push(filled(one, "%", gain, POINTS));
    let array = preset("zfs-volume")?;
    let reads = Workload {
        queue_depth: 64,
        ..load(8192, 1.0, Pattern::Random, 1)
    };
    let gain = model.gain(&array, &reads, [64 * 512, 34 * 512], Some(128 << 30))?;
    let published = (20_200.0 / 15_900.0 - 1.0) * 100.0;
    let what = "8 KiB random reads, 64 in flight, EFI label: 15,900 to 20,200 IOPS";
    let mut one = row("zfs-volume", what, published, ZFS);
    one.mechanical = false;
    one.note =
        "neither disks nor caches of the appliance are known: the direction alone".to_owned();
    let mut one = filled(one, "%", gain, 0.0);
    one.hit = gain > 1.0;
    rows.push(one);
    Ok(())
}
