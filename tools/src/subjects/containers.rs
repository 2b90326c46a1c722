//! Images that are opened for writing, read, written and flushed in memory: nothing is read that was not there.

use std::sync::Arc;

use ioalign_inspect::Source;
use ioalign_inspect::source::MemorySource;
use ioalign_repair::container::{ImageFormat, open_store};
use ioalign_repair::{Disk, MemoryDisk};
use ioalign_testkit::Random;

use crate::damage;
use crate::subject::{Answer, Subject};

const DISK: u64 = 3 << 20;
/// Each is some MiB, which are copied for each run.
const COST: u64 = 12;
/// One in so many gets behind the checks.
const LEAST: u64 = 50;
/// Where headers and tables lie, and how far they reach: not in the middle of data.
const NEAR: [usize; 8] = [0, 512, 1536, 65_536, 131_072, 196_608, 1 << 20, 3 << 20];
const SPANS: [usize; 3] = [64, 600, 70_000];

pub fn all() -> Vec<Subject> {
    let formats = ImageFormat::ALL.into_iter();
    let subject = |format: ImageFormat| {
        Subject::of_bytes(
            "containers",
            format.name(),
            move || vec![seed(format)],
            damage,
            one,
        )
        .with_cost(COST)
        .with_least(LEAST)
    };
    formats
        .filter(|format| *format != ImageFormat::Raw)
        .map(subject)
        .collect()
}

/// A small image with some data. The file of the store is all that is kept.
fn seed(format: ImageFormat) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("seed");
    let mut disk = ioalign_repair::container::create(&path, format, DISK, 512).unwrap();
    for at in [0, 700_416, DISK - 4096] {
        disk.write_at(at, &[7; 4096]).unwrap();
    }
    disk.flush().unwrap();
    drop(disk);
    std::fs::read(path).unwrap()
}

fn damage(bytes: &mut Vec<u8>, random: &mut Random) {
    let spans = NEAR
        .iter()
        .flat_map(|near| SPANS.map(|span| *near..near + span));
    let places: Vec<_> = spans.collect();
    damage::fields(bytes, &places, 1..=4, random);
    damage::cut_rarely(bytes, random);
}

fn one(bytes: &[u8]) -> Answer {
    let source: Arc<dyn Source> = Arc::new(MemorySource::new(bytes));
    let store = MemoryDisk {
        bytes: bytes.to_vec(),
        logical_bytes: 1,
    };
    let Ok(mut disk) = open_store(Box::new(store), &source) else {
        return Answer::NotMine;
    };
    // The same bytes are exercised in the same way.
    let mut random = Random(u64::from(crc32fast::hash(bytes)));
    for _ in 0..8 {
        exercise(disk.as_mut(), &mut random);
    }
    let _ = disk.flush();
    Answer::Mine
}

/// What is written is read again, or an error says why not.
fn exercise(disk: &mut dyn Disk, random: &mut Random) {
    let block = disk.logical_bytes();
    let blocks = disk.size_bytes() / block;
    let bytes = random.within(1, 200) * block;
    let at = random.below_u64(blocks + 2) * block;
    let mut held = vec![0; usize::try_from(bytes).unwrap()];
    let inside = at + bytes <= disk.size_bytes();
    let read = disk.read_at(at, &mut held);
    assert!(inside || read.is_err(), "read behind the end");
    disk.release(at, bytes);
    let _ = disk.zeros_from(at);
    held.fill(0x5a);
    if disk.write_at(at, &held).is_ok() {
        let mut there = vec![0; held.len()];
        if disk.read_at(at, &mut there).is_ok() {
            assert!(
                there == held,
                "{bytes} bytes at {at} are not what was written"
            );
        }
    }
    if random.below(4) == 0 {
        let _ = disk.flush();
    }
}
