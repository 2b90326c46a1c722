//! Loop devices and small file systems in trouble.

use std::fs::File;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Duration;

use ioalign_core::workload::{Pattern, Workload};
use ioalign_measure::engine::{ArmPlace, Bench, CellSpec, EngineOptions};
use ioalign_measure::experiment::ExperimentSubject;
use ioalign_measure::load::LoadReport;
use ioalign_measure::{ErrorKind, load};
use ioalign_testkit::run::{text, tool};
use ioalign_testkit::{Loop, MountGuard};

use crate::scratch::{MIB, device, options, run, scratch, workload};

fn image(folder: &Path, bytes: u64) -> PathBuf {
    let path = folder.join("disk.img");
    File::create(&path).unwrap().set_len(bytes).unwrap();
    path
}

#[test]
fn a_device_that_vanishes_leaves_a_partial_report() {
    needs!(Root);
    let folder = tempfile::tempdir().unwrap();
    let path = image(folder.path(), 64 * MIB);
    let disk = Loop::new(&path, &[]);
    for (read_ratio, words) in [
        (1.0, "a read of 4 KiB at byte"),
        (0.0, "a write of 4 KiB at byte"),
    ] {
        File::options()
            .write(true)
            .open(&path)
            .unwrap()
            .set_len(64 * MIB)
            .unwrap();
        disk.resize();
        let target = device(disk.path(), true);
        let mut pulled = false;
        let load = workload(read_ratio, 60_000);
        let report = load::run(&[target], &load, &options(), None, &mut |snapshot| {
            if !pulled && snapshot.elapsed > Duration::from_millis(200) {
                // As a disk that is pulled: nothing is left of it.
                File::options()
                    .write(true)
                    .open(&path)
                    .unwrap()
                    .set_len(0)
                    .unwrap();
                disk.resize();
                pulled = true;
            }
            ControlFlow::Continue(())
        });
        let report = report.unwrap();
        assert!(report.ios() > 0 && report.errors > 0, "{report:?}");
        let why = report.partial.unwrap();
        assert!(
            why.starts_with(&format!("{}: {words}", text(disk.path()))),
            "{why}"
        );
        assert!(why.contains("; "), "what to do next: {why}");
    }
}

#[test]
fn an_error_of_the_device_is_named() {
    needs!(Root);
    let folder = tempfile::tempdir().unwrap();
    let path = image(folder.path(), 64 * MIB);
    let disk = Loop::new(&path, &[]);
    // The device keeps its size, its second half cannot be read.
    File::options()
        .write(true)
        .open(&path)
        .unwrap()
        .set_len(32 * MIB)
        .unwrap();
    let walk = Workload {
        pattern: Pattern::Random,
        ..workload(1.0, 60_000)
    };
    let said = match run(&[device(disk.path(), false)], &walk) {
        Ok(report) => report.partial.unwrap(),
        Err(error) => error.to_string(),
    };
    assert!(said.contains("Input/output error"), "{said}");
    assert!(
        said.contains("a read of 4 KiB at byte") && said.contains("kernel's log"),
        "{said}"
    );

    let arm = ArmPlace {
        target: device(disk.path(), false),
        offset_bytes: 48 * MIB,
    };
    let cell = CellSpec {
        block_bytes: 4096,
        read_ratio: 1.0,
        pattern: Pattern::Random,
        queue_depth: 4,
        workers: 2,
    };
    let mut bench = Bench::new(&[arm], &cell, &EngineOptions::default()).unwrap();
    let error = bench.batch(0).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Device);
    assert!(error.to_string().contains("Input/output error"), "{error}");
    let error = bench.saturate(0, Duration::from_millis(50)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Device);
}

#[test]
fn a_file_system_that_fills_up_is_named() {
    needs!(Root);
    let folder = tempfile::tempdir().unwrap();
    let small = MountGuard::new(
        &["-t", "tmpfs", "-o", "size=4m", "none"],
        &folder.path().join("small"),
    );
    let path = image(small.path(), 64 * MIB);
    // A file with holes, written to where there is no room.
    let said = match run(&[device(&path, true)], &workload(0.0, 60_000)) {
        Ok(report) => report.partial.unwrap(),
        Err(error) => error.to_string(),
    };
    assert!(said.contains("No space left on device"), "{said}");
    assert!(
        said.contains("a write of 4 KiB at byte") && said.contains("is full"),
        "{said}"
    );
}

#[test]
fn a_device_that_hangs_is_given_up() {
    needs!(Root);
    let report = hung(60_000, Duration::from_secs(1));
    let why = report.partial.unwrap();
    assert!(
        why.contains("no I/O completed for 1 s: the device hangs"),
        "{why}"
    );
}

/// Half a second was asked for and counts; the wait for what hung is no part of it.
#[test]
fn the_time_of_a_hang_is_told_beside_the_time_that_counts() {
    needs!(Root);
    let report = hung(500, Duration::from_secs(3));
    assert!(report.partial.unwrap().contains("the device hangs"));
    let note = report.notes.iter().find(|note| note.contains("it took"));
    assert!(note.unwrap().contains("nothing completed"), "{note:?}");
}

/// Writes for so long, on a file system that freezes after 200 ms.
fn hung(run_ms: u64, stall: Duration) -> LoadReport {
    let folder = tempfile::tempdir().unwrap();
    let path = image(folder.path(), 64 * MIB);
    tool("mkfs.ext4", &["-q", text(&path)]);
    let disk = Loop::new(&path, &[]);
    let mount = MountGuard::new(&[text(disk.path())], &folder.path().join("mnt"));
    let target = scratch(&mount.path().join("data"), 8 * MIB, true, true);
    let patience = EngineOptions { stall, ..options() };
    let mut frozen = false;
    let report = load::run(
        &[target],
        &workload(0.0, run_ms),
        &patience,
        None,
        &mut |snapshot| {
            if !frozen && snapshot.elapsed > Duration::from_millis(200) {
                tool("fsfreeze", &["--freeze", text(mount.path())]);
                frozen = true;
            }
            ControlFlow::Continue(())
        },
    );
    tool("fsfreeze", &["--unfreeze", text(mount.path())]);
    report.unwrap()
}

/// The kernel closes rings at its leisure; what they held is free all the same.
#[test]
fn what_was_measured_is_free_at_once() {
    needs!(Root);
    let folder = tempfile::tempdir().unwrap();
    let path = image(folder.path(), 64 * MIB);
    tool("mkfs.ext4", &["-q", text(&path)]);
    let disk = Loop::new(&path, &[]);
    for round in 0..5 {
        let mount = MountGuard::new(&[text(disk.path())], &folder.path().join("mnt"));
        let target = scratch(&mount.path().join("data"), 4 * MIB, true, true);
        let both = Workload {
            workers: 2,
            ..workload(0.5, 50)
        };
        assert_eq!(run(&[target], &both).unwrap().partial, None);
        mount
            .try_unmount()
            .unwrap_or_else(|error| panic!("round {round}: {error}"));
    }
}
