//! A storage array below virtual machines.

use anyhow::Result;
use ioalign_core::comparison::Spread;
use ioalign_core::simulation_document::PublishedFigure;
use ioalign_measure::jobs;

use super::model::{POINTS, PublishedModel, SECTOR_63, filled, preset, row};
use crate::exit::UsageError;

const VMFS: &str = "Recommendations for aligning VMFS partitions, executive summary";

/// 32 points on a RAID 5 of five disks: sector 63 against sector 128.
pub fn rows(model: &PublishedModel, rows: &mut Vec<PublishedFigure>) -> Result<()> {
    let array = preset("vmfs-raid5")?;
    let job = jobs::named("iometer-vmfs");
    let job = job.ok_or_else(|| UsageError("there is no job iometer-vmfs".to_owned()))?;
    let (mut gains, mut drops) = (Vec::new(), Vec::new());
    for step in &job.steps {
        let on = model.rate(&array, step, 128 * 512, job.size_bytes)?;
        let off = model.rate(&array, step, SECTOR_63, job.size_bytes)?;
        gains.push((on.0 / off.0 - 1.0) * 100.0);
        drops.push((1.0 - on.1 / off.1) * 100.0);
    }
    for (name, values, published) in [
        ("throughput of 32 points", gains, [2.0, 12.0, 62.0]),
        ("latency of 32 points", drops, [7.0, 10.0, 33.0]),
    ] {
        let spread = Spread::of(values.into_iter()).unwrap_or_default();
        let simulated = [spread.min, spread.mean, spread.max];
        for (word, (published, simulated)) in ["least", "mean", "most"]
            .iter()
            .zip(published.iter().zip(simulated))
        {
            let what = format!("{name}: {word}");
            rows.push(filled(
                row("vmfs-raid5", &what, *published, VMFS),
                "%",
                simulated,
                POINTS,
            ));
        }
    }
    Ok(())
}
