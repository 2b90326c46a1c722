//! `container_fuzz RUNS [SEED]`: damaged images opened for writing, read, written and flushed in memory. Nothing
//! may panic or hang, and nothing may be read that was not there. `cargo xtask fuzz --containers`.

use std::sync::Arc;
use std::time::{Duration, Instant};

use ioalign_inspect::Source;
use ioalign_inspect::source::MemorySource;
use ioalign_repair::container::{ImageFormat, open_store};
use ioalign_repair::{Disk, MemoryDisk};
use ioalign_testkit::Random;

const DISK: u64 = 3 << 20;
/// A damaged image may not take longer.
const MOST_TIME: Duration = Duration::from_secs(5);
const FORMATS: [ImageFormat; 5] = [
    ImageFormat::Qcow2,
    ImageFormat::Vhd,
    ImageFormat::Vhdx,
    ImageFormat::Vmdk,
    ImageFormat::Vdi,
];

pub fn main() {
    let (runs, mut random) = Random::of_arguments(20_000);
    let seeds = FORMATS.map(seed);
    let started = Instant::now();
    let mut opened = [0_u64; FORMATS.len()];
    for _ in 0..runs {
        let which = random.below(seeds.len());
        let mut bytes = seeds[which].clone();
        damage(&mut bytes, &mut random);
        let began = Instant::now();
        opened[which] += u64::from(one(bytes, &mut random));
        let took = began.elapsed();
        assert!(took < MOST_TIME, "{:?} took {took:?}", FORMATS[which]);
    }
    let seconds = started.elapsed().as_secs_f64();
    let names = FORMATS.map(ImageFormat::name);
    println!("container: {runs} runs in {seconds:.1} s, opened {opened:?} of {names:?}, no panic");
    let few = opened.iter().any(|opened| opened * 50 < runs / 5);
    assert!(!few, "too few get behind the checks");
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

/// Up to four numbers become others, where numbers are: not in the middle of data.
fn damage(bytes: &mut Vec<u8>, random: &mut Random) {
    for _ in 0..random.below(4) + 1 {
        let near = *random.pick(&[0, 512, 1536, 65_536, 131_072, 196_608, 1 << 20, 3 << 20]);
        let span = *random.pick(&[64, 600, 70_000]);
        let at = (near + random.below(span)).min(bytes.len().saturating_sub(8));
        let number = match random.below(4) {
            0 => *random.pick(&[0, 1, 511, u64::from(u32::MAX), u64::MAX / 2, u64::MAX]),
            1 => random.below_u64(1 << 24),
            _ => random.next(),
        };
        let number = if random.below(2) == 0 {
            number.to_le_bytes()
        } else {
            number.to_be_bytes()
        };
        let width = *random.pick(&[1, 2, 4, 8]);
        for (to, from) in bytes.iter_mut().skip(at).zip(number).take(width) {
            *to = from;
        }
    }
    if random.below(50) == 0 {
        bytes.truncate(random.below(bytes.len()));
    }
}

/// Whether it could be opened for writing.
fn one(bytes: Vec<u8>, random: &mut Random) -> bool {
    let source: Arc<dyn Source> = Arc::new(MemorySource::new(bytes.clone()));
    let store = MemoryDisk {
        bytes,
        logical_bytes: 1,
    };
    let Ok(mut disk) = open_store(Box::new(store), &source) else {
        return false;
    };
    for _ in 0..8 {
        exercise(disk.as_mut(), random);
    }
    let _ = disk.flush();
    true
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
