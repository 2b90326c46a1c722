//! What of a disk is kept for the way back: table headers, superblocks and free space, and nothing else.

use std::io;
use std::ops::{ControlFlow, Range};

use ioalign_core::move_marker::GPT_SIGNATURE;
use ioalign_repair::mover::job::{SavedBlocks, SavedBytes};
use ioalign_repair::mover::{self, MoverOptions};
use ioalign_repair::{Disk, Identity, Job, MemoryDisk, Move};

use super::trial::origin;

const SIZE: usize = 1 << 20;
const END: u64 = SIZE as u64;

/// A disk in memory that knows of a hole, and cannot read some bytes.
struct Odd {
    disk: MemoryDisk,
    hole: Range<u64>,
    bad: Range<u64>,
}

impl Disk for Odd {
    fn size_bytes(&self) -> u64 {
        self.disk.size_bytes()
    }

    fn logical_bytes(&self) -> u64 {
        self.disk.logical_bytes()
    }

    fn read_at(&mut self, at: u64, bytes: &mut [u8]) -> io::Result<()> {
        let end = at + bytes.len() as u64;
        if at < self.bad.end && self.bad.start < end {
            return Err(io::Error::from_raw_os_error(5));
        }
        let logical = self.logical_bytes();
        assert!(at.is_multiple_of(logical) && end.is_multiple_of(logical));
        let whole_blocks = self.hole.end - self.hole.end % 512;
        assert!(
            end <= self.hole.start || at >= whole_blocks,
            "a hole is read"
        );
        self.disk.read_at(at, bytes)
    }

