//! What is written, as real compressors and a count of copies see it.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use ioalign_core::units::ratio;
use ioalign_core::workload::{Data, Pattern, SizeShare, Workload};
use ioalign_measure::data::Filler;
use ioalign_measure::load;
use ioalign_testkit::run::{text, tool};

use crate::scratch::{MIB, options, scratch, workload};

/// A file that the load engine wrote over whole, by walks of two workers.
fn written(folder: &Path, data: &Data) -> PathBuf {
    let path = folder.join("written");
    let target = scratch(&path, 16 * MIB, true, false);
    let before = std::fs::read(&path).unwrap();
    let workload = Workload {
        sizes: vec![SizeShare::only(65536)],
        pattern: Pattern::Sequential,
        workers: 2,
        data: data.clone(),
        ..workload(0.0, 60_000)
    };
    // By then one of the two has been everywhere.
    let report = load::run(&[target], &workload, &options(), None, &mut |snapshot| {
        if snapshot.write.bytes > 33 * MIB {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    });
    let report = report.unwrap();
    assert_eq!(report.errors, 0);
    let mut after = std::fs::read(&path).unwrap();
    // Behind the load lies the header of the scratch file.
    after.truncate(usize::try_from(16 * MIB).unwrap());
    let kept = before
        .chunks(4096)
        .zip(after.chunks(4096))
        .filter(|(a, b)| a == b)
        .count();
    assert_eq!(
        kept, 0,
        "all was written over ({} bytes)",
        report.write.bytes
    );
    let payload = folder.join("payload");
    std::fs::write(&payload, after).unwrap();
    payload
}

fn compressed(path: &Path, tool_and_flags: &str) -> f64 {
    let script = format!("{tool_and_flags} < \"$0\" | wc -c");
    let bytes: u64 = tool("sh", &["-c", &script, text(path)])
        .trim()
        .parse()
        .unwrap();
    ratio(bytes, path.metadata().unwrap().len())
}

fn copies(path: &Path) -> f64 {
    let bytes = std::fs::read(path).unwrap();
    let mut counts: HashMap<&[u8], u64> = HashMap::new();
    for block in bytes.chunks_exact(4096) {
        *counts.entry(block).or_default() += 1;
    }
    let blocks: u64 = counts.values().sum();
    ratio(blocks - counts.len() as u64, blocks)
}

fn longest_run_of_zeros(path: &Path) -> usize {
    let bytes = std::fs::read(path).unwrap();
    bytes
        .split(|byte| *byte != 0)
        .map(<[u8]>::len)
        .max()
        .unwrap()
}

#[test]
fn it_compresses_as_asked() {
    needs!(Packages);
    for share in [0.0, 0.25, 0.5, 0.9, 1.0] {
        let folder = tempfile::tempdir().unwrap();
        let data = Data {
            compressible_ratio: share,
            ..Data::default()
        };
        let path = written(folder.path(), &data);
        for tool in ["zstd -q -c", "lz4 -q -c"] {
            let left = compressed(&path, tool);
            assert!(
                (left - (1.0 - share)).abs() < 0.03,
                "{tool}: {left} is left of {share}"
            );
        }
        assert!(longest_run_of_zeros(&path) < 8, "{share}");
        assert!(copies(&path) < 0.001, "{share}: no copies were asked for");
    }
}

#[test]
fn it_repeats_as_asked() {
    needs!(Packages);
    for (copied, compressible) in [(0.3, 0.0), (0.7, 0.0), (0.3, 0.5)] {
        let folder = tempfile::tempdir().unwrap();
        let data = Data {
            duplicate_ratio: copied,
            compressible_ratio: compressible,
            ..Data::default()
        };
        let path = written(folder.path(), &data);
        let found = copies(&path);
        assert!((found - copied).abs() < 0.03, "{found} of {copied}");
        let left = compressed(&path, "lz4 -q -c");
        assert!(
            (left - (1.0 - compressible)).abs() < 0.03 + copied,
            "{left} of {compressible}"
        );
        assert!(longest_run_of_zeros(&path) < 8);
    }
}

#[test]
fn a_pattern_fills_what_compresses() {
    let folder = tempfile::tempdir().unwrap();
    let data = Data {
        pattern_hex: Some("deadbeef".to_owned()),
        ..Data::default()
    };
    let bytes = std::fs::read(written(folder.path(), &data)).unwrap();
    let pattern = bytes
        .chunks_exact(4)
        .filter(|word| **word == [0xde, 0xad, 0xbe, 0xef])
        .count();
    assert!(
        ratio(pattern as u64 * 4, bytes.len() as u64) > 0.99,
        "{pattern}"
    );
    let half = Data {
        compressible_ratio: 0.5,
        ..data
    };
    let bytes = std::fs::read(written(folder.path(), &half)).unwrap();
    let pattern = bytes
        .chunks_exact(4)
        .filter(|word| **word == [0xde, 0xad, 0xbe, 0xef])
        .count();
    assert!(
        (ratio(pattern as u64 * 4, bytes.len() as u64) - 0.5).abs() < 0.01,
        "{pattern}"
    );
}

#[test]
fn without_refill_a_buffer_is_written_again() {
    let folder = tempfile::tempdir().unwrap();
    let data = Data {
        refill: false,
        ..Data::default()
    };
    // Two workers with four buffers of 16 blocks each.
    let path = written(folder.path(), &data);
    let blocks = std::fs::read(&path).unwrap().len() / 4096;
    let different = ratio(128, blocks as u64);
    assert!(
        (copies(&path) - (1.0 - different)).abs() < 0.001,
        "{}",
        copies(&path)
    );
}

#[test]
fn the_same_seed_gives_the_same_bytes_and_workers_differ() {
    let data = Data {
        duplicate_ratio: 0.5,
        ..Data::default()
    };
    let bytes = |seed, stream| {
        let mut bytes = vec![0; 65536];
        Filler::new(&data, seed, stream).unwrap().fill(&mut bytes);
        bytes
    };
    assert_eq!(bytes(1, 0), bytes(1, 0));
    assert_ne!(bytes(1, 0), bytes(1, 1));
    assert_ne!(bytes(1, 0), bytes(2, 0));
}

#[test]
fn impossible_content_is_refused() {
    let bad = [
        Data {
            compressible_ratio: 1.5,
            ..Data::default()
        },
        Data {
            duplicate_ratio: -0.1,
            ..Data::default()
        },
        Data {
            compressible_ratio: f64::NAN,
            ..Data::default()
        },
        Data {
            pattern_hex: Some("00".to_owned()),
            ..Data::default()
        },
    ];
    for data in bad {
        assert!(Filler::new(&data, 1, 0).is_err(), "{data:?}");
    }
}
