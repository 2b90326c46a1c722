//! A job as a file that fio takes.

use std::fmt::Write as _;
use std::path::Path;

use ioalign_core::workload::{Data, Pattern, SizeShare, Workload};

use super::super::LoadJob;
use super::{FioSettings, rate};

/// The targets for fio.
#[derive(Copy, Clone, Debug)]
pub struct FioTarget<'a> {
    /// The device or file, or several.
    pub files: &'a [&'a Path],
    /// Whether it is a folder, which fio fills by itself.
    pub folder: bool,
    /// How much of each is used, where the settings do not say: the size of a device.
    pub file_bytes: Option<u64>,
}

/// Options that change defaults of fio: random places are drawn independently, workers are threads, buffers are
/// not altered after they were filled, and latency includes sending.
const AS_HERE: &str = "norandommap\nthread\nscramble_buffers=0\nlat_percentiles=1\n\
    clat_percentiles=0\ntime_based\ngroup_reporting\n";
/// Files in a folder, as sysbench has them.
const FILES: u32 = 64;

/// The job file: `[global]`, and a section a step, one after the other.
pub fn emit(job: &LoadJob, target: &FioTarget<'_>, settings: &FioSettings) -> String {
    let mut out = format!("; {}\n[global]\n", job.name);
    global(&mut out, target, settings);
    let room = settings.size_bytes.or(target.file_bytes);
    for (step, name) in job.steps.iter().zip(names(&job.steps)) {
        let _ = write!(out, "\n[{name}]\nstonewall\n");
        section(&mut out, step, settings, room);
    }
    out
}

/// A name of its own for each section: with the workers and the depth where several have the same, and with its number
/// where that does not help.
fn names(steps: &[Workload]) -> Vec<String> {
    let plain = |step: &Workload| step.name.replace([']', '\n', ';', '#'], "_");
    let mut all: Vec<String> = Vec::new();
    for (number, step) in (1..).zip(steps) {
        let twins = steps.iter().filter(|other| plain(other) == plain(step));
        let name = match twins.count() {
            1 => plain(step),
            _ => format!("{}-{}x{}", plain(step), step.workers, step.queue_depth),
        };
        let taken = all.contains(&name) || name == "global" || name.trim().is_empty();
        all.push(if taken {
            format!("{name}-{number}")
        } else {
            name
        });
    }
    all
}

fn global(out: &mut String, target: &FioTarget<'_>, settings: &FioSettings) {
    let engine = if settings.sync { "psync" } else { "io_uring" };
    line(out, "ioengine", engine);
    line(out, "direct", u8::from(!settings.buffered));
    let names: Vec<_> = target.files.iter().map(|file| escaped(file)).collect();
    if target.folder {
        line(out, "directory", names.join(":"));
        line(out, "nrfiles", FILES);
        line(out, "file_service_type", "random");
    } else {
        line(out, "filename", names.join(":"));
    }
    if settings.buffered && !settings.cold {
        line(out, "invalidate", 0);
    }
    if let Some(size) = settings.size_bytes {
        // fio's size is that of all files together, ours that of each target.
        let targets = target.files.len().max(1) as u64;
        line(out, "size", size.saturating_mul(targets));
    } else if target.folder {
        line(out, "size", "1g");
    }
    if !settings.sync {
        out.push_str("fixedbufs\nregisterfiles\n");
    }
    for (key, set) in [
        ("hipri", settings.iopoll),
        ("sqthread_poll", settings.sqpoll),
    ] {
        if set {
            let _ = writeln!(out, "{key}");
        }
    }
    if let Some(seed) = settings.seed {
        line(out, "randseed", seed);
    }
    out.push_str(AS_HERE);
}

/// A colon separates names.
fn escaped(path: &Path) -> String {
    path.display().to_string().replace(':', "\\:")
}

