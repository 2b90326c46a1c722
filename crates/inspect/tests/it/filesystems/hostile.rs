//! Cut and corrupted superblocks: every probe returns, whatever the bytes say.

use std::sync::{Arc, OnceLock};

use ioalign_inspect::error::Result;
use ioalign_inspect::filesystems::{self, FORMATS};
use ioalign_inspect::source::{Source, check_range};
use ioalign_inspect::view::View;
use ioalign_testkit::Random;

use super::{Fixture, MIB, linux, optical, ufs, vmfs, zfs};

/// A sparse image: the pieces that matter, a later one over an earlier; all else is zero.
struct Patched {
    len: u64,
    pieces: Vec<(u64, Vec<u8>)>,
}

impl Source for Patched {
    fn len(&self) -> u64 {
        self.len
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<()> {
        check_range(self, offset, buffer.len())?;
        buffer.fill(0);
        let end = offset + buffer.len() as u64;
        for (start, piece) in &self.pieces {
            let (from, to) = (offset.max(*start), end.min(start + piece.len() as u64));
            if from < to {
                let at = |place: u64, base: u64| usize::try_from(place - base).unwrap();
                buffer[at(from, offset)..at(to, offset)]
                    .copy_from_slice(&piece[at(from, *start)..at(to, *start)]);
            }
        }
        Ok(())
    }

    fn path(&self) -> &std::path::Path {
        std::path::Path::new("patched")
    }
}

/// An image in memory: its front, and its superblock, which is to be changed.
struct Victim {
    len: u64,
    head: Vec<u8>,
    at: u64,
    superblock: Vec<u8>,
}

impl Victim {
    fn new((fixture, at, len): (Fixture, u64, usize)) -> Self {
        let view = fixture.view();
        let head = usize::try_from(view.len().min(160 << 10)).unwrap();
        Self {
            len: view.len(),
            head: view.read(0, head).unwrap(),
            at,
            superblock: view.read(at, len).unwrap(),
        }
    }

    fn with(&self, superblock: Vec<u8>) -> View {
        let pieces = vec![(0, self.head.clone()), (self.at, superblock)];
        let len = self.len;
        View::new(Arc::new(Patched { len, pieces }))
    }
}

/// All victims, made once.
fn victims() -> &'static [Victim] {
    static VICTIMS: OnceLock<Vec<Victim>> = OnceLock::new();
    VICTIMS.get_or_init(|| images().into_iter().map(Victim::new).collect())
}

fn all_return(view: &View) {
    let _ = filesystems::probe(view);
    for (_, format) in FORMATS {
        let _ = format(view);
    }
}

/// Each image, and where its superblock lies.
fn images() -> Vec<(Fixture, u64, usize)> {
    let make = Fixture::made_by;
    let zfs = zfs::fixture(&zfs::config(0, zfs::raidz()), &[0]);
    let packed = |tool, bytes: Vec<u8>, at, len| {
        let fixture = Fixture::new(2 * MIB);
        fixture.write(at, &bytes);
        assert!(fixture.probe().is_some(), "{tool}");
        (fixture, at, len)
    };
    vec![
        (
            make(4 * MIB, "mke2fs", &["-q", "-F", "-t", "ext4"]),
            1024,
            1024,
        ),
        (make(320 * MIB, "mkfs.xfs", &["-q"]), 0, 264),
        (make(128 * MIB, "mkfs.btrfs", &["-q"]), 64 << 10, 320),
        (make(8 * MIB, "mkfs.ntfs", &["-F", "-Q", "-q"]), 0, 512),
        (
            make(8 * MIB, "mkfs.ntfs", &["-F", "-Q", "-q"]),
            (16 << 10) + 3072,
            512,
        ),
        (make(64 * MIB, "mkfs.fat", &["-F", "16"]), 0, 512),
        (make(64 * MIB, "mkfs.fat", &["-F", "32"]), 0, 512),
        (make(64 * MIB, "mkfs.exfat", &[]), 0, 128),
        (make(MIB, "mkswap", &["-q"]), 1024, 64),
        (make(64 * MIB, "mkfs.f2fs", &["-q"]), 1024, 160),
        (make(32 * MIB, "mkfs.jfs", &["-q"]), 32 << 10, 184),
        (make(160 * MIB, "mkfs.nilfs2", &["-q"]), 1024, 256),
        (make(16 * MIB, "mkudffs", &["-b", "512"]), 128 << 10, 512),
        (optical::disc(&[]), 32 << 10, 2048),
        (ufs::made("2", "be"), 64 << 10, 1376),
        (zfs, 16 << 10, 1200),
        packed("vmfs", vmfs::volume(5), MIB, 1024),
        packed("bcachefs", linux::bcachefs(), 4096, 1024),
    ]
}

/// Runs `change` on copies of each superblock, `times` times.
fn changed(times: u64, seed: u64, change: fn(&mut [u8], &mut Random)) {
    let mut random = Random(seed);
    for victim in victims() {
        for _ in 0..times {
            let mut bytes = victim.superblock.clone();
            change(&mut bytes, &mut random);
            all_return(&victim.with(bytes));
        }
    }
}

#[test]
fn flipped_bits_do_no_harm() {
    needs!(Packages);
    changed(300, 42, |bytes, random| {
        for _ in 0..=random.next() % 4 {
            let number = random.next();
            let place = usize::try_from(number >> 8).unwrap() % bytes.len();
            bytes[place] ^= 1 << (number % 8);
        }
    });
}

#[test]
fn extreme_fields_do_no_harm() {
    needs!(Packages);
    changed(100, 7, |bytes, random| {
        let number = random.next();
        let place = usize::try_from(number >> 8).unwrap() % bytes.len();
        let end = bytes.len().min(place + (1 << (number >> 1 & 3)));
        bytes[place..end].fill(if number & 1 == 0 { 0xff } else { 0 });
    });
}

#[test]
fn cut_images_do_no_harm() {
    needs!(Packages);
    for victim in victims() {
        let view = victim.with(victim.superblock.clone());
        let step = victim.superblock.len() as u64 / 48;
        let ends = (0..64).map(|k| victim.at + k * step);
        for end in ends.chain([0, 1, 510, 512, 1023, 4096, 65535, 65600]) {
            all_return(&view.sub(0, end));
        }
    }
}

#[test]
fn the_largest_addresses_do_no_harm() {
    needs!(Packages);
    let mut random = Random(3);
    for victim in victims() {
        for _ in 0..20 {
            let mut bytes = victim.superblock.clone();
            for _ in 0..3 {
                let number = random.next();
                let place = usize::try_from(number >> 8).unwrap() % bytes.len();
                bytes[place] = 0xff;
            }
            let pieces = vec![(victim.at, bytes)];
            let len = u64::MAX;
            all_return(&View::new(Arc::new(Patched { len, pieces })));
        }
    }
}
