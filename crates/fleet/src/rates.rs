//! What a profile says a day: I/Os, and those that became two at a boundary.

use std::collections::BTreeMap;

use ioalign_core::profile::{DeviceProfile, Profile, SCHEMA};

use crate::error::{FleetError, FleetResult};

/// Microseconds a day.
const DAY_US: f64 = 86_400e6;

/// The I/O of a host, scaled to a day.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct IoRates {
    /// I/Os a day by operation.
    pub by_op: BTreeMap<String, f64>,
    devices: Vec<DeviceRates>,
}

/// Of one device.
#[derive(Clone, Debug, Default, PartialEq)]
struct DeviceRates {
    name: String,
    /// Index k: I/Os a day that would fit into 2^k bytes and lie in two such cells.
    straddling: Vec<f64>,
    /// By size of the cell: cells that are touched in vain, a day.
    on_grids: BTreeMap<u64, f64>,
}

impl IoRates {
    /// Reads a document `ioalign.profile/1`.
    ///
    /// # Errors
    /// When it is none.
    pub fn read(json: &[u8]) -> FleetResult<Self> {
        let wrong = |what: String| FleetError::Refused(format!("no profile: {what}"));
        let profile: Profile =
            serde_json::from_slice(json).map_err(|error| wrong(error.to_string()))?;
        if profile.schema != SCHEMA {
            return Err(wrong(format!("its schema is not {SCHEMA}")));
        }
        if profile.duration_us == 0 {
            return Err(wrong("it covers no time".to_owned()));
        }
        Ok(Self::of(&profile))
    }

    fn of(profile: &Profile) -> Self {
        let per_day = DAY_US / number(profile.duration_us);
        let mut by_op = BTreeMap::new();
        for (name, op) in profile.devices.iter().flat_map(|device| &device.by_op) {
            *by_op.entry(name.clone()).or_insert(0.0) += number(op.ios) * per_day;
        }
        let devices = profile.devices.iter();
        Self {
            by_op,
            devices: devices
                .map(|device| DeviceRates::of(device, per_day))
                .collect(),
        }
    }

    /// All I/Os a day.
    pub fn ios_per_day(&self) -> f64 {
        self.by_op.values().sum()
    }

    /// I/Os a day on `disk` that became two at the boundaries of `unit` bytes; `None`: the disk is not in the profile, or
    /// nothing was counted on such a grid.
    pub fn extra_per_day(&self, disk: &str, unit: u64) -> Option<f64> {
        let device = self.devices.iter().find(|device| device.name == disk)?;
        let counted = device.on_grids.get(&unit).copied();
        counted.or_else(|| {
            let power = unit.is_power_of_two().then(|| unit.trailing_zeros())?;
            device.straddling.get(power as usize).copied()
        })
    }
}

impl DeviceRates {
    fn of(device: &DeviceProfile, per_day: f64) -> Self {
        let mut straddling = Vec::new();
        for op in device.by_op.values() {
            let counts = op.straddling_pow2.iter().take(64);
            straddling.resize(straddling.len().max(counts.len()), 0.0);
            for (sum, count) in straddling.iter_mut().zip(counts) {
                *sum += number(*count) * per_day;
            }
        }
        // Several grids of one size: of layers with other phases. The worst counts.
        let mut on_grids: BTreeMap<u64, BTreeMap<(Option<&str>, u64), f64>> = BTreeMap::new();
        for grid in &device.grids {
            let extra = grid.cells_touched.saturating_sub(grid.cells_minimum);
            let place = (grid.layer.as_deref(), grid.phase_bytes);
            let sums = on_grids.entry(grid.size_bytes).or_default();
            *sums.entry(place).or_insert(0.0) += number(extra) * per_day;
        }
        let worst = |sums: BTreeMap<_, f64>| sums.into_values().fold(0.0, f64::max);
        Self {
            name: device.device.trim_start_matches("/dev/").to_owned(),
            straddling,
            on_grids: on_grids
                .into_iter()
                .map(|(size, sums)| (size, worst(sums)))
                .collect(),
        }
    }
}

#[allow(clippy::cast_precision_loss)] // counts of I/Os: far below 2^53
const fn number(count: u64) -> f64 {
    count as f64
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use ioalign_core::profile::{GridProfile, OpProfile};

    use super::*;

    /// An hour: 3600 reads, 600 of which cross 4 KiB.
    fn profile() -> Profile {
        let mut op = OpProfile {
            ios: 3600,
            straddling_pow2: vec![0; 64],
            ..OpProfile::default()
        };
        op.straddling_pow2[12] = 600;
        let device = DeviceProfile {
            device: "sda".to_owned(),
            by_op: [("read".to_owned(), op)].into(),
            ..DeviceProfile::default()
        };
        Profile {
            schema: SCHEMA.to_owned(),
            duration_us: 3_600_000_000,
            devices: vec![device],
            ..Profile::default()
        }
    }

    fn rates(profile: &Profile) -> IoRates {
        IoRates::read(&serde_json::to_vec(profile).unwrap()).unwrap()
    }

    #[test]
    fn an_hour_is_a_24th_of_a_day() {
        let rates = rates(&profile());
        assert_eq!(rates.ios_per_day(), 3600.0 * 24.0);
        assert_eq!(rates.extra_per_day("sda", 4096), Some(600.0 * 24.0));
        assert_eq!(rates.extra_per_day("sda", 8192), Some(0.0));
        assert_eq!(rates.extra_per_day("sdb", 4096), None);
        assert_eq!(
            rates.extra_per_day("sda", 192 << 10),
            None,
            "no power of two was counted"
        );
    }

    #[test]
    fn a_grid_that_was_counted_comes_first() {
        let mut profile = profile();
        let grid = |op: &str, touched| GridProfile {
            op: op.to_owned(),
            size_bytes: 192 << 10,
            cells_touched: touched,
            cells_minimum: 100,
            ..GridProfile::default()
        };
        profile.devices[0].grids = vec![grid("read", 150), grid("write", 110)];
        assert_eq!(
            rates(&profile).extra_per_day("sda", 192 << 10),
            Some(60.0 * 24.0)
        );
    }

    #[test]
    fn a_profile_of_no_time_is_refused() {
        let mut profile = profile();
        profile.duration_us = 0;
        assert!(IoRates::read(&serde_json::to_vec(&profile).unwrap()).is_err());
        assert!(IoRates::read(b"[]").is_err());
    }
}
