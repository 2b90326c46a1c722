//! RAID groups against one pool: the same volumes and loads, each volume on a group of its own, or all of them on
//! slices of all groups.

use ioalign_core::map::{Map, Runs};
use ioalign_core::workload::{Pattern, SizeShare, Workload};

use crate::description::DescribedArray;
use crate::disk::DiskModel;
use crate::engine::{
    SimulatedSystem, SimulatedTenant, SystemOutcome, SystemRun, TenantLoad, run_system,
};
use crate::geometry::ArrayGeometry;
use crate::volume::{VolumePlace, pooled};

/// A slice of a pool: so much of a volume lies in one group.
pub const SLICE: u64 = 1 << 30;

/// A load of a tile.
#[derive(Clone, Debug)]
pub struct TileTenant {
    /// Its name.
    pub name: &'static str,
    /// Its I/O, at the rate of one tile.
    pub workload: Workload,
}

/// What runs in a tile: each kind on a volume of its own. Shapes are published ones, rates are assumed.
pub fn tile() -> [TileTenant; 4] {
    let tenant = |name, sizes: &[(u64, u32)], read_ratio, rate| TileTenant {
        name,
        workload: Workload {
            name: String::from(name),
            sizes: sizes
                .iter()
                .map(|(bytes, weight)| SizeShare {
                    bytes: *bytes,
                    weight: *weight,
                })
                .collect(),
            read_ratio,
            pattern: Pattern::Random,
            align_bytes: Some(4096),
            rate_iops: Some(rate),
            ..Workload::default()
        },
    };
    // The access specification "web server" of Iometer, from 4 KiB on.
    let web: [(u64, u32); 7] = [
        (4096, 23),
        (8192, 15),
        (16384, 2),
        (32768, 6),
        (65536, 7),
        (131_072, 1),
        (524_288, 1),
    ];
    // "File server", from 4 KiB on.
    let file: [(u64, u32); 5] = [(4096, 60), (8192, 2), (16384, 4), (32768, 4), (65536, 10)];
    [
        // Pages of 32 KiB of a mail database, three reads to two writes.
        tenant("mail", &[(32768, 1)], 0.6, 75.0),
        // Iometer's "database": 8 KiB, 67 % reads.
        tenant("database", &[(8192, 1)], 0.67, 80.0),
        tenant("web", &web, 1.0, 60.0),
        tenant("file", &file, 0.8, 40.0),
    ]
}

/// The tenants of this many tiles: each kind is one load.
pub fn tiles(count: u32) -> Vec<TileTenant> {
    let mut all = tile().to_vec();
    for tenant in &mut all {
        let rate = tenant.workload.rate_iops.unwrap_or(0.0);
        tenant.workload.rate_iops = Some(rate * f64::from(count));
    }
    all
}

/// The 4 KiB of a blender: 70 % reads, random, 64 in flight.
pub fn blender() -> TileTenant {
    TileTenant {
        name: "blender",
        workload: Workload {
            sizes: vec![SizeShare::only(4096)],
            read_ratio: 0.7,
            queue_depth: 64,
            ..Workload::default()
        },
    }
}

/// How volumes are made of groups.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Provisioning {
    /// Volume by volume on a group of its own.
    Groups,
    /// Every volume on slices of all groups.
    Pool,
}

/// What is run.
#[derive(Clone, Debug)]
pub struct ProvisionRun<'a> {
    /// Each group.
    pub array: &'a DescribedArray,
    /// The loads, one a volume.
    pub tenants: &'a [TileTenant],
    /// How many groups there are: one a volume where each has its own.
    pub groups: u32,
    /// How volumes are made of them.
    pub provisioning: Provisioning,
    /// The share of all bytes that volumes have.
    pub allocated: f64,
    /// Requests that count, of all tenants.
    pub ios: u64,
    /// Of the places.
    pub seed: u64,
}

