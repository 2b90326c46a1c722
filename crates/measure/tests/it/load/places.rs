//! Where I/O goes, as the tap sees it.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex};

use ioalign_core::units::ratio;
use ioalign_core::workload::{Pattern, SizeShare, Workload};
use ioalign_device::Target;
use ioalign_measure::load::{self, LoadReport, SentIo, Tap};

use crate::scratch::{MIB, options, scratch, workload};

#[derive(Default)]
struct Log(Mutex<Vec<(u32, SentIo)>>);

impl Tap for Log {
    fn sent(&self, worker: u32, ios: &[SentIo]) {
        self.0
            .lock()
            .unwrap()
            .extend(ios.iter().map(|sent| (worker, *sent)));
    }
}

fn tapped(targets: &[Arc<Target>], workload: &Workload) -> (LoadReport, Vec<(u32, SentIo)>) {
    let log = Log::default();
    let go_on = &mut |_: &_| ControlFlow::Continue(());
    let report = load::run(targets, workload, &options(), Some(&log), go_on).unwrap();
    (report, log.0.into_inner().unwrap())
}

#[test]
fn the_tap_sees_all_that_counts() {
    let folder = tempfile::tempdir().unwrap();
    let target = scratch(&folder.path().join("data"), 8 * MIB, true, true);
    let sizes = [(4096, 3), (16384, 1)].map(|(bytes, weight)| SizeShare { bytes, weight });
    let workload = Workload {
        sizes: sizes.to_vec(),
        offset_bytes: 1536,
        workers: 2,
        ..workload(0.5, 300)
    };
    let (report, sent) = tapped(&[target], &workload);
    assert_eq!(sent.len() as u64, report.ios());
    let writes = sent.iter().filter(|(_, sent)| sent.write).count();
    assert_eq!(writes as u64, report.write.ios);
    for (_, sent) in &sent {
        assert_eq!(
            (sent.offset_bytes - 1536) % u64::from(sent.bytes),
            0,
            "{sent:?}"
        );
        assert!(sent.offset_bytes + u64::from(sent.bytes) <= 8 * MIB);
    }
    let large = sent.iter().filter(|(_, sent)| sent.bytes == 16384).count();
    let spread = 5.0 * (0.19 / ratio(sent.len() as u64, 1)).sqrt();
    assert!(
        (ratio(large as u64, sent.len() as u64) - 0.25).abs() < spread,
        "{large} of {}",
        sent.len()
    );
}

/// What is sent in one call has one time. The first call fills the queue.
#[test]
fn no_more_are_sent_at_once_than_a_batch() {
    let folder = tempfile::tempdir().unwrap();
    let target = scratch(&folder.path().join("data"), 8 * MIB, false, true);
    for batch in [1, 4] {
        let workload = Workload {
            queue_depth: 16,
            batch: Some(batch),
            ..workload(1.0, 200)
        };
        let (_, sent) = tapped(&[Arc::clone(&target)], &workload);
        let first = sent.iter().map(|(_, sent)| sent.time_ns).min();
        let mut together: HashMap<u64, u32> = HashMap::new();
        for (_, sent) in sent.iter().filter(|one| Some(one.1.time_ns) != first) {
            *together.entry(sent.time_ns).or_default() += 1;
        }
        assert!(together.values().all(|calls| *calls <= batch), "{batch}");
    }
}

/// Each worker walks by itself, from a start of its own.
#[test]
fn walks_are_sequential_and_apart() {
    let folder = tempfile::tempdir().unwrap();
    let target = scratch(&folder.path().join("data"), 8 * MIB, false, true);
    let workload = Workload {
        pattern: Pattern::Sequential,
        workers: 2,
        queue_depth: 1,
        ..workload(1.0, 200)
    };
    let (_, sent) = tapped(&[target], &workload);
    let mut firsts = Vec::new();
    for worker in 0..2 {
        let walk: Vec<_> = sent
            .iter()
            .filter(|(by, _)| *by == worker)
            .map(|(_, sent)| sent)
            .collect();
        firsts.push(walk.first().unwrap().offset_bytes);
        for pair in walk.windows(2) {
            let next = (pair[0].offset_bytes + 4096) % (8 * MIB);
            assert_eq!(pair[1].offset_bytes, next);
        }
    }
    assert_ne!(firsts[0], firsts[1]);
}

#[test]
fn some_places_are_far_more_frequent_by_zipf() {
    let folder = tempfile::tempdir().unwrap();
    let target = scratch(&folder.path().join("data"), 4 * MIB, false, true);
    let workload = Workload {
        pattern: Pattern::Zipf { theta: 1.2 },
        ..workload(1.0, 300)
    };
    let (_, sent) = tapped(&[target], &workload);
    let mut counts: HashMap<u64, u64> = HashMap::new();
    for (_, sent) in &sent {
        *counts.entry(sent.offset_bytes).or_default() += 1;
    }
    // Of 1024 places the first has a share of 1 / Σ k^-1.2.
    let whole: f64 = (1..=1024).map(|k| f64::from(k).powf(-1.2)).sum();
    let most = ratio(*counts.values().max().unwrap(), sent.len() as u64);
    let spread = 5.0 * (0.2 / ratio(sent.len() as u64, 1)).sqrt();
    assert!(
        (most - 1.0 / whole).abs() < spread,
        "{most} instead of {}",
        1.0 / whole
    );
}

/// A folder of 64 files and a file beside it: every file gets its share.
#[test]
fn several_targets_are_one_space() {
    let folder = tempfile::tempdir().unwrap();
    let many = folder.path().join("many");
    std::fs::create_dir(&many).unwrap();
    let targets = [
        scratch(&many, 4 * MIB, true, true),
        scratch(&folder.path().join("one"), 4 * MIB, true, true),
    ];
    let before: Vec<_> = contents(&targets);
    let workload = Workload {
        fsync_every_writes: Some(100),
        ..workload(0.0, 700)
    };
    let (report, _) = tapped(&targets, &workload);
    assert_eq!(report.partial, None);
    assert!(report.flush.ios > 1);
    let changed = contents(&targets)
        .iter()
        .zip(&before)
        .filter(|(a, b)| a != b)
        .count();
    assert!(
        changed > 40,
        "{changed} files of 65 after {} writes",
        report.write.ios
    );
}

fn contents(targets: &[Arc<Target>]) -> Vec<Vec<u8>> {
    let members = targets.iter().flat_map(|target| target.members());
    members
        .map(|member| std::fs::read(&member.path).unwrap())
        .collect()
}
