//! A finished cell: the numbers that are kept of it.

use ioalign_core::lab_document::{LabCell, LabDiscard, LabDisk, LabIostat};
use ioalign_core::units::ratio;
use serde_json::Value;

use super::{DeviceWaits, GuestParts};
use crate::error::{LabError, Result, Tried};

/// The numbers of one load, from what a guest sent; its names and what `check` predicts of it are missing. `op`: what
/// counts. `grid`: bytes between boundaries, and the first one.
///
/// # Errors
///
/// A document is missing, or says something else than it should.
pub fn measured(parts: &GuestParts, op: &str, grid: Option<(u64, u64)>) -> Result<LabCell> {
    let missing = |name: &str| LabError::new(format!("the guest sent no document `{name}`"));
    let load = parts.document("load").ok_or_else(|| missing("load"))?;
    let profile = parts.document("watch").ok_or_else(|| missing("watch"))?;
    let mut cell = rates(load, op).tried(|| format!("the load says nothing of a {op}"))?;
    let below = parts.waits.as_ref().map(|waits| waits.device.as_str());
    let devices = profile["devices"].as_array().map_or(&[][..], Vec::as_slice);
    let (others, loaded): (Vec<_>, Vec<_>) = devices
        .iter()
        .partition(|device| below.is_some() && device["device"].as_str() == below);
    let device = loaded.first().copied().unwrap_or(&Value::Null);
    cell.iostat = parts.waits.as_ref().map(|waits| {
        let seen = others.first().copied().unwrap_or(&Value::Null);
        iostat(waits, seen)
    });
    let of = |op: &str| device["by_op"][op]["ios"].as_u64().unwrap_or(0);
    cell.ios = of("read") + of("write");
    cell.dropped = profile["dropped"].as_u64().unwrap_or(0);
    let extra = grid.and_then(|grid| extra_cells(device, op, grid));
    cell.watched_straddle_ratio = extra.map(|extra| ratio(extra, of(op).max(1)));
    cell.disks = disks(parts);
    let all = cell.disks.iter().map(|disk| disk.reads + disk.writes).sum();
    cell.disk_ios_per_io = ratio(all, cell.ios.max(1));
    if let Some(model) = parts.document("model") {
        let arm = &model["arms"][0];
        cell.simulated_disk_ios_per_io = arm["disk_ios_per_io"].as_f64();
        cell.simulated_iops = arm["iops"].as_f64();
    }
    Ok(cell)
}

/// Rates of a document of `measure run`, of fio, or of the guest's own.
fn rates(load: &Value, op: &str) -> Option<LabCell> {
    if let Some(rate) = load["rate"].as_f64() {
        let discard = |bytes: u64| LabDiscard {
            bytes,
            released_bytes: load["released_bytes"].as_u64().unwrap_or(0),
            predicted_ratio: None,
        };
        return Some(LabCell {
            iops: rate,
            latency_mean_us: load["mean_us"].as_f64(),
            latency_p99_us: load["p99_us"].as_f64(),
            discard: load["discarded_bytes"].as_u64().map(discard),
            ..LabCell::default()
        });
    }
    if load["schema"].is_string() {
        let sent = &load["steps"][0]["by_op"][op];
        let latency = &sent["latency_us"];
        let percentiles = latency["percentiles"].as_array().into_iter().flatten();
        let mut p99 = percentiles.filter(|one| one["percent"].as_f64() == Some(99.0));
        return Some(LabCell {
            iops: sent["iops"].as_f64()?,
            bytes_per_s: sent["bytes_per_s"].as_f64(),
            latency_mean_us: latency["mean"].as_f64(),
            latency_p99_us: p99.next().and_then(|one| one["us"].as_f64()),
            ..LabCell::default()
        });
    }
    if load["jobs"].is_array() {
        let sent = &load["jobs"][0][op];
        let us = |value: &Value| value.as_f64().map(|ns| ns / 1e3);
        return Some(LabCell {
            iops: sent["iops"].as_f64()?,
            bytes_per_s: sent["bw_bytes"].as_f64(),
            latency_mean_us: us(&sent["lat_ns"]["mean"]),
            latency_p99_us: us(&sent["clat_ns"]["percentile"]["99.000000"]),
            ..LabCell::default()
        });
    }
    None
}

