//! A database server with a RAID 10 of four disks.

use anyhow::Result;
use ioalign_core::simulation_document::PublishedFigure;
use ioalign_core::workload::{Pattern, Workload};

use super::model::{ALIGNED, POINTS, PublishedModel, SECTOR_63, filled, load, preset, row};

const MYSQL: &str = "Aligning IO on a hard disk RAID, the benchmarks";

/// Threads with one I/O each, 16 KiB, on a RAID 10 of four disks.
pub fn rows(model: &PublishedModel, rows: &mut Vec<PublishedFigure>) -> Result<()> {
    let starts = [ALIGNED, SECTOR_63];
    let (back, through) = (preset("mysql-raid10")?, preset("mysql-raid10-through")?);
    let page = 16 << 10;
    let of = |reads, pattern, threads| load(page, reads, pattern, threads);
    let large = Some(256 << 30);
    let what = "random reads, 8 threads, 256 GB: 909 to 1049 IOPS";
    let gain = model.gain(&back, &of(1.0, Pattern::Random, 8), starts, large)?;
    let published = (1049.0 / 909.0 - 1.0) * 100.0;
    rows.push(filled(
        row("mysql-raid10", what, published, MYSQL),
        "%",
        gain,
        POINTS,
    ));
    let what = "random writes, 8 threads, 256 GB, write-back: 919 to 1127 IOPS";
    let gain = model.gain(&back, &of(0.0, Pattern::Random, 8), starts, large)?;
    let published = (1127.0 / 919.0 - 1.0) * 100.0;
    rows.push(filled(
        row("mysql-raid10", what, published, MYSQL),
        "%",
        gain,
        POINTS,
    ));
    let small = Some(1 << 30);
    let sequential = of(0.0, Pattern::Sequential, 1);
    let (wb, wt) = (
        model.rate(&back, &sequential, ALIGNED, small)?.0,
        model.rate(&through, &sequential, ALIGNED, small)?.0,
    );
    let what = "sequential writes, 1 thread, 1 GB: write-back over write-through";
    let mut one = row("mysql-raid10", what, 33.0, MYSQL);
    one.note = "up to 33×; off by no more than a factor of 2".to_owned();
    rows.push(filled(one, "×", wb / wt, 16.5));
    let what = "sequential writes, 1 GB, write-back, file system aligned";
    let gain = model.gain(&back, &sequential, starts, small)?;
    let mut one = row("mysql-raid10", what, 15.0, MYSQL);
    one.mechanical = false;
    one.note = "up to 15 %, by what the file system knew, which the model does not".to_owned();
    rows.push(filled(one, "%", gain, POINTS));
    let what = "sequential reads, 8 threads of one sequence";
    let reads = Workload {
        queue_depth: 8,
        ..of(1.0, Pattern::Sequential, 1)
    };
    let gain = model.gain(&back, &reads, starts, Some(16 << 30))?;
    rows.push(filled(
        row("mysql-raid10", what, 0.0, MYSQL),
        "%",
        gain,
        3.0,
    ));
    let what = "random writes, 1 thread, write-through: marginal";
    let gain = model.gain(
        &through,
        &of(0.0, Pattern::Random, 1),
        starts,
        Some(16 << 30),
    )?;
    rows.push(filled(
        row("mysql-raid10-through", what, 0.0, MYSQL),
        "%",
        gain,
        POINTS,
    ));
    Ok(())
}
