//! The kernel's own text of block events, for where BPF is not permitted and tracefs is.
//!
//! A tracing instance of our own leaves the settings of others alone.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use super::device::WatchedDevice;
use crate::error::{ObserveError, ObserveErrorKind, Result};

const ROOTS: [&str; 2] = ["/sys/kernel/tracing", "/sys/kernel/debug/tracing"];
/// Completions first: what is issued is then never missed when it completes.
const EVENTS: [&str; 3] = ["block_rq_complete", "block_rq_requeue", "block_rq_issue"];
/// Kilobytes a processor.
const BUFFER_KB: &str = "16384";

/// The offsets of the fields of the plain tracepoints in their records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TracepointPlaces([u32; 8]);

impl Default for TracepointPlaces {
    /// As Linux 6.18 has them.
    fn default() -> Self {
        Self([8, 16, 28, 34, 24, 34, 24, 34])
    }
}

impl TracepointPlaces {
    /// The name in the program.
    pub fn globals(&self) -> impl Iterator<Item = (&'static str, &u32)> {
        const NAMES: [&str; 8] = [
            "at_dev",
            "at_sector",
            "at_issue_bytes",
            "at_issue_rwbs",
            "at_sectors",
            "at_rwbs",
            "at_requeue_sectors",
            "at_requeue_rwbs",
        ];
        NAMES.into_iter().zip(&self.0)
    }
}

/// Reads where the fields are.
pub(super) fn places() -> Result<TracepointPlaces> {
    let root = root()?;
    let read = |event: &str| {
        let path = root.join("events/block").join(event).join("format");
        fs::read_to_string(&path).map_err(|error| {
            ObserveError::io("Cannot read the format of the event", error).in_file(&path)
        })
    };
    let (issue, complete) = (read("block_rq_issue")?, read("block_rq_complete")?);
    let requeue = read("block_rq_requeue")?;
    let all = [
        offset(&issue, "dev"),
        offset(&issue, "sector"),
        offset(&issue, "bytes"),
        offset(&issue, "rwbs"),
        offset(&complete, "nr_sector"),
        offset(&complete, "rwbs"),
        offset(&requeue, "nr_sector"),
        offset(&requeue, "rwbs"),
    ];
    let mut out = TracepointPlaces::default();
    for (slot, place) in out.0.iter_mut().zip(all) {
        *slot = place.ok_or_else(|| {
            ObserveError::new(ObserveErrorKind::Unsupported, "An event has other fields")
        })?;
    }
    Ok(out)
}

/// `field:dev_t dev; offset:8; size:4; signed:0;`, with tabs between.
fn offset(format: &str, field: &str) -> Option<u32> {
    let line = format.lines().find(|line| {
        let declared = line
            .trim()
            .strip_prefix("field:")
            .and_then(|rest| rest.split(';').next());
        let name = declared.and_then(|text| text.rsplit(' ').next());
        name.is_some_and(|name| name.split('[').next() == Some(field))
    })?;
    let (_, rest) = line.split_once("offset:")?;
    rest.split(';').next()?.trim().parse().ok()
}

fn root() -> Result<PathBuf> {
    let mounted = ROOTS
        .iter()
        .map(Path::new)
        .find(|root| root.join("events/block").is_dir());
    let what =
        "tracefs is not mounted (mount -t tracefs tracefs /sys/kernel/tracing), or not permitted";
    mounted
        .map(Path::to_path_buf)
        .ok_or_else(|| ObserveError::new(ObserveErrorKind::Unsupported, what))
}

/// Events of some devices on their way, as text. It ends when this is dropped.
pub struct TracefsSession {
    folder: PathBuf,
    pipe: File,
}

impl TracefsSession {
    /// Begins to trace.
    pub fn start(devices: &[WatchedDevice]) -> Result<Self> {
        let folder = root()?
            .join("instances")
            .join(format!("ioalign-{}", std::process::id()));
        fs::create_dir(&folder).map_err(|error| {
            ObserveError::io("Cannot make a tracing instance", error).in_file(&folder)
        })?;
        let made = Self::prepared(&folder, devices);
        if made.is_err() {
            let _ = fs::remove_dir(&folder);
        }
        made
    }

