//! `ioalign simulate published`: published figures beside those of the model.
//!
//! No parameter comes from the figure that it is compared with: `simulate list` has all of them with their sources.

use anyhow::Result;
use ioalign_core::Bytes;
use ioalign_core::comparison::Spread;
use ioalign_core::map::Map;
use ioalign_core::simulation_document::{PUBLISHED_SCHEMA, PublishedFigure, PublishedFigures};
use ioalign_core::units::ratio;
use ioalign_core::workload::{Pattern, SizeShare, Workload};
use ioalign_measure::jobs;
use ioalign_simulate::description::{self, DescribedArray};
use ioalign_simulate::provision::{ProvisionRun, Provisioning, provision, tiles};

use super::arms::{once, warm_up};
use crate::args::SimulatePublishedArgs;
use crate::exit::{Exit, UsageError};
use crate::look;

const ALIGNED: u64 = 2048 * 512;
const SECTOR_63: u64 = 63 * 512;
/// Points that a gain may be off: what the mean over the rows with a model has to be below.
const POINTS: f64 = 6.0;
const MYSQL: &str = "Aligning IO on a hard disk RAID, the benchmarks";
const VMFS: &str = "Recommendations for aligning VMFS partitions, executive summary";
const HCI: &str = "The return of misaligned IO";
const ZFS: &str = "Detecting and resolving Oracle Solaris LUN alignment problems, figures 2 and 6";
const POOLS: &str = "RAID groups versus storage pools";
const LAB: &str = "measured with md of Linux 6.1 on disks of 5 ms";

/// Runs the verb.
pub fn run(arguments: &SimulatePublishedArgs) -> Result<Exit> {
    let model = PublishedModel {
        ios: arguments.ios,
        seed: arguments.seed,
    };
    let mut rows = Vec::new();
    model.mysql(&mut rows)?;
    model.vmfs(&mut rows)?;
    model.clusters(&mut rows)?;
    model.pools(&mut rows)?;
    model.negative(&mut rows)?;
    let counted = rows.iter().filter(|row| {
        let is_gain = row.unit == "%" && row.published.abs() > 0.0;
        row.mechanical && is_gain
    });
    let errors: Vec<f64> = counted
        .map(|row| (row.simulated - row.published).abs())
        .collect();
    let document = PublishedFigures {
        schema: PUBLISHED_SCHEMA.to_owned(),
        tool: crate::check::tool(),
        seed: arguments.seed,
        mean_error_points: errors.iter().sum::<f64>() / ratio(errors.len().max(1) as u64, 1),
        rows,
    };
    if arguments.look.json {
        look::json(&document)?;
    } else {
        let options = look::options(&arguments.look);
        look::write(&ioalign_report::simulation::published(&document, &options))?;
    }
    Ok(Exit::Done)
}

/// How long each run is.
struct PublishedModel {
    ios: u64,
    seed: u64,
}

/// A figure without what the model says.
const fn figure(array: String, what: String, published: f64, source: String) -> PublishedFigure {
    PublishedFigure {
        array,
        what,
        published,
        simulated: 0.0,
        unit: String::new(),
        tolerance: POINTS,
        hit: false,
        mechanical: true,
        source,
        note: String::new(),
    }
}

/// Its unit, the model's figure, and how far they may be apart.
fn filled(row: PublishedFigure, unit: &str, simulated: f64, tolerance: f64) -> PublishedFigure {
    // Within a point of nothing there is no direction.
    let same_way = row.published < 1.0 || simulated > -1.0;
    PublishedFigure {
        unit: unit.to_owned(),
        simulated,
        tolerance,
        hit: same_way && (simulated - row.published).abs() <= tolerance,
        ..row
    }
}

fn row(array: &str, what: &str, published: f64, source: &str) -> PublishedFigure {
    figure(
        array.to_owned(),
        what.to_owned(),
        published,
        source.to_owned(),
    )
}

fn load(bytes: u64, reads: f64, pattern: Pattern, workers: u32) -> Workload {
    Workload {
        sizes: vec![SizeShare::only(bytes)],
        read_ratio: reads,
        pattern,
        workers,
        ..Workload::default()
    }
}

fn preset(name: &str) -> Result<DescribedArray> {
    description::named(name).map_err(|what| UsageError(what).into())
}

impl PublishedModel {
    /// Requests a second, and the mean latency in µs.
    fn rate(
        &self,
        array: &DescribedArray,
        load: &Workload,
        start: u64,
        size: Option<u64>,
    ) -> Result<(f64, f64)> {
        let counts = (self.ios, warm_up(array, load));
        let outcome = once(array, load, (start, size), counts, self.seed).map_err(UsageError)?;
        Ok((outcome.iops(), outcome.latency.mean))
    }

    /// What an aligned start gives, in percent.
    fn gain(
        &self,
        array: &DescribedArray,
        load: &Workload,
        [on, off]: [u64; 2],
        size: Option<u64>,
    ) -> Result<f64> {
        let (aligned, misaligned) = (
            self.rate(array, load, on, size)?.0,
            self.rate(array, load, off, size)?.0,
        );
        Ok((aligned / misaligned - 1.0) * 100.0)
    }

