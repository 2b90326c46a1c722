//! Arms on real targets.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use ioalign_core::workload::{Data, Pattern};
use ioalign_device::{ErrorKind, Target, TargetRequest};
use ioalign_measure::engine::{Api, ArmPlace, Bench, CellSpec, EngineOptions};
use ioalign_measure::experiment::ExperimentSubject;

const MIB: u64 = 1 << 20;

fn cell() -> CellSpec {
    CellSpec {
        block_bytes: 4096,
        read_ratio: 1.0,
        pattern: Pattern::Random,
        queue_depth: 4,
        workers: 1,
    }
}

pub fn file(path: &Path, write: bool) -> Arc<Target> {
    let want = TargetRequest {
        write,
        size_bytes: Some(4 * MIB),
        direct: true,
        ..TargetRequest::default()
    };
    Arc::new(Target::open(path, &want).unwrap())
}

fn arms(target: &Arc<Target>, offsets: &[u64]) -> Vec<ArmPlace> {
    let place = |offset_bytes: &u64| ArmPlace {
        target: Arc::clone(target),
        offset_bytes: *offset_bytes,
    };
    offsets.iter().map(place).collect()
}

/// Every way to send gives closed batches and full queues.
#[test]
fn batches_are_closed_and_queues_full() {
    let folder = tempfile::tempdir().unwrap();
    let target = file(&folder.path().join("data"), false);
    for (api, workers, batch) in [
        (Api::Uring, 1, 4),
        (Api::Uring, 2, 8),
        (Api::Sync, 1, 1),
        (Api::Sync, 2, 2),
    ] {
        for pattern in [Pattern::Random, Pattern::Sequential] {
            let cell = CellSpec {
                workers,
                pattern,
                ..cell()
            };
            let options = EngineOptions {
                api: Some(api),
                cold: true,
                ..EngineOptions::default()
            };
            let mut bench = Bench::new(&arms(&target, &[0, 512]), &cell, &options).unwrap();
            assert_eq!(bench.arms(), 2);
            bench.begin_round().unwrap();
            for arm in [0, 1, 0] {
                let done = bench.batch(arm).unwrap();
                assert_eq!(done.ios, batch, "{api:?}");
                assert!(done.elapsed_ns > 0);
            }
            let load = bench.saturate(1, Duration::from_millis(5)).unwrap();
            assert!(load.ios > 0 && load.cpu_ns > 0, "{load:?}");
            assert!(load.elapsed_ns > 0, "{load:?}");
            bench.batch(bench.duplicate()).unwrap();
            assert!(bench.batch(3).is_err(), "two arms and the duplicate");
        }
    }
}

/// Writes of an arm at an offset stay inside the file and off the other grid.
#[test]
fn writes_stay_inside() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data");
    drop(file(&path, false));
    let before = std::fs::read(&path).unwrap();
    let target = file(&path, true);
    let options = EngineOptions {
        write: true,
        data: Data::default(),
        ..EngineOptions::default()
    };
    let cell = CellSpec {
        read_ratio: 0.0,
        ..cell()
    };
    let mut bench = Bench::new(&arms(&target, &[512]), &cell, &options).unwrap();
    for _ in 0..200 {
        bench.batch(0).unwrap();
    }
    drop(bench);
    let after = std::fs::read(&path).unwrap();
    assert_eq!(after.len(), before.len());
    let changed: Vec<bool> = before
        .chunks(512)
        .zip(after.chunks(512))
        .map(|(a, b)| a != b)
        .collect();
    assert!(!changed[0] && changed.iter().any(|changed| *changed));
    // Eight sectors from 512 on, whole: an I/O that went elsewhere would change a part of them.
    for eight in changed[1..].chunks_exact(8) {
        assert!(eight.iter().all(|sector| *sector == eight[0]), "{eight:?}");
    }
    assert!(
        changed[1 + 1023 * 8..].iter().all(|sector| !sector),
        "the last place does not fit"
    );
}

#[test]
fn what_cannot_be_sent_is_refused_before() {
    let folder = tempfile::tempdir().unwrap();
    let target = file(&folder.path().join("data"), false);
    let unit = target.direct().unwrap().offset_bytes;
    let refused = |cell: CellSpec, offset: u64, words: &str| {
        let error = Bench::new(
            &arms(&target, &[0, offset]),
            &cell,
            &EngineOptions::default(),
        );
        let error = error
            .err()
            .unwrap_or_else(|| panic!("{words}: not refused"));
        let text = error.to_string();
        assert!(text.contains(words), "{text}");
        error.kind()
    };
    let of = |block_bytes| CellSpec {
        block_bytes,
        ..cell()
    };
    let kinds = [
        refused(of(unit + 1), 0, "O_DIRECT takes multiples of"),
        refused(cell(), unit / 2, "O_DIRECT takes multiples of"),
        refused(cell(), 4 * MIB, "lies beyond its end at 4 MiB"),
        refused(of(8 * MIB), 0, "lies beyond its end"),
        refused(of(0), 0, "cannot be sent"),
        refused(
            CellSpec {
                queue_depth: 0,
                ..cell()
            },
            0,
            "a queue depth of 0",
        ),
        refused(
            CellSpec {
                workers: 0,
                ..cell()
            },
            0,
            "0 workers",
        ),
    ];
    assert!(
        kinds.iter().all(|kind| *kind == ErrorKind::Unsupported),
        "{kinds:?}"
    );
    let writes = CellSpec {
        read_ratio: 0.5,
        ..cell()
    };
    assert_eq!(refused(writes, 0, "--write"), ErrorKind::Refused);
}

/// The kernel keeps sixteen rings a thread by number; the others, and those after them, work as well.
#[test]
fn there_may_be_more_rings_than_the_kernel_numbers() {
    let folder = tempfile::tempdir().unwrap();
    let target = file(&folder.path().join("data"), false);
    for _ in 0..2 {
        let open = || {
            Bench::new(
                &arms(&target, &[0, 512]),
                &cell(),
                &EngineOptions::default(),
            )
            .unwrap()
        };
        let mut benches: Vec<_> = (0..20).map(|_| open()).collect();
        for bench in &mut benches {
            assert_eq!(bench.batch(1).unwrap().ios, 4);
        }
    }
}
