//! The I/O of the last second: `ioalign.live/1`, an event every second.
//!
//! Devices without I/O are left out: a page shows nothing for them, and the document of a large machine stays small.

use axum::body::Bytes;
use ioalign_core::units::ratio;
use ioalign_core::watch_document::{DeviceFigures, IostatColumn, WatchedOp};
use serde::Serialize;

/// The name of the JSON form.
pub const SCHEMA: &str = "ioalign.live/1";
/// Processes of a device.
const PROCESSES: usize = 5;

/// An interval, as it was counted.
#[derive(Clone, Debug, Default)]
pub struct LiveMoment {
    /// Number of the interval since the server began.
    pub number: u64,
    /// Its end, in milliseconds since 1970 UTC.
    pub at_ms: u64,
    /// How long it was, in seconds.
    pub seconds: f64,
    /// Why events are not counted; `None`: they are.
    pub why_not: Option<String>,
    /// The devices, and partitions for which only the kernel's own sums are known.
    pub devices: Vec<LiveDevice>,
}

/// A device in an interval.
#[derive(Clone, Debug, Default)]
pub struct LiveDevice {
    /// Driver and device, where they are known.
    pub number: Option<(u32, u32)>,
    /// Its I/Os were counted one by one; else there is only `iostat`.
    pub is_counted: bool,
    /// The counters of the interval.
    pub figures: DeviceFigures,
}

/// The document.
#[derive(Serialize)]
pub(crate) struct LiveDocument<'a> {
    schema: &'static str,
    number: u64,
    pub(crate) at_ms: u64,
    interval_us: u64,
    why_not: Option<&'a str>,
    pub(crate) devices: Vec<LiveDeviceJson<'a>>,
}

#[derive(Serialize)]
pub(crate) struct LiveDeviceJson<'a> {
    pub(crate) name: &'a str,
    number: Option<String>,
    counted: bool,
    pub(crate) read: LiveOpJson,
    pub(crate) write: LiveOpJson,
    pub(crate) in_flight: f64,
    busy_ratio: f64,
    off_4096_ratio: Option<f64>,
    read_modify_write: bool,
    grids: Vec<LiveGridJson<'a>>,
    processes: Vec<LiveProcessJson<'a>>,
}

/// One direction. The latency is from issue to completion where I/Os are counted, else `await` of iostat.
#[derive(Default, Serialize)]
pub(crate) struct LiveOpJson {
    pub(crate) iops: f64,
    pub(crate) bytes_per_s: f64,
    pub(crate) latency_us: Option<f64>,
    p99_us: Option<f64>,
}

#[derive(Serialize)]
struct LiveGridJson<'a> {
    kind: &'a str,
    size_bytes: u64,
    phase_bytes: u64,
    off_ratio: f64,
    crossing_per_s: f64,
    crossing_ratio: f64,
}

#[derive(Serialize)]
struct LiveProcessJson<'a> {
    pid: u32,
    name: &'a str,
    op: &'a str,
    iops: f64,
    bytes_per_s: f64,
    off_4096_ratio: f64,
}

pub(crate) fn document(moment: &LiveMoment) -> LiveDocument<'_> {
    let seconds = moment.seconds.max(1e-6);
    let busy = moment.devices.iter();
    let busy = busy.filter(|device| has_io(&device.figures));
    LiveDocument {
        schema: SCHEMA,
        number: moment.number,
        at_ms: moment.at_ms,
        interval_us: micros(seconds),
        why_not: moment.why_not.as_deref(),
        devices: busy.map(|device| of(device, seconds)).collect(),
    }
}

/// The same as an event of a stream.
pub(crate) fn event(document: &LiveDocument) -> Bytes {
    // Cannot fail: every key is a string, and memory takes all.
    let text = serde_json::to_string(document).unwrap_or_default();
    Bytes::from(format!("id: {}\ndata: {text}\n\n", document.number))
}

fn has_io(figures: &DeviceFigures) -> bool {
    let iostat = &figures.iostat;
    figures.ios > 0 || iostat.read.ios > 0.0 || iostat.write.ios > 0.0 || iostat.in_flight > 0
}

// A time of an interval, in whole microseconds.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn micros(seconds: f64) -> u64 {
    (seconds * 1e6) as u64
}

