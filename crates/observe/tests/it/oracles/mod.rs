//! The tools that write and read these formats, against what we read.

mod blkparse;
mod fio;
mod kernel;
mod replay;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use ioalign_core::profile::Profile;
use ioalign_observe::{TraceProgress, TraceSettings, summarize};

/// Standard output of a tool that must be there and succeed.
pub fn run(command: &mut Command) -> String {
    let output = command.output();
    let output =
        output.unwrap_or_else(|error| panic!("{command:?} is needed for this test: {error}"));
    assert!(
        output.status.success(),
        "{command:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// The profile of traces, without the word about their files.
pub fn profile(files: &[PathBuf], settings: &TraceSettings) -> Profile {
    let summary = summarize(files, settings, &TraceProgress::default()).unwrap();
    for file in &summary.files {
        assert_eq!(file.skipped.first, [], "{}", file.path.display());
    }
    Profile {
        files: Vec::new(),
        ..summary.profile
    }
}

/// I/Os and bytes by operation, on one device or on all.
pub fn totals(profile: &Profile, device: Option<&str>) -> BTreeMap<String, (u64, u64)> {
    let mut totals = BTreeMap::new();
    let wanted = |name: &str| device.is_none_or(|device| device == name);
    for device in profile.devices.iter().filter(|d| wanted(&d.device)) {
        for (op, counts) in &device.by_op {
            let total = totals.entry(op.clone()).or_insert((0, 0));
            *total = (total.0 + counts.ios, total.1 + counts.bytes);
        }
    }
    totals.retain(|_, (ios, _)| *ios > 0);
    totals
}

/// The totals that fio's JSON report has for its first job.
pub fn totals_of_fio(report: &Path) -> BTreeMap<String, (u64, u64)> {
    let text = std::fs::read_to_string(report).unwrap();
    // fio writes notes before the report.
    let start = text.find('{').unwrap();
    let report: serde_json::Value = serde_json::from_str(&text[start..]).unwrap();
    let job = &report["jobs"][0];
    let ops = [("read", "read"), ("write", "write"), ("trim", "discard")];
    let total = |(fio, ours): (&str, &str)| {
        let number = |field: &str| job[fio][field].as_u64().unwrap();
        (ours.to_owned(), (number("total_ios"), number("io_bytes")))
    };
    let mut totals: BTreeMap<_, _> = ops.into_iter().map(total).collect();
    totals.retain(|_, (ios, _)| *ios > 0);
    totals
}
