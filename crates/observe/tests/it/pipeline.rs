//! Whole files through the pipeline: packed, of any length of line, out of order, without end.

use std::io::{Cursor, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use ioalign_observe::error::ObserveErrorKind;
use ioalign_observe::input;
use ioalign_observe::{TraceProgress, TraceSettings, TraceSummary, summarize};

use crate::samples;

fn file(folder: &Path, name: &str, bytes: &[u8]) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, bytes).unwrap();
    path
}

/// Without the word about the file in the profile.
fn read(bytes: &[u8]) -> TraceSummary {
    let folder = tempfile::TempDir::new().unwrap();
    let path = file(folder.path(), "trace", bytes);
    let mut found = summarize(
        &[path],
        &TraceSettings::default(),
        &TraceProgress::default(),
    )
    .unwrap();
    found.profile.files.clear();
    found
}

fn packed(tool: &str, bytes: &[u8]) -> Vec<u8> {
    let mut command = Command::new(tool);
    let child = command
        .arg("-c")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn();
    let mut child = child.unwrap_or_else(|error| panic!("{tool} is needed for this test: {error}"));
    let mut stdin = child.stdin.take().unwrap();
    std::thread::scope(|scope| {
        // By a thread: it writes before it has read everything.
        scope.spawn(move || stdin.write_all(bytes).unwrap());
        child.wait_with_output().unwrap().stdout
    })
}

#[test]
fn packed_traces_are_the_same() {
    let plain = read(samples::BLKPARSE.as_bytes());
    for (tool, name) in [
        ("gzip", "gzip"),
        ("zstd", "zstd"),
        ("xz", "xz"),
        ("bzip2", "bzip2"),
    ] {
        let bytes = packed(tool, samples::BLKPARSE.as_bytes());
        let found = read(&bytes);
        assert_eq!(found.profile, plain.profile, "{tool}");
        assert_eq!(found.files[0].compression, Some(name));
        // Two in a row, as log rotation and parallel packers make them.
        let two = read(&[&bytes[..], &bytes].concat());
        assert_eq!(two.profile.events, plain.profile.events * 2, "{tool}");
    }
}

/// pzstd writes a size before each frame, and seekable files end with a table.
#[test]
fn zstd_frames_to_be_skipped_are_skipped() {
    let plain = read(samples::BLKPARSE.as_bytes());
    let frame = packed("zstd", samples::BLKPARSE.as_bytes());
    let skipped = b"\x50\x2a\x4d\x18\x04\0\0\0\x28\xb5\x2f\xfd";
    let table = b"\x5e\x2a\x4d\x18\x03\0\0\0abc";
    let found = read(&[skipped, &frame[..], skipped, &frame, table].concat());
    assert_eq!(found.files[0].compression, Some("zstd"));
    assert_eq!(found.profile.events, plain.profile.events * 2);
    let folder = tempfile::TempDir::new().unwrap();
    let cut = file(folder.path(), "cut", &[&frame[..], &table[..10]].concat());
    let found = summarize(&[cut], &TraceSettings::default(), &TraceProgress::default());
    let profile = found.unwrap().into_profile();
    assert_eq!(profile.events, plain.profile.events);
    assert!(profile.files[0].cut_off.is_some());
}

/// As a plain file that is cut off: what is there is counted, and that it is cut is said.
#[test]
fn a_packed_trace_that_is_cut_off_is_read_to_its_end() {
    let folder = tempfile::TempDir::new().unwrap();
    // Not xz, whose decoder calls a cut stream corrupt.
    for tool in ["gzip", "zstd", "bzip2"] {
        // Rows that do not pack well: most of them are before the cut.
        let row = |n: u64| {
            let place = n.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 24;
            format!("3,W,{},4096,{}\n", place << 9, 1_577_808_000_000_000 + n)
        };
        let text: String = (0..100_000).map(row).collect();
        let bytes = packed(tool, text.as_bytes());
        let path = file(folder.path(), tool, &bytes[..bytes.len() * 9 / 10]);
        let found = summarize(
            &[path],
            &TraceSettings::default(),
            &TraceProgress::default(),
        );
        let profile = found.unwrap().into_profile();
        let cut = profile.files[0].cut_off.as_deref().unwrap();
        assert!(cut.contains("end before their end"), "{tool}: {cut}");
        // The decoder of zstd keeps its window, 2 MiB here, until the frame ends.
        let least = if tool == "zstd" { 20_000 } else { 50_000 };
        assert!(
            (least..95_000).contains(&profile.events),
            "{tool}: {}",
            profile.events
        );
    }
}