fn of(device: &LiveDevice, seconds: f64) -> LiveDeviceJson<'_> {
    let figures = &device.figures;
    let iostat = &figures.iostat;
    let number = device.number;
    let mut out = LiveDeviceJson {
        name: &figures.name,
        number: number.map(|(major, minor)| format!("{major}:{minor}")),
        counted: device.is_counted,
        read: by_iostat(&iostat.read),
        write: by_iostat(&iostat.write),
        in_flight: iostat.queue,
        busy_ratio: iostat.busy,
        off_4096_ratio: None,
        read_modify_write: figures
            .read_before_overwrite
            .is_some_and(|found| found.seen),
        grids: Vec::new(),
        processes: Vec::new(),
    };
    if !device.is_counted {
        return out;
    }
    let op = |name: &str| figures.ops.iter().find(|op| op.name == name);
    out.read = op("read")
        .map(|op| counted(op, seconds))
        .unwrap_or_default();
    out.write = op("write")
        .map(|op| counted(op, seconds))
        .unwrap_or_default();
    out.in_flight = figures.ops.iter().map(|op| op.in_flight_s).sum::<f64>() / seconds;
    out.off_4096_ratio = off_4096(&figures.ops);
    out.grids = grids(&figures.ops, seconds);
    out.processes = processes(figures, seconds);
    out
}

fn by_iostat(column: &IostatColumn) -> LiveOpJson {
    LiveOpJson {
        iops: column.ios,
        bytes_per_s: column.megabytes * 1e6,
        latency_us: (column.ios > 0.0).then_some(column.await_ms * 1e3),
        p99_us: None,
    }
}

fn counted(op: &WatchedOp, seconds: f64) -> LiveOpJson {
    let latency = op.counted.latency_us;
    LiveOpJson {
        iops: ratio(op.counted.ios, 1) / seconds,
        bytes_per_s: ratio(op.counted.bytes, 1) / seconds,
        latency_us: latency.map(|latency| latency.mean),
        p99_us: latency.map(|latency| latency.p99),
    }
}

fn off_4096(ops: &[WatchedOp]) -> Option<f64> {
    let sectors = ops.iter().map(|op| op.counted.start_mod_4096);
    let (mut all, mut on) = (0_u64, 0_u64);
    for sectors in sectors {
        all += sectors.iter().sum::<u64>();
        on += sectors.first().copied().unwrap_or(0);
    }
    (all > 0).then(|| ratio(all - on.min(all), all))
}

/// The boundaries of a device, reads and writes together.
fn grids(ops: &[WatchedOp], seconds: f64) -> Vec<LiveGridJson<'_>> {
    let mut out: Vec<(LiveGridJson, u64, u64, u64)> = Vec::new();
    for op in ops.iter().filter(|op| op.counted.ios > 0) {
        for grid in &op.grids {
            let place = (grid.size_bytes, grid.phase_bytes);
            let there = out
                .iter_mut()
                .find(|(one, ..)| (one.size_bytes, one.phase_bytes) == place);
            if let Some((_, ios, off, crossing)) = there {
                *ios += op.counted.ios;
                *off += grid.start_off_grid;
                *crossing += grid.straddling;
                continue;
            }
            let one = LiveGridJson {
                kind: &grid.kind,
                size_bytes: grid.size_bytes,
                phase_bytes: grid.phase_bytes,
                off_ratio: 0.0,
                crossing_per_s: 0.0,
                crossing_ratio: 0.0,
            };
            out.push((one, op.counted.ios, grid.start_off_grid, grid.straddling));
        }
    }
    let done = out
        .into_iter()
        .map(|(one, ios, off, crossing)| LiveGridJson {
            off_ratio: ratio(off, ios.max(1)),
            crossing_per_s: ratio(crossing, 1) / seconds,
            crossing_ratio: ratio(crossing, ios.max(1)),
            ..one
        });
    done.collect()
}