/// Both views of a device.
fn iostat(waits: &DeviceWaits, seen: &Value) -> LabIostat {
    let each = |n: usize| {
        let (ios, ms) = (*waits.ios.get(n)?, *waits.ms.get(n)?);
        (ios > 0).then(|| ratio(ms * 1000, ios))
    };
    let mean = |op: &str| seen["by_op"][op]["latency_us"]["mean"].as_f64();
    let found = &seen["read_before_overwrite"];
    let count = |key: &str| found[key].as_u64().unwrap_or(0);
    LabIostat {
        device: waits.device.clone(),
        r_await_us: each(0),
        w_await_us: each(1),
        read_us: mean("read"),
        write_us: mean("write"),
        small_reads: count("small_reads"),
        large_writes: count("large_writes"),
        read_modify_write: found["seen"] == true,
    }
}

fn extra_cells(device: &Value, op: &str, (size, phase): (u64, u64)) -> Option<u64> {
    let grids = device["grids"].as_array()?.iter();
    let mut grids = grids.filter(|grid| {
        grid["op"] == op && grid["size_bytes"] == size && grid["phase_bytes"] == phase
    });
    let grid = grids.next()?;
    let touched = grid["cells_touched"].as_u64()?;
    touched.checked_sub(grid["cells_minimum"].as_u64()?)
}

fn disks(parts: &GuestParts) -> Vec<LabDisk> {
    let both = parts.before.iter().zip(&parts.after);
    let disks = both.map(|(before, after)| LabDisk {
        name: after.name.clone(),
        reads: after.reads.saturating_sub(before.reads),
        writes: after.writes.saturating_sub(before.writes),
    });
    disks.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::result::GuestReader;

    const LOAD: &str = r#"{"schema":"ioalign.load/1","steps":[{"by_op":{"read":{"iops":600.5,"bytes_per_s":1.0,"latency_us":{"mean":13000.0,"percentiles":[{"percent":50.0,"us":9.0},{"percent":99.0,"us":20000.0}]}}}}]}"#;
    const WATCH: &str = r#"{"dropped":0,"devices":[{"by_op":{"read":{"ios":4000}},"grids":[{"op":"read","size_bytes":65536,"phase_bytes":0,"cells_touched":5000,"cells_minimum":4000}]}]}"#;

    fn record(load: &str, op: &str) -> Result<LabCell> {
        let mut reader = GuestReader::default();
        reader.line(&format!("@@json c load {load}")).unwrap();
        reader.line(&format!("@@json c watch {WATCH}")).unwrap();
        reader.line("@@disk c before nullb0 10 0 0 0").unwrap();
        reader.line("@@disk c after nullb0 5010 0 0 0").unwrap();
        let (_, parts) = reader.line("@@done c").unwrap().unwrap();
        measured(&parts, op, Some((65536, 0)))
    }

    #[test]
    fn loads_and_counts_are_read() {
        let found = record(LOAD, "read").unwrap();
        assert_eq!(found.iops, 600.5);
        assert_eq!(found.latency_p99_us, Some(20000.0));
        assert_eq!(found.watched_straddle_ratio, Some(0.25));
        assert_eq!(found.disk_ios_per_io, 1.25);
        let fio = r#"{"jobs":[{"read":{"iops":70,"bw_bytes":9,"lat_ns":{"mean":5000},"clat_ns":{"percentile":{"99.000000":8000}}}}]}"#;
        assert_eq!(record(fio, "read").unwrap().latency_p99_us, Some(8.0));
    }

    #[test]
    fn the_device_below_is_not_the_loaded_one() {
        let watch = r#"{"devices":[{"device":"loop0","by_op":{"write":{"ios":9}}},{"device":"md0","by_op":{"write":{"ios":90,"latency_us":{"mean":70.0}}},"read_before_overwrite":{"small_reads":8,"large_writes":9,"seen":true}}]}"#;
        let mut reader = GuestReader::default();
        let lines = [
            r#"@@json c load {"rate": 5.5, "discarded_bytes": 100, "released_bytes": 90}"#,
            &format!("@@json c watch {watch}"),
            "@@iostat c md0 0 0 0 0 0 50 0 100",
        ];
        for line in lines {
            reader.line(line).unwrap();
        }
        let (_, parts) = reader.line("@@done c").unwrap().unwrap();
        let found = measured(&parts, "write", None).unwrap();
        assert_eq!((found.iops, found.ios), (5.5, 9));
        assert_eq!(found.discard.unwrap().ratio(), 0.9);
        let iostat = found.iostat.unwrap();
        assert_eq!((iostat.r_await_us, iostat.w_await_us), (None, Some(2000.0)));
        assert_eq!(iostat.write_us, Some(70.0));
        assert!(iostat.read_modify_write);
    }

    #[test]
    fn a_load_without_the_operation_is_an_error() {
        let text = record(LOAD, "write").unwrap_err().to_string();
        assert!(text.contains("write"), "{text}");
    }
}