    fn prepared(folder: &Path, devices: &[WatchedDevice]) -> Result<Self> {
        // A smaller buffer than wanted is no reason to give up.
        let _ = fs::write(folder.join("buffer_size_kb"), BUFFER_KB);
        write_tracefs(&folder.join("trace_clock"), "mono")?;
        let filter: Vec<_> = devices
            .iter()
            .map(|device| format!("dev == {}", device.dev()))
            .collect();
        for event in EVENTS {
            let event = folder.join("events/block").join(event);
            if !filter.is_empty() {
                write_tracefs(&event.join("filter"), &filter.join(" || "))?;
            }
            write_tracefs(&event.join("enable"), "1")?;
        }
        let path = folder.join("trace_pipe");
        let flags = rustix::fs::OFlags::RDONLY | rustix::fs::OFlags::NONBLOCK;
        let pipe = rustix::fs::open(&path, flags, rustix::fs::Mode::empty())
            .map_err(|error| ObserveError::io("Cannot open", error.into()).in_file(&path))?;
        Ok(Self {
            folder: folder.to_owned(),
            pipe: pipe.into(),
        })
    }

    /// Writes what has come since the last time; how many bytes that was.
    pub fn pump(&mut self, out: &mut impl Write) -> std::io::Result<u64> {
        let mut buffer = vec![0; 1 << 16];
        let mut all = 0;
        loop {
            match self.pipe.read(&mut buffer) {
                Ok(0) => return Ok(all),
                Ok(count) => {
                    out.write_all(buffer.get(..count).unwrap_or_default())?;
                    all += count as u64;
                }
                Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => return Ok(all),
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Stops tracing; what is in the buffers stays to be pumped.
    pub fn stop(&self) {
        let _ = fs::write(self.folder.join("tracing_on"), "0");
    }

    /// Events that the kernel's buffers had no room for.
    pub fn lost(&self) -> u64 {
        let folders = fs::read_dir(self.folder.join("per_cpu"))
            .into_iter()
            .flatten()
            .flatten();
        let texts = folders.filter_map(|cpu| fs::read_to_string(cpu.path().join("stats")).ok());
        texts.map(|text| lost(&text)).sum()
    }
}

/// `overrun: 0`, `commit overrun: 0` and `dropped events: 0`.
fn lost(stats: &str) -> u64 {
    let figures = stats.lines().filter_map(|line| {
        let (name, value) = line.split_once(": ")?;
        ["overrun", "commit overrun", "dropped events"]
            .contains(&name)
            .then(|| value.trim().parse::<u64>().ok())?
    });
    figures.sum()
}

impl Drop for TracefsSession {
    fn drop(&mut self) {
        for event in EVENTS {
            let _ = fs::write(
                self.folder.join("events/block").join(event).join("enable"),
                "0",
            );
        }
        // The pipe keeps the instance busy until it is closed.
        if let Ok(null) = File::open("/dev/null") {
            self.pipe = null;
        }
        let _ = fs::remove_dir(&self.folder);
    }
}

fn write_tracefs(path: &Path, text: &str) -> Result<()> {
    fs::write(path, text).map_err(|error| ObserveError::io("Cannot write", error).in_file(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_found_in_a_format() {
        let format = "name: block_rq_issue\nID: 1\nformat:\n\
            \tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n\
            \tfield:dev_t dev;\toffset:8;\tsize:4;\tsigned:0;\n\
            \tfield:char rwbs[8];\toffset:32;\tsize:8;\tsigned:0;\n";
        assert_eq!(offset(format, "dev"), Some(8));
        assert_eq!(offset(format, "rwbs"), Some(32));
        assert_eq!(offset(format, "sector"), None);
    }

    #[test]
    fn every_kind_of_loss_counts() {
        let stats = "entries: 9\noverrun: 2\ncommit overrun: 1\nbytes: 9\ndropped events: 4\n";
        assert_eq!(lost(stats), 7);
    }
}