fn processes(figures: &DeviceFigures, seconds: f64) -> Vec<LiveProcessJson<'_>> {
    let top = figures.processes.iter().filter(|one| one.ios > 0);
    let top = top.take(PROCESSES).map(|one| {
        let starts = &one.start_pow2_histogram;
        let on: u64 = starts.iter().skip(12).sum();
        LiveProcessJson {
            pid: one.pid,
            name: &one.name,
            op: &one.op,
            iops: ratio(one.ios, 1) / seconds,
            bytes_per_s: ratio(one.bytes, 1) / seconds,
            off_4096_ratio: ratio(one.ios.saturating_sub(on), one.ios.max(1)),
        }
    });
    top.collect()
}

#[cfg(test)]
mod tests {
    use ioalign_core::profile::{GridProfile, ProcessProfile};

    use super::*;

    fn op(name: &'static str, ios: u64, crossing: u64) -> WatchedOp {
        let grid = GridProfile {
            kind: "physical-block".to_owned(),
            size_bytes: 4096,
            straddling: crossing,
            start_off_grid: crossing,
            ..GridProfile::default()
        };
        let mut op = WatchedOp {
            name,
            grids: vec![grid],
            in_flight_s: 1.0,
            ..WatchedOp::default()
        };
        (op.counted.ios, op.counted.bytes) = (ios, ios * 4096);
        op.counted.start_mod_4096 = [ios - crossing, crossing, 0, 0, 0, 0, 0, 0];
        op
    }

    fn moment() -> LiveMoment {
        let figures = DeviceFigures {
            name: "sda".to_owned(),
            ios: 300,
            ops: vec![op("read", 100, 10), op("write", 200, 50)],
            ..DeviceFigures::default()
        };
        let busy = LiveDevice {
            number: Some((8, 0)),
            is_counted: true,
            figures,
        };
        LiveMoment {
            number: 7,
            seconds: 2.0,
            devices: vec![busy, LiveDevice::default()],
            ..LiveMoment::default()
        }
    }

    #[test]
    fn rates_are_those_of_the_interval() {
        let moment = moment();
        let event = event(&document(&moment));
        let text = std::str::from_utf8(&event).unwrap();
        let data = text.strip_prefix("id: 7\ndata: ").unwrap();
        let found: serde_json::Value = serde_json::from_str(data.trim_end()).unwrap();
        let devices = found["devices"].as_array().unwrap();
        assert_eq!(devices.len(), 1, "idle devices are left out");
        let sda = &devices[0];
        assert_eq!(sda["number"], "8:0");
        assert_eq!(sda["read"]["iops"], 50.0);
        assert_eq!(sda["write"]["bytes_per_s"], 409_600.0);
        assert_eq!(sda["in_flight"], 1.0);
        assert_eq!(sda["off_4096_ratio"], 0.2);
        assert_eq!(sda["grids"].as_array().unwrap().len(), 1);
        assert_eq!(sda["grids"][0]["crossing_per_s"], 30.0);
        assert_eq!(sda["grids"][0]["crossing_ratio"], 0.2);
    }

    #[test]
    fn what_did_nothing_in_the_interval_has_no_row() {
        let mut moment = moment();
        let figures = &mut moment.devices[0].figures;
        let mut idle = op("discard", 0, 0);
        idle.grids[0].size_bytes = 65536;
        figures.ops.push(idle);
        let process = |name: &str, ios| ProcessProfile {
            name: name.to_owned(),
            ios,
            ..ProcessProfile::default()
        };
        figures.processes = vec![process("idle", 0), process("busy", 9)];
        let document = document(&moment);
        let device = &document.devices[0];
        let sizes: Vec<_> = device.grids.iter().map(|grid| grid.size_bytes).collect();
        assert_eq!(sizes, [4096]);
        let names: Vec<_> = device.processes.iter().map(|one| one.name).collect();
        assert_eq!(names, ["busy"]);
    }

    #[test]
    fn without_events_the_sums_of_the_kernel_are_shown() {
        let mut moment = moment();
        let device = &mut moment.devices[0];
        device.is_counted = false;
        device.figures.iostat.read = IostatColumn {
            ios: 12.0,
            megabytes: 1.5,
            await_ms: 0.25,
            ..IostatColumn::default()
        };
        let document = document(&moment);
        let read = &document.devices[0].read;
        assert_eq!((read.iops, read.latency_us), (12.0, Some(250.0)));
        assert_eq!(document.devices[0].write.latency_us, None);
        assert!(document.devices[0].grids.is_empty());
    }
}
