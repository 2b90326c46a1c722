//! The last minutes of each device, so that a page that is opened begins with a line and not with a dot.

use std::collections::{BTreeMap, VecDeque};

use serde::Serialize;

use crate::live::{LiveDeviceJson, LiveDocument};

/// Intervals that are kept.
const POINTS: usize = 300;
/// Devices and partitions; more have no past.
const DEVICES: usize = 512;

/// A device in an interval.
#[derive(Copy, Clone, Default)]
struct HistoryPoint {
    at_ms: u64,
    read_iops: f64,
    write_iops: f64,
    read_bytes_per_s: f64,
    write_bytes_per_s: f64,
    read_latency_us: Option<f64>,
    write_latency_us: Option<f64>,
    in_flight: f64,
}

/// The columns of a chart. `null` is a time without I/O, which has no latency.
#[derive(Default, Serialize)]
struct HistoryColumns {
    at_ms: Vec<u64>,
    read_iops: Vec<f64>,
    write_iops: Vec<f64>,
    read_bytes_per_s: Vec<f64>,
    write_bytes_per_s: Vec<f64>,
    read_latency_us: Vec<Option<f64>>,
    write_latency_us: Vec<Option<f64>>,
    in_flight: Vec<f64>,
}

/// The last minutes of all devices that had I/O in them.
#[derive(Default)]
pub struct LiveHistory {
    times: VecDeque<u64>,
    devices: BTreeMap<String, VecDeque<HistoryPoint>>,
}

impl LiveHistory {
    /// Adds an interval, and forgets the oldest one.
    pub(crate) fn add(&mut self, document: &LiveDocument) {
        self.times.push_back(document.at_ms);
        if self.times.len() > POINTS {
            self.times.pop_front();
        }
        let oldest = self.times.front().copied().unwrap_or(0);
        for device in &document.devices {
            if self.devices.len() < DEVICES || self.devices.contains_key(device.name) {
                let points = self.devices.entry(device.name.to_owned()).or_default();
                points.push_back(point(document.at_ms, device));
            }
        }
        for points in self.devices.values_mut() {
            while points.front().is_some_and(|point| point.at_ms < oldest) {
                points.pop_front();
            }
        }
        self.devices.retain(|_, points| !points.is_empty());
    }

    /// The columns of a device; times without I/O are zeros.
    pub(crate) fn document(&self, name: &str) -> String {
        let mut columns = HistoryColumns::default();
        let mut points = self.devices.get(name).into_iter().flatten().peekable();
        for at_ms in &self.times {
            let found = points.next_if(|point| point.at_ms == *at_ms).copied();
            columns.add(&found.unwrap_or(HistoryPoint {
                at_ms: *at_ms,
                ..HistoryPoint::default()
            }));
        }
        // Cannot fail: every key is a string, and memory takes all.
        serde_json::to_string(&columns).unwrap_or_default()
    }
}

impl HistoryColumns {
    fn add(&mut self, point: &HistoryPoint) {
        self.at_ms.push(point.at_ms);
        self.read_iops.push(point.read_iops);
        self.write_iops.push(point.write_iops);
        self.read_bytes_per_s.push(point.read_bytes_per_s);
        self.write_bytes_per_s.push(point.write_bytes_per_s);
        self.read_latency_us.push(point.read_latency_us);
        self.write_latency_us.push(point.write_latency_us);
        self.in_flight.push(point.in_flight);
    }
}

fn point(at_ms: u64, device: &LiveDeviceJson) -> HistoryPoint {
    HistoryPoint {
        at_ms,
        read_iops: device.read.iops,
        write_iops: device.write.iops,
        read_bytes_per_s: device.read.bytes_per_s,
        write_bytes_per_s: device.write.bytes_per_s,
        read_latency_us: device.read.latency_us,
        write_latency_us: device.write.latency_us,
        in_flight: device.in_flight,
    }
}

#[cfg(test)]
mod tests {
    use ioalign_core::watch_document::DeviceFigures;

    use super::*;
    use crate::live::{LiveDevice, LiveMoment, document};

    fn add(history: &mut LiveHistory, at_ms: u64, reads: f64) {
        let mut figures = DeviceFigures {
            name: "sda".to_owned(),
            ..DeviceFigures::default()
        };
        figures.iostat.read.ios = reads;
        let moment = LiveMoment {
            at_ms,
            seconds: 1.0,
            devices: vec![LiveDevice {
                figures,
                ..LiveDevice::default()
            }],
            ..LiveMoment::default()
        };
        history.add(&document(&moment));
    }

    #[test]
    fn the_past_is_bounded_and_has_its_idle_times() {
        let mut history = LiveHistory::default();
        for second in 0..1000 {
            add(
                &mut history,
                second * 1000,
                if second % 2 == 0 { 5.0 } else { 0.0 },
            );
        }
        let found: serde_json::Value = serde_json::from_str(&history.document("sda")).unwrap();
        let at = found["at_ms"].as_array().unwrap();
        assert_eq!((at.len(), &at[0]), (300, &700_000.into()));
        for (name, column) in found.as_object().unwrap() {
            assert_eq!(column.as_array().unwrap().len(), 300, "{name}");
        }
        assert_eq!(found["read_iops"][0], 5.0);
        assert_eq!(found["read_iops"][1], 0.0);
        assert!(found["read_latency_us"][1].is_null());
        for second in 1000..1400 {
            add(&mut history, second * 1000, 0.0);
        }
        assert!(history.devices.is_empty(), "idle for all of the time");
        let found: serde_json::Value = serde_json::from_str(&history.document("nothing")).unwrap();
        assert_eq!(found["read_iops"].as_array().unwrap().len(), 300);
    }
}