fn section(out: &mut String, step: &Workload, settings: &FioSettings, room: Option<u64>) {
    line(out, "rw", direction(step));
    if step.read_ratio > 0.0 && step.read_ratio < 1.0 {
        line(out, "rwmixread", (step.read_ratio * 100.0).round());
    }
    if let Pattern::Zipf { theta } = step.pattern {
        line(out, "random_distribution", format!("zipf:{theta}"));
    }
    sizes(out, &step.sizes);
    if let Some(align) = step.align_bytes {
        line(out, "blockalign", align);
    }
    if step.offset_bytes > 0 {
        line(out, "offset", step.offset_bytes);
    }
    queue(out, step, settings);
    line(out, "numjobs", step.workers);
    if step.workers > 1 && step.pattern == Pattern::Sequential {
        line(out, "offset_increment", part(step, room));
    }
    if let Some(every) = step.fsync_every_writes {
        line(out, "fdatasync", every);
    }
    if step.atomic {
        line(out, "atomic", 1);
    }
    if let Some(rate) = step.rate_iops {
        line(out, "rate_iops", rate::written(rate, step));
    }
    for (key, ms) in [("ramp_time", step.ramp_ms), ("runtime", step.run_ms)] {
        if ms > 0 {
            line(out, key, format!("{ms}ms"));
        }
    }
    data(out, &step.data);
}

/// Each job begins in a part of its own, as each worker does: a whole number of blocks, or per cent where the size is
/// not known.
fn part(step: &Workload, room: Option<u64>) -> String {
    let workers = u64::from(step.workers.max(1));
    let unit = step.largest_bytes().max(1);
    let blocks = room.map(|bytes| bytes.saturating_sub(step.offset_bytes) / workers / unit);
    match blocks.filter(|blocks| *blocks > 0) {
        Some(blocks) => (blocks * unit).to_string(),
        None => format!("{}%", (100 / workers).max(1)),
    }
}

/// How many are in flight, and how many are taken and sent at once.
fn queue(out: &mut String, step: &Workload, settings: &FioSettings) {
    if settings.sync {
        return line(out, "iodepth", 1);
    }
    line(out, "iodepth", step.queue_depth);
    if step.queue_depth > 1 {
        line(out, "iodepth_batch", step.at_once());
        line(out, "iodepth_batch_complete_max", step.at_once());
    }
}

const fn direction(step: &Workload) -> &'static str {
    let (read, write) = (step.read_ratio >= 1.0, step.read_ratio <= 0.0);
    match (step.pattern, read, write) {
        (Pattern::Sequential, true, _) => "read",
        (Pattern::Sequential, _, true) => "write",
        (Pattern::Sequential, ..) => "rw",
        (_, true, _) => "randread",
        (_, _, true) => "randwrite",
        _ => "randrw",
    }
}

/// Shares of fio are whole per cents that add up to a hundred.
fn sizes(out: &mut String, sizes: &[SizeShare]) {
    if let [only] = sizes {
        return line(out, "bs", only.bytes);
    }
    let total: u64 = sizes.iter().map(|one| u64::from(one.weight)).sum();
    let mut left = 100;
    let mut parts = Vec::new();
    for (index, one) in sizes.iter().enumerate() {
        let last = index + 1 == sizes.len();
        let exact = (u64::from(one.weight) * 100 + total / 2) / total.max(1);
        let share = if last { left } else { exact.min(left) };
        left -= share;
        parts.push(format!("{}/{share}", one.bytes));
    }
    line(out, "bssplit", parts.join(":"));
}

fn data(out: &mut String, data: &Data) {
    let percent = |ratio: f64| (ratio * 100.0).round();
    if data.compressible_ratio > 0.0 {
        line(
            out,
            "buffer_compress_percentage",
            percent(data.compressible_ratio),
        );
        line(out, "buffer_compress_chunk", 4096);
        // Without a pattern fio fills with zeros, which arrays do not store.
        let pattern = data.pattern_hex.as_deref().unwrap_or("696f616c69676e20");
        line(out, "buffer_pattern", format!("0x{pattern}"));
    }
    if data.duplicate_ratio > 0.0 {
        line(out, "dedupe_percentage", percent(data.duplicate_ratio));
    }
    if data.refill {
        out.push_str("refill_buffers\n");
    }
}

fn line(out: &mut String, key: &str, value: impl std::fmt::Display) {
    let _ = writeln!(out, "{key}={value}");
}
