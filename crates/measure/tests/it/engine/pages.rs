//! Pages written twice, in one piece, and once.

use std::path::Path;

use ioalign_core::workload::Pattern;
use ioalign_device::ErrorKind;
use ioalign_measure::engine::{CellSpec, EngineOptions, PageBench, PageWay};
use ioalign_measure::experiment::ExperimentSubject;

use super::bench::file;

const PAGE: usize = 8192;
const BATCH: u32 = 8;

fn bench(path: &Path, ways: &[PageWay], batch: u32) -> ioalign_measure::Result<PageBench> {
    let cell = CellSpec {
        block_bytes: PAGE as u64,
        read_ratio: 0.0,
        pattern: Pattern::Random,
        queue_depth: batch,
        workers: 1,
    };
    let options = EngineOptions {
        write: true,
        ..EngineOptions::default()
    };
    PageBench::new(&file(path, true), ways, &cell, &options)
}

/// The pages of the doublewrite area and those behind it that differ.
fn changed(before: &[u8], after: &[u8]) -> (usize, usize) {
    let differ = before.chunks(PAGE).zip(after.chunks(PAGE));
    let all: Vec<bool> = differ.map(|(a, b)| a != b).collect();
    let (area, places) = all.split_at(BATCH as usize);
    let count = |part: &[bool]| part.iter().filter(|differs| **differs).count();
    (count(area), count(places))
}

#[test]
fn a_batch_is_written_where_its_way_says() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pages");
    let ways = [PageWay::Twice, PageWay::Once];
    let mut bench = bench(&path, &ways, BATCH).unwrap();
    // The duplicate is the baseline again, at places of its own.
    for (arm, area) in [
        (0, BATCH as usize),
        (1, 0),
        (bench.duplicate(), BATCH as usize),
    ] {
        let before = std::fs::read(&path).unwrap();
        let done = bench.batch(arm).unwrap();
        let after = std::fs::read(&path).unwrap();
        assert_eq!(done.ios, BATCH);
        assert_eq!(
            changed(&before, &after),
            (area, BATCH as usize),
            "arm {arm}"
        );
    }
    assert!(bench.batch(9).is_err());
}

#[test]
fn what_cannot_be_is_refused_before_anything_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pages");
    // 4 MiB hold 512 pages: an area of 256 MiB does not fit.
    let refused = |ways: &[PageWay], batch| {
        let error = bench(&path, ways, batch).map(drop).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unsupported, "{error}");
        error.to_string()
    };
    assert!(refused(&[PageWay::Once], 300).contains("has no room for 300 pages"));
    if !ioalign_device::atomic_file_limits(&path).hold(PAGE as u64) {
        assert!(refused(&[PageWay::Once, PageWay::Atomic], 8).contains("are not atomic here"));
    }
}
