//! What does not matter.

use anyhow::Result;
use ioalign_core::Bytes;
use ioalign_core::map::Map;
use ioalign_core::simulation_document::PublishedFigure;
use ioalign_core::workload::Pattern;

use super::model::{ALIGNED, PublishedModel, SECTOR_63, filled, load, preset, row};
use crate::exit::UsageError;
use crate::simulate::arms::once;

const LAB: &str = "measured with md of Linux 6.1 on disks of 5 ms";
const VMFS: &str = "Recommendations for aligning VMFS partitions, executive summary";

/// What does not matter.
pub fn rows(model: &PublishedModel, rows: &mut Vec<PublishedFigure>) -> Result<()> {
    let starts = [ALIGNED, SECTOR_63];
    let md = preset("md-raid10-4")?;
    let one_in_flight = load(16 << 10, 1.0, Pattern::Random, 1);
    let gain = model.gain(&md, &one_in_flight, starts, None)?;
    let what = "random reads, 1 in flight: no gain";
    rows.push(filled(row("md-raid10-4", what, 0.1, LAB), "%", gain, 2.0));
    let eight = load(16 << 10, 1.0, Pattern::Random, 8);
    let mut lvm = md.clone();
    lvm.above.maps.push(Map::Shift {
        start: Bytes::new(2113 * 512),
    });
    let (on, off) = (
        model.rate(&md, &eight, ALIGNED, None)?.0,
        model.rate(&lvm, &eight, SECTOR_63, None)?.0,
    );
    let what = "random reads, LVM with data at sector 2113 of a partition at 63: no loss";
    rows.push(filled(
        row("md-raid10-4", what, 0.0, LAB),
        "%",
        (on / off - 1.0) * 100.0,
        2.0,
    ));
    let mut large = preset("mysql-raid10")?;
    if let Some(cache) = &mut large.cache {
        cache.read_bytes = 4 << 30;
    }
    let counts = (model.ios, 400_000);
    let mut rates = [0.0; 2];
    for (rate, start) in rates.iter_mut().zip(starts) {
        let place = (start, Some(1 << 30));
        *rate = once(&large, &eight, place, counts, model.seed)
            .map_err(UsageError)?
            .iops();
    }
    let what = "random reads of 1 GiB, all in the cache: no gain";
    let gain = (rates[0] / rates[1] - 1.0) * 100.0;
    let source = format!("{VMFS}: the disk was 40 times the cache to exclude this");
    rows.push(filled(
        row("mysql-raid10", what, 0.0, &source),
        "%",
        gain,
        2.0,
    ));
    let what = "su/sw of the file system on random I/O: no gain";
    let mut one = row("md-raid10-4", what, 0.0, LAB);
    one.note =
        "places are random whatever the file system knows: nothing in the model depends on it"
            .to_owned();
    rows.push(filled(one, "%", 0.0, 2.0));
    Ok(())
}
