//! Totals as a profile: the same document that a trace gives.

use std::time::Duration;

use ioalign_core::Origin;
use ioalign_core::profile::{
    self, DeviceProfile, FileProfile, GridProfile, GroupProfile, OpProfile, ProcessProfile,
    Profile, Unpaired,
};

use super::counters::OpCounters;
use super::device::WatchedDevice;
use super::files::document;
use super::layout::{ALL_OTHERS, PLAIN_BYTES, PLAIN_IOS};
use super::totals::{DeviceTotals, WatchTotals};
use crate::analyse::tier;
use crate::record::Op;

impl WatchTotals {
    /// The profile of these counters, which took `duration`.
    pub fn profile(&self, devices: &[WatchedDevice], duration: Duration) -> Profile {
        let busy = self.devices.iter().zip(devices).zip(0_usize..);
        let busy = busy.filter(|((totals, _), _)| totals.ios() > 0);
        let mut all: Vec<_> = busy
            .map(|((totals, device), slot)| DeviceProfile {
                processes: self.owners_of(slot),
                groups: self.groups_of(slot),
                files: self.files_of(slot),
                ..totals.profile(device)
            })
            .collect();
        all.sort_by(|a, b| a.device.cmp(&b.device));
        let mut profile = Profile {
            schema: profile::SCHEMA.to_owned(),
            source: "live".to_owned(),
            duration_us: u64::try_from(duration.as_micros()).unwrap_or(u64::MAX),
            events: self.devices.iter().map(DeviceTotals::ios).sum(),
            dropped: self.dropped(),
            unpaired: self.unpaired(),
            devices: all,
            ..Profile::default()
        };
        profile.judge();
        profile
    }

    fn unpaired(&self) -> Unpaired {
        let sum = |what: fn(&DeviceTotals) -> u64| self.devices.iter().map(what).sum::<u64>();
        let placed = |device: &DeviceTotals| device.ops.iter().map(OpCounters::ios).sum::<u64>();
        let issued: u64 = self.devices.iter().map(placed).sum();
        Unpaired {
            without_completion: issued.saturating_sub(sum(DeviceTotals::completed)),
            without_issue: sum(DeviceTotals::unmatched),
            requeued: sum(DeviceTotals::requeued),
            partial: sum(DeviceTotals::partial),
            ..Unpaired::default()
        }
    }

    /// Whose I/O a device has, most first.
    pub fn owners_of(&self, slot: usize) -> Vec<ProcessProfile> {
        let mine = self.owners.iter().filter(|owner| owner.slot == slot);
        mine.map(|owner| ProcessProfile {
            pid: owner.pid,
            name: owner.name.clone(),
            op: owner.op.name().to_owned(),
            ios: owner.ios,
            bytes: owner.bytes,
            length_off_4096_ios: owner.length_off,
            start_pow2_histogram: owner.starts.clone(),
        })
        .collect()
    }

    /// The control groups whose I/O a device has, most first, without their names.
    pub fn groups_of(&self, slot: usize) -> Vec<GroupProfile> {
        let mine = self.groups.iter().filter(|group| group.slot == slot);
        mine.map(|group| GroupProfile {
            number: (group.owner.number != ALL_OTHERS).then_some(group.owner.number),
            io: group.io.clone(),
            ..GroupProfile::default()
        })
        .collect()
    }

    /// The files whose I/O a device has, most first, with paths from the top of their file system.
    pub fn files_of(&self, slot: usize) -> Vec<FileProfile> {
        let mine = self.files.iter().filter(|file| file.slot == slot);
        mine.map(|file| document(file, &self.file_names)).collect()
    }
}

impl DeviceTotals {
    fn profile(&self, device: &WatchedDevice) -> DeviceProfile {
        let mut out = DeviceProfile {
            device: device.name.clone(),
            read_before_overwrite: self.read_before_overwrite(),
            discards: self.discards(device),
            ..DeviceProfile::default()
        };
        for (op, number) in Op::ALL.into_iter().zip(0_usize..) {
            match self.ops.get(number) {
                Some(counters) if counters.ios() > 0 => {
                    out.by_op.insert(op.name().to_owned(), placed(counters));
                    out.grids.extend(grids(counters, op, device));
                }
                Some(_) => {}
                None => out.by_op.extend(self.placeless(op, number)),
            }
        }
        out
    }

    fn placeless(&self, op: Op, number: usize) -> Option<(String, OpProfile)> {
        let ios = self.plain(PLAIN_IOS + number);
        let counted = OpProfile {
            ios,
            bytes: self.plain(PLAIN_BYTES + number),
            start_pow2_histogram: vec![0; 64],
            length_pow2_histogram: vec![0; 64],
            straddling_pow2: vec![0; 64],
            ..OpProfile::default()
        };
        (ios > 0).then(|| (op.name().to_owned(), counted))
    }
}

pub(super) fn placed(counters: &OpCounters) -> OpProfile {
    OpProfile {
        ios: counters.ios(),
        bytes: counters.bytes(),
        size_histogram: counters.sizes(),
        start_pow2_histogram: counters.starts(),
        length_pow2_histogram: counters.lengths(),
        straddling_pow2: counters.straddling(),
        start_mod_4096: counters.sectors(),
        sequential_ratio: counters.sequential_ratio(),
        latency_us: counters.latency(),
        latency_histogram_ns: counters.latency_classes(),
        whole_start_mod_4096: counters.whole_sectors(),
        ..OpProfile::default()
    }
}

pub(super) fn grids(counters: &OpCounters, op: Op, device: &WatchedDevice) -> Vec<GridProfile> {
    let all = device.grids.iter().zip(0_usize..);
    all.map(|(spec, n)| {
        let counted = counters.grid(n, spec);
        let [slow, clean] = counters.latency_split(n);
        GridProfile {
            op: op.name().to_owned(),
            kind: spec.kind.to_string(),
            size_bytes: spec.size.get(),
            phase_bytes: spec.phase.get() % spec.size.get().max(1),
            start_off_grid: counted.start_off,
            length_not_multiple: counted.length_off,
            straddling: counted.straddling,
            cells_touched: counted.touched,
            cells_minimum: counted.minimum,
            tier: tier(spec.tier).to_owned(),
            declared: spec.origin == Origin::Declared,
            pieces: counters.ios(),
            straddling_latency_us: slow,
            clean_latency_us: clean,
            ..GridProfile::default()
        }
    })
    .collect()
}