/// A quarter of a gigabyte without a line end between two good lines, never in memory at once.
#[test]
fn a_line_without_end() {
    let line = "8,16 1 1 0.1 5 D W 8 + 8 [fio]\n";
    let long = std::io::repeat(b'x').take(1 << 28);
    let all = Cursor::new(line)
        .chain(long)
        .chain(Cursor::new("\n"))
        .chain(Cursor::new(line));
    let input = input::of_reader(Box::new(all), Path::new("long")).unwrap();
    let mut chunker = input::chunks::Chunker::new(
        input.reader,
        ioalign_observe::formats::Framing::Lines,
        1 << 20,
    );
    let mut chunk = Vec::new();
    let mut kept = 0;
    while chunker.next(&mut chunk).unwrap() {
        kept += chunk.len();
        assert!(chunk.capacity() < 8 << 20, "{}", chunk.capacity());
    }
    assert!(kept < 4 << 20 && chunker.too_long > 1 << 27, "{kept}");
}

#[test]
fn time_going_backwards_is_put_in_order() {
    let row = |n: u64| format!("0,R,{},4096,{}\n", n * 4096, 1_000_000 - n);
    let text: String = (0..10_000).map(row).collect();
    let found = read(text.as_bytes()).profile;
    assert_eq!((found.events, found.duration_us), (10_000, 9_999));
}

#[test]
fn many_devices_are_counted_to_the_last() {
    let text: String = (0..100_000_u32)
        .map(|n| format!("{n},W,{n},512,{n}\n"))
        .collect();
    let found = read(text.as_bytes()).profile;
    let ios =
        |d: &ioalign_core::profile::DeviceProfile| d.by_op.values().map(|op| op.ios).sum::<u64>();
    assert_eq!(found.devices.iter().map(ios).sum::<u64>(), 100_000);
    assert!(found.devices.len() <= 4097, "{}", found.devices.len());
}

#[test]
fn a_binary_file_as_a_table_is_all_bad_rows() {
    let noise: Vec<u8> = (0..200_000_u32)
        .flat_map(|n| n.wrapping_mul(0x9e37_79b9).to_le_bytes())
        .collect();
    let folder = tempfile::TempDir::new().unwrap();
    let path = file(folder.path(), "noise", &noise);
    for name in [
        "msr", "alibaba", "systor17", "spc", "fiu", "mqsim", "ftrace", "perf", "blktrace", "vscsi2",
    ] {
        let settings = TraceSettings {
            format: Some(name.to_owned()),
            ..TraceSettings::default()
        };
        let found = summarize(
            std::slice::from_ref(&path),
            &settings,
            &TraceProgress::default(),
        )
        .unwrap();
        assert_eq!(found.profile.events, 0, "{name}");
        assert!(found.files[0].skipped.rows > 0, "{name}");
    }
    let found = summarize(
        &[path],
        &TraceSettings::default(),
        &TraceProgress::default(),
    );
    assert_eq!(
        found.map(|_| ()).unwrap_err().kind(),
        ObserveErrorKind::Malformed
    );
}

#[test]
fn an_unknown_name_lists_the_known() {
    let settings = TraceSettings {
        format: Some("blktrac".to_owned()),
        ..TraceSettings::default()
    };
    let folder = tempfile::TempDir::new().unwrap();
    let path = file(folder.path(), "trace", samples::MSR.as_bytes());
    let error = summarize(&[path], &settings, &TraceProgress::default()).unwrap_err();
    assert!(
        error.to_string().contains("blktrace, ftrace-blk, blkparse"),
        "{error}"
    );
}

/// A format that has no times says nothing about bursts, rates and what a monitor shows.
#[test]
fn a_trace_without_times_has_no_bursts() {
    let folder = tempfile::TempDir::new().unwrap();
    let path = file(folder.path(), "log", samples::IOLOG2.as_bytes());
    let found = summarize(
        &[path],
        &TraceSettings::default(),
        &TraceProgress::default(),
    );
    let profile = found.unwrap().into_profile();
    let device = &profile.devices[0];
    assert_eq!((profile.duration_us, device.bursts_total.count), (0, 0));
    assert!(device.bursts.is_empty() && device.samplers.is_empty());
    assert!(device.littles_law.is_none() && device.queue_depth.is_none());
    assert!(device.inter_arrival.is_empty());
    assert_eq!(device.by_op["write"].ios, 1);
}
