//! Profiles of several machines, or of parts of one trace, as one.
//!
//! Counters add up exactly. What is over time is joined exactly too where the profiles keep what that needs
//! ([`AnalysisSettings::mergeable`](crate::analyse::AnalysisSettings)). Every other value is named in
//! [`Profile::inexact`], with the reason.

mod device;
mod doubts;
mod join;
mod latency;
mod processes;

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use ioalign_core::profile::{self, DeviceProfile, Profile, TraceFile};

use crate::analyse::course;
use crate::pipeline::{clocks, forget_times};
use device::{add_device, sum, unpaired};
use doubts::Doubts;

/// How profiles are taken.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct MergeSettings {
    /// The parts follow each other in time: durations add up.
    pub parts: bool,
    /// The result may be merged again.
    pub mergeable: bool,
}

/// Adds up all of them. Devices of one name are one device: name them apart before, where they are not.
pub fn merge(profiles: Vec<Profile>, settings: MergeSettings) -> Profile {
    let mut doubts = Doubts::default();
    doubts.pairs(&profiles);
    let course = Course::of(&profiles);
    let mut out = Profile {
        schema: profile::SCHEMA.to_owned(),
        source: "merged".to_owned(),
        ..Profile::default()
    };
    let mut devices: BTreeMap<(String, i64), (DeviceProfile, usize)> = BTreeMap::new();
    for one in profiles {
        out.duration_us = match settings.parts {
            true => out.duration_us.saturating_add(one.duration_us),
            false => out.duration_us.max(one.duration_us),
        };
        sum(&mut out.events, one.events);
        sum(&mut out.dropped, one.dropped);
        unpaired(&mut out.unpaired, &one.unpaired);
        out.interrupted |= one.interrupted;
        out.clock_doubt = out.clock_doubt.or(one.clock_doubt);
        out.files.extend(one.files);
        for whose in one.only {
            if !out.only.contains(&whose) {
                out.only.push(whose);
            }
        }
        doubts.keep(one.inexact);
        for device in one.devices {
            let key = (device.device.clone(), device.offset_applied_bytes);
            match devices.entry(key) {
                Entry::Vacant(place) => {
                    place.insert((device, 1));
                }
                Entry::Occupied(mut place) => {
                    let (to, times) = place.get_mut();
                    add_device(to, device, &mut doubts);
                    *times += 1;
                }
            }
        }
    }
    out.clock_doubt = clocks::doubt(&out.files).or(out.clock_doubt);
    if let (Course::Known { first, end }, false) = (course, settings.parts) {
        out.duration_us = end.abs_diff(first) / 1000;
    }
    for (mut device, times) in devices.into_values() {
        course.finish(&mut device, times, &mut doubts);
        processes::finish(&mut device, times, &out.files, &mut doubts);
        sizes(&device, times, &mut doubts);
        for op in device
            .by_op
            .values_mut()
            .filter(|op| op.latency_us.is_none())
        {
            op.latency_histogram_ns.clear();
        }
        device.part = device.part.filter(|_| settings.mergeable);
        out.devices.push(device);
    }
    out.inexact = doubts.named();
    out.judge();
    out
}

/// What is known of all devices over time.
#[derive(Copy, Clone)]
enum Course {
    /// Everything, on one clock: the first issue and the last completion.
    Known { first: i64, end: i64 },
    /// No file has times.
    Timeless,
    /// Some profiles do not keep it.
    Unknown,
}

impl Course {
    fn of(profiles: &[Profile]) -> Self {
        let files = || profiles.iter().flat_map(|one| &one.files);
        let timeless = profiles.iter().all(|one| !one.files.is_empty());
        if timeless && files().all(TraceFile::is_timeless) {
            return Self::Timeless;
        }
        let mut parts = profiles
            .iter()
            .flat_map(|one| &one.devices)
            .map(|one| one.part.as_deref());
        let Some(parts) = parts.by_ref().collect::<Option<Vec<_>>>() else {
            return Self::Unknown;
        };
        let stretches = || parts.iter().flat_map(|part| &part.stretches);
        Self::Known {
            first: stretches().map(|one| one.first_ns).min().unwrap_or(0),
            end: stretches().map(|one| one.end_ns).max().unwrap_or(0),
        }
    }

    /// Fills in what the joined device says over time.
    fn finish(self, device: &mut DeviceProfile, times: usize, doubts: &mut Doubts) {
        if device.intervals.take().is_some() {
            doubts.add(
                "intervals",
                "left out: they begin with the first I/O of each part",
                &device.device,
            );
        }
        match (self, device.part.take()) {
            (Self::Timeless, _) => forget_times(device),
            (Self::Known { first, .. }, Some(part)) => {
                for (value, why) in course::fill(device, &part, first) {
                    doubts.add(value, why, &device.device);
                }
                device.part = Some(part);
            }
            _ => unknown(device, times, doubts),
        }
    }
}

/// Sizes and devices past the limits of one run's tables are joined in an order that parts do not know.
fn sizes(device: &DeviceProfile, times: usize, doubts: &mut Doubts) {
    const DIRECT: u64 = 1 << 20;
    let is_odd = |bytes: u64| !bytes.is_multiple_of(512) || bytes > DIRECT;
    let many = device.by_op.values().any(|op| {
        let odd = op.size_histogram.iter().filter(|size| is_odd(size.bytes));
        odd.count() >= 1024
    });
    if times > 1 && many {
        let why = "more sizes than are counted one by one";
        doubts.add("by_op.size_histogram", why, &device.device);
    }
    if device.device == "(others)" {
        doubts.add_all("devices", "more devices than are counted one by one");
    }
}

fn unknown(device: &mut DeviceProfile, times: usize, doubts: &mut Doubts) {
    device.forget_course();
    let why = "left out: not all profiles were made with --mergeable";
    for value in ["bursts", "samplers", "queue_depth", "littles_law"] {
        doubts.add(value, why, &device.device);
    }
    if times > 1 {
        let why = "a burst that is cut at the border of parts counts twice";
        doubts.add("bursts_total", why, &device.device);
        let why =
            "the time from the last I/O of a part to the first one of the next is not counted";
        doubts.add("inter_arrival", why, &device.device);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ioalign_core::profile::{Latency, OpProfile};

    fn profile(ios: u64, has_classes: bool) -> Profile {
        let latency = Latency {
            ios,
            mean: 1.0,
            max: 1.0,
            ..Latency::default()
        };
        let mut read = OpProfile {
            ios,
            latency_us: Some(latency),
            ..OpProfile::default()
        };
        if has_classes {
            read.latency_histogram_ns.insert(1000, ios);
        }
        let mut device = DeviceProfile::default();
        device.by_op.insert("read".to_owned(), read);
        Profile {
            devices: vec![device],
            ..Profile::default()
        }
    }

    fn latency(parts: [bool; 3]) -> Option<u64> {
        let parts = parts.map(|has_classes| profile(7, has_classes));
        let merged = merge(parts.to_vec(), MergeSettings::default());
        let read = &merged.devices[0].by_op["read"];
        assert_eq!(read.ios, 21);
        assert_eq!(
            read.latency_us.is_none(),
            read.latency_histogram_ns.is_empty()
        );
        read.latency_us.map(|latency| latency.ios)
    }

    #[test]
    fn latencies_of_a_part_are_not_those_of_the_whole() {
        assert_eq!(latency([true; 3]), Some(21));
        for without in 0..3 {
            let mut parts = [true; 3];
            parts[without] = false;
            assert_eq!(latency(parts), None, "{without}");
        }
        assert_eq!(latency([false; 3]), None);
    }
}