/// Runs it.
pub fn provision(run: &ProvisionRun<'_>) -> Result<SystemOutcome, String> {
    let geometry = ArrayGeometry::new(run.array.shape.clone())?;
    let mut disk = run.array.disk.clone();
    if let DiskModel::Flash(flash) = &mut disk {
        flash.fill(run.allocated);
    }
    let capacity = geometry.capacity();
    let rows = slices(capacity, run.allocated)?;
    let places = (0..run.tenants.len() as u64)
        .map(|volume| place(run, volume, rows * SLICE, capacity))
        .collect::<Result<Vec<_>, _>>()?;
    let tenants: Vec<_> = run
        .tenants
        .iter()
        .zip(&places)
        .map(|(tenant, place)| SimulatedTenant {
            load: TenantLoad::Workload(&tenant.workload),
            place,
            block_bytes: 0,
        })
        .collect();
    let system = SimulatedSystem {
        groups: run.groups,
        cache: run.array.cache.as_ref(),
        unit_bytes: run.array.unit_bytes,
        ..SimulatedSystem::of(&geometry, &disk)
    };
    run_system(&SystemRun {
        system: &system,
        tenants: &tenants,
        ios: run.ios,
        warm_up: run.ios / 10,
        seed: run.seed,
    })
}

/// Slices of a volume: the allocated share of a group.
// A share of a number of slices far below 2^53, not negative.
#[allow(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss
)]
fn slices(capacity: u64, allocated: f64) -> Result<u64, String> {
    let all = capacity / SLICE;
    let some = (all as f64 * allocated.clamp(0.0, 1.0)) as u64;
    let few = || format!("a group of {capacity} bytes has no slice of 1 GiB to allocate");
    (some > 0).then_some(some).ok_or_else(few)
}

fn place(
    run: &ProvisionRun<'_>,
    volume: u64,
    size: u64,
    capacity: u64,
) -> Result<VolumePlace, String> {
    let groups = u64::from(run.groups);
    let runs = match run.provisioning {
        Provisioning::Groups => {
            let mut runs = Runs::new();
            runs.push(0, volume * capacity, size);
            runs
        }
        Provisioning::Pool => pooled(volume * size / SLICE, size, SLICE, groups, capacity),
    };
    VolumePlace::new(vec![Map::Linear(runs)], size, capacity * groups)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::description::named;

    fn mean(array: &str, provisioning: Provisioning, tenant: usize) -> f64 {
        let array = named(array).unwrap();
        let outcome = provision(&ProvisionRun {
            array: &array,
            tenants: &tiles(13),
            groups: 4,
            provisioning,
            allocated: 0.5,
            ios: 20_000,
            seed: 1,
        });
        outcome.unwrap().tenants[tenant].latency.mean
    }

    #[test]
    fn a_pool_helps_disks_with_heads_and_not_flash() {
        let gain = |array| {
            let (group, pool) = (
                mean(array, Provisioning::Groups, 0),
                mean(array, Provisioning::Pool, 0),
            );
            group / pool
        };
        let (ssd, hdd) = (gain("ssd-group"), gain("hdd-group"));
        assert!((0.95..1.05).contains(&ssd), "{ssd}");
        assert!(hdd > 1.1, "{hdd}");
    }

    #[test]
    fn rates_are_those_of_the_tiles() {
        let array = named("ssd-group").unwrap();
        let outcome = provision(&ProvisionRun {
            array: &array,
            tenants: &tiles(7),
            groups: 4,
            provisioning: Provisioning::Pool,
            allocated: 1.0,
            ios: 50_000,
            seed: 1,
        })
        .unwrap();
        for (one, tenant) in outcome.tenants.iter().zip(tiles(7)) {
            let wanted = tenant.workload.rate_iops.unwrap();
            let found = outcome.iops(one);
            assert!(
                (found / wanted - 1.0).abs() < 0.05,
                "{}: {found} {wanted}",
                tenant.name
            );
        }
    }
}
