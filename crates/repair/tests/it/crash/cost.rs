//! What a move costs: flushes, bytes written and bytes read back, for each way that a window can go.

use std::cell::Cell;
use std::io;
use std::ops::ControlFlow;
use std::rc::Rc;

use ioalign_repair::mover::{self, Done, MoverOptions};
use ioalign_repair::{Disk, Identity, MemoryDisk, Move};

use super::layout::{Layout, two_sectors};
use super::trial::origin;

/// A disk that counts its flushes.
struct Counted {
    disk: MemoryDisk,
    flushes: Rc<Cell<u64>>,
}

impl Disk for Counted {
    fn size_bytes(&self) -> u64 {
        self.disk.size_bytes()
    }

    fn logical_bytes(&self) -> u64 {
        self.disk.logical_bytes()
    }

    fn read_at(&mut self, at: u64, bytes: &mut [u8]) -> io::Result<()> {
        self.disk.read_at(at, bytes)
    }

    fn write_at(&mut self, at: u64, bytes: &[u8]) -> io::Result<()> {
        self.disk.write_at(at, bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.flushes.set(self.flushes.get() + 1);
        self.disk.flush()
    }
}

/// The flushes of disk and journal, what the run says of itself, and the disk.
fn moved(layout: &Layout) -> (u64, Done, Vec<u8>) {
    let flushes = Rc::new(Cell::new(0));
    let counted = |bytes: Vec<u8>| Counted {
        disk: MemoryDisk {
            bytes,
            logical_bytes: 512,
        },
        flushes: Rc::clone(&flushes),
    };
    let size = mover::journal_bytes(&layout.job, &layout.options).unwrap();
    let mut disk = counted(layout.bytes.clone());
    let mut store = counted(vec![0; usize::try_from(size).unwrap()]);
    let mut watch = |_: &mover::MoverProgress| ControlFlow::Continue(());
    let (job, options) = (&layout.job, &layout.options);
    let done = mover::apply_with(&mut disk, &mut store, job, &origin(), options, &mut watch);
    super::check::is_moved(layout, &disk.disk.bytes).unwrap();
    (flushes.get(), done.unwrap(), disk.disk.bytes)
}

fn cost(layout: &Layout) -> (u64, Done) {
    let (flushes, done, _) = moved(layout);
    (flushes, done)
}

/// The move of 16 KiB by 1 KiB, or to a place far away.
fn layout(to: u64, chunk: u64, direct_from: u64) -> Layout {
    layout_of(two_sectors(), to, chunk, direct_from)
}

fn layout_of(mut layout: Layout, to: u64, chunk: u64, direct_from: u64) -> Layout {
    layout.job.moves[0].to = to;
    layout.job.patches[0].at = to;
    layout.job.keep.clear();
    let mut disk = MemoryDisk {
        bytes: layout.bytes.clone(),
        logical_bytes: 512,
    };
    layout.job.identity = Identity::take(&mut disk, &layout.job.moves);
    layout.options = MoverOptions {
        chunk,
        piece: 512,
        direct_from,
        ..layout.options
    };
    layout
}

const KIB: u64 = 1 << 10;

#[test]
fn a_window_costs_two_flushes() {
    let staged = |chunk| cost(&layout(9 * KIB, chunk, 16 << 20)).0;
    // Four windows, two and one.
    assert_eq!(staged(4 * KIB) - staged(8 * KIB), 2 * 2);
    assert_eq!(staged(4 * KIB) - staged(16 * KIB), 2 * 3);
    let apart = |chunk| cost(&layout(44 * KIB, chunk, 512)).0;
    assert_eq!(
        staged(16 * KIB),
        apart(16 * KIB) + 1,
        "the end of a move is a record of its own"
    );
    assert_eq!(apart(KIB) - apart(2 * KIB), 2 * 8);
    // One that overlaps and goes straight has windows of its distance or of a chunk.
    let straight = |chunk| cost(&layout(9 * KIB, chunk, KIB)).0;
    assert_eq!(straight(512) - straight(KIB), 2 * 16);
    assert_eq!(straight(KIB), straight(16 * KIB));
}

#[test]
fn only_a_close_move_is_written_twice() {
    let written = |to, direct_from| cost(&layout(to, 4 * KIB, direct_from)).1.written_bytes;
    let straight = written(9 * KIB, KIB);
    assert_eq!(written(9 * KIB, KIB + 512), straight + 16 * KIB);
    assert_eq!(written(9 * KIB, 512), straight);
}

/// A move by 512 bytes and one by 1 KiB in one job.
#[test]
fn each_move_goes_by_its_own_distance() {
    let written = |direct_from| {
        let mut layout = two_sectors();
        layout.job.moves.push(Move {
            from: 40 * KIB,
            to: 41 * KIB,
            bytes: 8 * KIB,
        });
        let to = 8 * KIB + 512;
        let layout = layout_of(layout, to, 4 * KIB, direct_from);
        cost(&layout).1.written_bytes
    };
    let straight = written(512);
    assert_eq!(written(KIB), straight + 16 * KIB);
    assert_eq!(written(KIB + 512), straight + 24 * KIB);
}

#[test]
fn all_that_is_moved_is_read_back_once() {
    for (to, direct_from) in [(9 * KIB, 16 << 20), (9 * KIB, 512), (44 * KIB, 512)] {
        let done = cost(&layout(to, 4 * KIB, direct_from)).1;
        assert_eq!(
            (done.moved_bytes, done.verified_bytes),
            (16 * KIB, 16 * KIB)
        );
        assert!(done.unreadable.is_empty());
    }
}

/// The first 8 KiB of a partition are a superblock: nothing finds them where they were.
#[test]
fn no_superblock_is_left_behind() {
    let found = |fill: u8| {
        let mut layout = two_sectors();
        layout.bytes[8192..16_384].fill(fill);
        layout.job.patches[0].before.fill(fill);
        let layout = layout_of(layout, 44 * KIB, 4 * KIB, 512);
        let (_, done, disk) = moved(&layout);
        assert!(disk[8192..16_384].iter().all(|byte| *byte == 0));
        assert_eq!(disk[16_384..24_576], layout.bytes[16_384..24_576]);
        done.written_bytes
    };
    // It is overwritten by what stands for it, and then by zeros, whatever it was.
    assert_eq!(found(0xff), found(0));
}