    /// Threads with one I/O each, 16 KiB, on a RAID 10 of four disks.
    fn mysql(&self, rows: &mut Vec<PublishedFigure>) -> Result<()> {
        let starts = [ALIGNED, SECTOR_63];
        let (back, through) = (preset("mysql-raid10")?, preset("mysql-raid10-through")?);
        let page = 16 << 10;
        let of = |reads, pattern, threads| load(page, reads, pattern, threads);
        let large = Some(256 << 30);
        let what = "random reads, 8 threads, 256 GB: 909 to 1049 IOPS";
        let gain = self.gain(&back, &of(1.0, Pattern::Random, 8), starts, large)?;
        let published = (1049.0 / 909.0 - 1.0) * 100.0;
        rows.push(filled(
            row("mysql-raid10", what, published, MYSQL),
            "%",
            gain,
            POINTS,
        ));
        let what = "random writes, 8 threads, 256 GB, write-back: 919 to 1127 IOPS";
        let gain = self.gain(&back, &of(0.0, Pattern::Random, 8), starts, large)?;
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
            self.rate(&back, &sequential, ALIGNED, small)?.0,
            self.rate(&through, &sequential, ALIGNED, small)?.0,
        );
        let what = "sequential writes, 1 thread, 1 GB: write-back over write-through";
        let mut one = row("mysql-raid10", what, 33.0, MYSQL);
        one.note = "up to 33×; off by no more than a factor of 2".to_owned();
        rows.push(filled(one, "×", wb / wt, 16.5));
        let what = "sequential writes, 1 GB, write-back, file system aligned";
        let gain = self.gain(&back, &sequential, starts, small)?;
        let mut one = row("mysql-raid10", what, 15.0, MYSQL);
        one.mechanical = false;
        one.note = "up to 15 %, by what the file system knew, which the model does not".to_owned();
        rows.push(filled(one, "%", gain, POINTS));
        let what = "sequential reads, 8 threads of one sequence";
        let reads = Workload {
            queue_depth: 8,
            ..of(1.0, Pattern::Sequential, 1)
        };
        let gain = self.gain(&back, &reads, starts, Some(16 << 30))?;
        rows.push(filled(
            row("mysql-raid10", what, 0.0, MYSQL),
            "%",
            gain,
            3.0,
        ));
        let what = "random writes, 1 thread, write-through: marginal";
        let gain = self.gain(
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

    /// 32 points on a RAID 5 of five disks: sector 63 against sector 128.
    fn vmfs(&self, rows: &mut Vec<PublishedFigure>) -> Result<()> {
        let array = preset("vmfs-raid5")?;
        let job = jobs::named("iometer-vmfs");
        let job = job.ok_or_else(|| UsageError("there is no job iometer-vmfs".to_owned()))?;
        let (mut gains, mut drops) = (Vec::new(), Vec::new());
        for step in &job.steps {
            let on = self.rate(&array, step, 128 * 512, job.size_bytes)?;
            let off = self.rate(&array, step, SECTOR_63, job.size_bytes)?;
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

    /// A hyperconverged cluster and a storage appliance.
    fn clusters(&self, rows: &mut Vec<PublishedFigure>) -> Result<()> {
        let array = preset("hci-vdisk")?;
        let writes = load(1 << 20, 0.0, Pattern::Random, 4);
        let gain = self.gain(&array, &writes, [ALIGNED, ALIGNED + 1536], None)?;
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
        let gain = self.gain(&array, &reads, [64 * 512, 34 * 512], Some(128 << 30))?;
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

    /// The mean latency of a mail server in its group over that in the pool.
    fn pools(&self, rows: &mut Vec<PublishedFigure>) -> Result<()> {
        for (name, published, tolerance, note) in [
            (
                "ssd-group",
                0.0,
                5.0,
                "no difference was found; the charts have no numbers",
            ),
            (
                "hdd-group",
                f64::NAN,
                0.0,
                "no figure is published: it has to be 10 % or more",
            ),
        ] {
            let array = preset(name)?;
            let mail = |provisioning| -> Result<f64> {
                let outcome = provision(&ProvisionRun {
                    array: &array,
                    tenants: &tiles(13),
                    groups: 4,
                    provisioning,
                    allocated: 0.5,
                    ios: self.ios.max(20_000),
                    seed: self.seed,
                });
                let outcome = outcome.map_err(UsageError)?;
                Ok(outcome.tenants.first().map_or(0.0, |one| one.latency.mean))
            };
            let gain = (mail(Provisioning::Groups)? / mail(Provisioning::Pool)? - 1.0) * 100.0;
            let what = "latency of mail at 13 tiles: its own RAID group over the pool";
            let mut one = filled(row(name, what, published, POOLS), "%", gain, tolerance);
            one.note = note.to_owned();
            if published.is_nan() {
                (one.published, one.tolerance, one.hit) = (0.0, 0.0, gain >= 10.0);
                one.mechanical = false;
            }
            rows.push(one);
        }
        Ok(())
    }

    /// What does not matter.
    fn negative(&self, rows: &mut Vec<PublishedFigure>) -> Result<()> {
        let starts = [ALIGNED, SECTOR_63];
        let md = preset("md-raid10-4")?;
        let one_in_flight = load(16 << 10, 1.0, Pattern::Random, 1);
        let gain = self.gain(&md, &one_in_flight, starts, None)?;
        let what = "random reads, 1 in flight: no gain";
        rows.push(filled(row("md-raid10-4", what, 0.1, LAB), "%", gain, 2.0));
        let eight = load(16 << 10, 1.0, Pattern::Random, 8);
        let mut lvm = md.clone();
        lvm.above.maps.push(Map::Shift {
            start: Bytes::new(2113 * 512),
        });
        let (on, off) = (
            self.rate(&md, &eight, ALIGNED, None)?.0,
            self.rate(&lvm, &eight, SECTOR_63, None)?.0,
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
        let counts = (self.ios, 400_000);
        let mut rates = [0.0; 2];
        for (rate, start) in rates.iter_mut().zip(starts) {
            let place = (start, Some(1 << 30));
            *rate = once(&large, &eight, place, counts, self.seed)
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
}
