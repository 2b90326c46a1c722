//! Against arrays of Linux md over four or six disks of 5 ms, measured in virtual time with the same
//! places: 16 KiB, elements of 64 KiB, partitions at sector 63 and 2048.

use ioalign_core::array::{Maker, RaidLevel};
use ioalign_core::units::ratio;
use ioalign_core::workload::{SizeShare, Workload};
use ioalign_simulate::closed_form::disk_ios_per_io;
use ioalign_simulate::disk::DiskModel;
use ioalign_simulate::engine::{
    DiskScheduler, SimulatedSystem, SimulatedTenant, SimulationOutcome, SimulationRun, SystemRun,
    TenantLoad, run, run_system,
};
use ioalign_simulate::geometry::{ArrayGeometry, DiskSteps};
use ioalign_simulate::requests::RequestStream;
use ioalign_simulate::volume::VolumePlace;

use super::geometry::shape;

/// Disks of 1 GiB without the metadata of md.
const DISK_BYTES: u64 = 1022 << 20;

pub struct LabArray {
    pub level: RaidLevel,
    pub disks: u32,
    pub owner: Maker,
    pub write: bool,
    pub depth: u32,
    pub ios: u64,
    pub size: u64,
}

/// With 3000 requests of 16 KiB.
const fn md(level: RaidLevel, write: bool, depth: u32) -> LabArray {
    LabArray {
        level,
        disks: 4,
        owner: Maker::Md,
        write,
        depth,
        ios: 3000,
        size: 16384,
    }
}

const fn raid5(depth: u32) -> LabArray {
    LabArray {
        ios: 800,
        ..md(RaidLevel::Raid5, true, depth)
    }
}

const fn raid6(write: bool) -> LabArray {
    LabArray {
        disks: 6,
        ios: 800,
        ..md(RaidLevel::Raid6, write, 8)
    }
}

const fn full_stripes(depth: u32) -> LabArray {
    LabArray {
        size: 192 << 10,
        ios: 300,
        ..md(RaidLevel::Raid5, true, depth)
    }
}

impl LabArray {
    fn geometry(&self) -> ArrayGeometry {
        let mut shape = shape(self.level, self.disks, 65536, self.owner);
        shape.disk_bytes = DISK_BYTES;
        ArrayGeometry::new(shape).unwrap()
    }

    fn workload(&self) -> Workload {
        Workload {
            sizes: vec![SizeShare::only(self.size)],
            read_ratio: if self.write { 0.0 } else { 1.0 },
            queue_depth: self.depth,
            ..Workload::default()
        }
    }

    /// I/Os of disks for each request, without queues.
    fn mean(&self, sector: u64) -> f64 {
        let geometry = self.geometry();
        let region = geometry.capacity() - sector * 512;
        let mut stream = RequestStream::new(&self.workload(), region, 1).unwrap();
        let (mut steps, mut all) = (DiskSteps::default(), 0);
        for _ in 0..self.ios {
            let request = stream.next(0);
            geometry.steps(
                sector * 512 + request.at,
                request.len,
                request.write,
                &mut steps,
            );
            all += steps.ios.len() as u64;
        }
        ratio(all, self.ios)
    }

    pub fn at(&self, sector: u64) -> SimulationOutcome {
        run(&SimulationRun {
            geometry: &self.geometry(),
            // The one number that was fitted: 5 ms of the disk and the time of the machine around it.
            disk: &DiskModel::Fixed { ns: 5_085_000 },
            workload: &self.workload(),
            start_bytes: sector * 512,
            ios: self.ios,
            warm_up: 0,
            seed: 42,
        })
        .unwrap()
    }
}

fn is_near(found: f64, wanted: f64, share: f64, what: &str) {
    let off = (found / wanted - 1.0).abs();
    assert!(
        off <= share,
        "{what}: {found} is off {wanted} by {:.1} %",
        off * 100.0
    );
}

/// The same number of disk I/Os, to the digits that were printed: no tolerance.
#[test]
fn disk_ios_are_those_of_the_kernel() {
    use RaidLevel::{Raid0, Raid5, Raid10};
    for (lab, sector, measured) in [
        (md(Raid10, false, 1), 63, 1.2390),
        (md(Raid10, false, 8), 63, 1.2390),
        (md(Raid10, true, 8), 63, 2.4780),
        (md(Raid10, true, 8), 2048, 2.0),
        (md(Raid0, false, 8), 63, 1.2533),
        (md(Raid0, true, 32), 2048, 1.0),
        (md(Raid5, true, 1), 2048, 4.0),
        (raid5(1), 63, 12.0),
        (raid5(8), 64, 4.0),
        (raid6(true), 2048, 6.0),
        (full_stripes(1), 384, 4.0),
        (full_stripes(1), 3072, 4.0),
        (full_stripes(1), 128, 8.0),
        (full_stripes(4), 2048, 8.0),
    ] {
        let found = lab.at(sector).disk_ios_per_io();
        assert!(
            (found - measured).abs() < 0.0001,
            "{:?} {sector}: {found} {measured}",
            lab.level
        );
    }
    let all: u64 = md(Raid10, false, 8)
        .at(63)
        .disks
        .iter()
        .map(|disk| disk.reads)
        .sum();
    assert_eq!(all, 3717);
}

/// Joined writes of pages depend on what waits: within 4 %.
#[test]
fn deep_queues_join_the_pages_of_a_write() {
    for (lab, measured) in [
        (raid5(32), 9.3),
        (raid6(true), 14.5),
        (full_stripes(4), 15.1),
    ] {
        is_near(lab.at(63).disk_ios_per_io(), measured, 0.04, "joined");
    }
}