    fn write_at(&mut self, at: u64, bytes: &[u8]) -> io::Result<()> {
        self.disk.write_at(at, bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.disk.flush()
    }

    fn zeros_from(&mut self, at: u64) -> u64 {
        match self.hole.contains(&at) {
            true => self.hole.end - at,
            false => 0,
        }
    }
}

fn disk_of(size: usize) -> MemoryDisk {
    MemoryDisk {
        bytes: vec![0; size],
        logical_bytes: 512,
    }
}

fn disk(logical_bytes: u64) -> MemoryDisk {
    MemoryDisk {
        bytes: vec![0; SIZE],
        logical_bytes,
    }
}

fn put(disk: &mut MemoryDisk, at: u64, bytes: &[u8]) {
    let at = usize::try_from(at).unwrap();
    disk.bytes[at..at + bytes.len()].copy_from_slice(bytes);
}

fn places(all: &[SavedBytes]) -> Vec<Range<u64>> {
    all.iter().map(SavedBytes::place).collect()
}

fn one(place: Range<u64>) -> Vec<Range<u64>> {
    std::iter::once(place).collect()
}

fn tables(disk: &mut MemoryDisk) -> Vec<Range<u64>> {
    places(&SavedBlocks::take(disk, &[]).tables)
}

#[test]
fn headers_are_looked_for_where_they_can_be() {
    let mut disk = disk(512);
    assert_eq!(tables(&mut disk), one(0..512));
    let found = [512, 4096, 51_200, END - 4096, END - 512];
    for at in found {
        put(&mut disk, at, &GPT_SIGNATURE);
    }
    // The first one names a copy at its sector 100.
    put(&mut disk, 512 + 32, &100_u64.to_le_bytes());
    let headers = found.iter().map(|at| *at..at + 512);
    let all: Vec<_> = std::iter::once(0..512).chain(headers).collect();
    assert_eq!(tables(&mut disk), all);
    // One of sectors of 4096 bytes counts in those.
    put(&mut disk, 512 + 32, &[0; 8]);
    put(&mut disk, 4096 + 32, &20_u64.to_le_bytes());
    put(&mut disk, 81_920, &GPT_SIGNATURE);
    assert!(tables(&mut disk).contains(&(81_920..82_432)));
    assert!(!tables(&mut disk).contains(&(51_200..51_712)));
    for beyond in [END / 4096, u64::MAX / 4096, u64::MAX] {
        put(&mut disk, 4096 + 32, &beyond.to_le_bytes());
        assert_eq!(tables(&mut disk).len(), 5, "{beyond}");
    }
}

#[test]
fn what_is_no_header_names_no_copy() {
    let mut disk = disk(512);
    put(&mut disk, 512 + 32, &100_u64.to_le_bytes());
    put(&mut disk, 51_200, &GPT_SIGNATURE);
    assert_eq!(tables(&mut disk), one(0..512));
}

#[test]
fn a_header_in_the_first_block_is_kept_once() {
    let mut disk = disk(4096);
    for at in [512, 4096] {
        put(&mut disk, at, &GPT_SIGNATURE);
    }
    assert_eq!(tables(&mut disk), [0..4096, 4096..8192]);
}

#[test]
fn superblocks_are_kept_in_whole_blocks() {
    let mut disk = disk(4096);
    let one = Move {
        from: 64 << 10,
        to: 512 << 10,
        bytes: 256 << 10,
    };
    put(&mut disk, one.from + 0x8000, b"JFS1");
    put(
        &mut disk,
        one.from + 0x3_0000 + 0x1_055c,
        b"\x19\x01\x54\x19",
    );
    let saved = SavedBlocks::take(&mut disk, &[one]);
    let from = |start: u64, end: u64| one.from + start..one.from + end;
    assert_eq!(
        places(&saved.superblocks),
        [from(0, 0x2000), from(0x8000, 0x9000)]
    );
    assert_eq!(saved.superblocks[1].bytes[..4], *b"JFS1");
}

/// Moves of these (from, to, bytes), and what is kept of the gaps.
fn gap(disk: &mut dyn Disk, moves: &[(u64, u64, u64)]) -> (Vec<Range<u64>>, Vec<Range<u64>>) {
    let moves: Vec<_> = moves
        .iter()
        .map(|(from, to, bytes)| Move {
            from: *from,
            to: *to,
            bytes: *bytes,
        })
        .collect();
    let saved = SavedBlocks::take(disk, &moves);
    for one in &saved.gap {
        let mut there = vec![0; one.bytes.len()];
        disk.read_at(one.at, &mut there).unwrap();
        assert_eq!(there, one.bytes);
    }
    (places(&saved.gap), saved.zeros)
}

const KIB: u64 = 1 << 10;

#[test]
fn free_space_is_kept_as_data_and_zeros() {
    let mut disk = disk(512);
    put(&mut disk, 512 * KIB + 4096, &[1; 8192]);
    put(&mut disk, 512 * KIB + 20_000, &[1]);
    let (data, zeros) = gap(&mut disk, &[(64 * KIB, 512 * KIB, 32 * KIB)]);
    let at = |start: u64, end: u64| 512 * KIB + start..512 * KIB + end;
    assert_eq!(data, [at(4096, 12_288), at(16_384, 20_480)]);
    assert_eq!(zeros, [at(0, 4096), at(12_288, 16_384), at(20_480, 32_768)]);
}

#[test]
fn what_is_kept_lies_in_one_destination() {
    let mut disk = disk(512);
    put(&mut disk, 504 * KIB, &[1; 16_384]);
    let moves = [
        (64 * KIB, 496 * KIB, 16 * KIB),
        (128 * KIB, 512 * KIB, 16 * KIB),
    ];
    let (data, zeros) = gap(&mut disk, &moves);
    assert_eq!(data, [504 * KIB..512 * KIB, 512 * KIB..520 * KIB]);
    assert_eq!(zeros, [496 * KIB..504 * KIB, 520 * KIB..528 * KIB]);
    let blank = gap(&mut self::disk(512), &moves);
    assert_eq!(blank.1, [496 * KIB..512 * KIB, 512 * KIB..528 * KIB]);
}

/// 64 MiB are kept, the smallest gaps first.
#[test]
fn small_gaps_are_kept_before_large_ones() {
    const MIB: u64 = 1 << 20;
    let kept = |large: u64, small: u64| {
        let moves = [
            (100 * MIB, large * MIB, 60 * MIB),
            (170 * MIB, small * MIB, 10 * MIB),
        ];
        gap(&mut disk_of(300 << 20), &moves)
    };
    assert_eq!(kept(1, 200), (vec![], one(200 * MIB..210 * MIB)));
    assert_eq!(kept(200, 1), (vec![], one(MIB..11 * MIB)));
}

#[test]
fn holes_are_zeros_without_a_look() {
    let mut memory = disk(512);
    put(&mut memory, 512 * KIB, &[1; 1024]);
    put(&mut memory, 516 * KIB + 200, &[1]);
    let mut disk = Odd {
        disk: memory,
        hole: 513 * KIB..900 * KIB,
        bad: 0..0,
    };
    let beside = [(64 * KIB, 512 * KIB, 1024)];
    assert_eq!(gap(&mut disk, &beside), (one(512 * KIB..513 * KIB), vec![]));
    let within = [(64 * KIB, 513 * KIB, 16 * KIB)];
    let zeros = |start: u64, end: u64| one(start * KIB..end * KIB);
    assert_eq!(gap(&mut disk, &within), (vec![], zeros(513, 529)));
    // One that ends within a block.
    disk.hole = 513 * KIB..516 * KIB + 100;
    let over = [(64 * KIB, 513 * KIB, 4 * KIB)];
    assert_eq!(gap(&mut disk, &over), (zeros(516, 517), zeros(513, 516)));
}

#[test]
fn what_cannot_be_read_is_left_out() {
    let mut memory = disk(512);
    put(&mut memory, 512 * KIB, &[1; 8192]);
    let mut disk = Odd {
        disk: memory,
        hole: 0..0,
        bad: 513 * KIB..513 * KIB + 512,
    };
    let (data, zeros) = gap(&mut disk, &[(64 * KIB, 512 * KIB, 4096)]);
    assert_eq!(data, [512 * KIB..513 * KIB, 513 * KIB + 512..516 * KIB]);
    assert!(zeros.is_empty());
    disk.bad = 0..512;
    assert!(SavedBlocks::take(&mut disk, &[]).tables.is_empty());
}

/// Why a move of 2.5 MiB from 1 to 4 MiB of a blank disk is not begun, where a byte has changed since the plan.
fn begun(changed: Option<u64>, hole: Range<u64>) -> String {
    const MIB: u64 = 1 << 20;
    let mut disk = Odd {
        disk: disk_of(8 << 20),
        hole,
        bad: 0..0,
    };
    let moves = vec![Move {
        from: MIB,
        to: 4 * MIB,
        bytes: 5 * MIB / 2,
    }];
    let job = Job {
        identity: Identity::take(&mut disk, &moves),
        moves,
        patches: Vec::new(),
        keep: Vec::new(),
    };
    assert_eq!(job.identity.saved.zeros, one(4 * MIB..13 * MIB / 2));
    if let Some(at) = changed {
        put(&mut disk.disk, at, &[1]);
    }
    let options = MoverOptions::default();
    let size = mover::journal_bytes(&job, &options).unwrap();
    let mut store = disk_of(usize::try_from(size).unwrap());
    let mut watch = |_: &mover::MoverProgress| ControlFlow::Continue(());
    let done = mover::apply_with(&mut disk, &mut store, &job, &origin(), &options, &mut watch);
    done.err().map_or(String::new(), |error| error.to_string())
}

/// Half way of a move of 2.5 MiB over zeros, and back.
#[test]
fn zeros_come_back() {
    let mut disk = disk_of(8 << 20);
    put(&mut disk, 1 << 20, &vec![7; 5 << 19]);
    let before = disk.bytes.clone();
    let moves = vec![Move {
        from: 1 << 20,
        to: 4 << 20,
        bytes: 5 << 19,
    }];
    let job = Job {
        identity: Identity::take(&mut disk, &moves),
        moves,
        patches: Vec::new(),
        keep: Vec::new(),
    };
    let options = MoverOptions {
        chunk: 512 * KIB,
        piece: 512 * KIB,
        ..MoverOptions::default()
    };
    let size = mover::journal_bytes(&job, &options).unwrap();
    let mut store = disk_of(usize::try_from(size).unwrap());
    let mut stop = |progress: &mover::MoverProgress| match progress.done_bytes {
        ..2_097_152 => ControlFlow::Continue(()),
        _ => ControlFlow::Break(()),
    };
    let stopped = mover::apply_with(&mut disk, &mut store, &job, &origin(), &options, &mut stop);
    stopped.unwrap_err();
    assert!(disk.bytes[5 << 20..11 << 19].iter().all(|byte| *byte == 7));
    let mut go_on = |_: &mover::MoverProgress| ControlFlow::Continue(());
    let done = mover::rollback_with(&mut disk, &mut store, &options, &mut go_on);
    assert!(disk.bytes == before);
    // What nothing has written on is not moved back.
    assert!(done.unwrap().written_bytes < 3 << 20);
}

#[test]
fn free_space_that_has_changed_is_noticed() {
    let none = || 0..0;
    assert_eq!(begun(None, none()), "");
    let (first, last) = (4 << 20, (13 << 19) - 1);
    for at in [first, (5 << 20) - 1, 5 << 20, (6 << 20) + 700, last] {
        let said = begun(Some(at), none());
        assert!(said.contains("free space at byte"), "{at}: {said}");
    }
    assert_eq!(begun(Some(last + 1), none()), "");
    // A hole needs no look; what is behind it does.
    let hole = || 4 << 20..(6 << 20) + 100;
    for at in [(6 << 20) + 100, last] {
        let said = begun(Some(at), hole());
        assert!(said.contains("free space at byte"), "{at}: {said}");
    }
}