/// Disks with mq-deadline, 64 I/Os of each at most: 9.25 and 9.36 I/Os of disks for each write and 204 and 234 ms for
/// 99 % of them in two runs, from sector 63 (`lab run raid5-small-writes`). In order of arrival it is more, and the
/// tail a third shorter.
#[test]
fn the_scheduler_decides_what_waits_together() {
    let lab = LabArray {
        ios: 3000,
        ..raid5(8)
    };
    let (geometry, disk) = (lab.geometry(), DiskModel::Fixed { ns: 5_085_000 });
    let place = VolumePlace::behind(63 * 512, geometry.capacity()).unwrap();
    let workload = lab.workload();
    let of = |scheduler| {
        let system = SimulatedSystem {
            scheduler,
            ..SimulatedSystem::of(&geometry, &disk)
        };
        let tenant = SimulatedTenant {
            load: TenantLoad::Workload(&workload),
            place: &place,
            block_bytes: 0,
        };
        let run = SystemRun {
            system: &system,
            tenants: &[tenant],
            ios: lab.ios,
            warm_up: 0,
            seed: 42,
        };
        run_system(&run).unwrap().only().unwrap()
    };
    let (deadline, arrival) = (of(DiskScheduler::Deadline), of(DiskScheduler::Arrival));
    is_near(deadline.disk_ios_per_io(), 9.31, 0.02, "joined");
    is_near(deadline.latency.p99, 218_000.0, 0.08, "tail");
    assert!(arrival.disk_ios_per_io() > deadline.disk_ios_per_io() * 1.01);
    assert!(arrival.latency.p99 < deadline.latency.p99 * 0.75);
}

/// Rates within 3 %, gains within 2 %, at queue depths of 8 and 32.
#[test]
fn rates_are_those_of_the_lab() {
    use RaidLevel::{Raid0, Raid10};
    for (lab, off, on) in [
        (md(Raid10, false, 8), 597.7, 716.8),
        (md(Raid10, false, 32), 626.9, 759.1),
        (md(Raid10, true, 8), 301.6, 362.7),
        (md(Raid10, true, 32), 311.9, 379.9),
        (md(Raid0, false, 8), 535.0, 634.0),
        (md(Raid0, false, 32), 599.0, 739.0),
        (md(Raid0, true, 32), 598.0, 738.0),
        (raid5(8), 81.2, 193.9),
        (raid5(32), 84.5, 195.0),
        (raid6(true), 77.6, 190.5),
        (raid6(false), 686.0, 825.0),
    ] {
        let what = format!("{:?} {} {}", lab.level, lab.write, lab.depth);
        let (a, b) = (lab.at(63).iops(), lab.at(2048).iops());
        is_near(a, off, 0.03, &what);
        is_near(b, on, 0.03, &what);
        is_near(b / a, on / off, 0.02, &what);
    }
}

/// A miss: the model is 3.1 % faster than the lab here.
#[test]
fn aligned_writes_of_raid_0_at_a_depth_of_8_are_off() {
    let lab = md(RaidLevel::Raid0, true, 8);
    let (off, on) = (lab.at(63).iops(), lab.at(2048).iops());
    is_near(off, 524.0, 0.03, "off");
    is_near(on, 622.0, 0.035, "on");
    is_near(on / off, 622.0 / 524.0, 0.02, "gain");
}

/// The time of md's own thread is not modelled: one I/O at a time is up to 9 % faster than it was.
#[test]
fn a_queue_depth_of_one_is_known_to_be_off() {
    is_near(
        md(RaidLevel::Raid10, false, 1).at(63).iops(),
        193.1,
        0.03,
        "read",
    );
    is_near(
        md(RaidLevel::Raid10, true, 1).at(63).iops(),
        181.0,
        0.09,
        "write",
    );
    is_near(raid5(1).at(63).iops(), 38.8, 0.03, "RAID 5 off");
    is_near(raid5(1).at(2048).iops(), 90.3, 0.09, "RAID 5 on");
}

/// The formula is the mean of the layout, before the kernel joins what waits.
#[test]
fn the_formula_is_the_limit() {
    use RaidLevel::{Raid0, Raid1, Raid5, Raid6, Raid10};
    let mut compared = 0;
    for (level, disks) in [
        (Raid0, 3),
        (Raid1, 2),
        (Raid10, 4),
        (Raid10, 5),
        (Raid5, 3),
        (Raid5, 5),
        (Raid6, 4),
        (Raid6, 8),
    ] {
        for owner in [Maker::Md, Maker::Controller] {
            for size in [4096, 12288, 16384, 49152, 65536, 196_608] {
                for (sector, write) in [
                    (63, true),
                    (64, true),
                    (2048, true),
                    (3, false),
                    (128, false),
                ] {
                    let lab = LabArray {
                        level,
                        disks,
                        owner,
                        write,
                        size,
                        depth: 1,
                        ios: 50_000,
                    };
                    let formula = disk_ios_per_io(&lab.geometry(), &lab.workload(), sector * 512);
                    let Some(formula) = formula else { continue };
                    is_near(
                        lab.mean(sector),
                        formula,
                        0.01,
                        &format!("{level:?} {disks} {owner:?} {size} {sector} {write}"),
                    );
                    compared += 1;
                }
            }
        }
    }
    assert!(compared > 350, "{compared}");
}
