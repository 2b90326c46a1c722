//! Disks that fail while they are written: what they do not keep is found while the other copy exists.

use std::cell::Cell;
use std::io;
use std::ops::ControlFlow;
use std::rc::Rc;

use ioalign_repair::mover::{self, MoverOptions, Verify};
use ioalign_repair::{Disk, ErrorKind, Result};

use super::check::{is_as_before, is_moved};
use super::layout::{Layout, two_sectors};
use super::sim::{Power, SimDisk};
use super::trial::origin;

/// What is wrong with a disk.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fault {
    /// Writes are acknowledged and a byte of them is another.
    Garbles,
    /// Writes fail.
    Fails,
}

/// A disk that does so for some writes, and then no more.
struct Faulty {
    disk: SimDisk,
    fault: Fault,
    good: u64,
    bad: Rc<Cell<u64>>,
}

impl Disk for Faulty {
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
        if self.good > 0 || self.bad.get() == 0 {
            self.good = self.good.saturating_sub(1);
            return self.disk.write_at(at, bytes);
        }
        self.bad.set(self.bad.get() - 1);
        if self.fault == Fault::Fails {
            return Err(io::Error::from_raw_os_error(5));
        }
        let mut bytes = bytes.to_vec();
        bytes[17] ^= 4;
        self.disk.write_at(at, &bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.disk.flush()
    }
}

/// Applies on such a disk; that, the disk and the journal.
fn apply(
    layout: &Layout,
    fault: Fault,
    good: u64,
    bad: u64,
) -> (Result<mover::Done>, Faulty, SimDisk) {
    let power = Power::lasting(u64::MAX);
    let mut disk = Faulty {
        disk: layout.disk(&power),
        fault,
        good,
        bad: Rc::new(Cell::new(bad)),
    };
    let size = mover::journal_bytes(&layout.job, &layout.options).unwrap();
    let mut store = SimDisk::new(vec![0; usize::try_from(size).unwrap()], 1, &power);
    let mut watch = |_: &mover::MoverProgress| ControlFlow::Continue(());
    let (job, options) = (&layout.job, &layout.options);
    let done = mover::apply_with(&mut disk, &mut store, job, &origin(), options, &mut watch);
    (done, disk, store)
}

/// The layout, with windows that go straight to their places too.
fn layouts() -> [Layout; 2] {
    let straight = MoverOptions {
        direct_from: 512,
        ..two_sectors().options
    };
    [
        two_sectors(),
        Layout {
            options: straight,
            ..two_sectors()
        },
    ]
}

#[test]
fn a_garbled_window_is_written_again() {
    for layout in layouts() {
        for good in 0..16 {
            let (done, disk, _) = apply(&layout, Fault::Garbles, good, 1);
            assert!(done.unwrap().written_bytes > 16 << 10);
            is_moved(&layout, &disk.disk.durable).unwrap();
        }
    }
}

#[test]
fn a_disk_that_goes_on_so_is_given_up_and_nothing_is_lost() {
    for layout in layouts() {
        for (fault, good) in [
            (Fault::Garbles, 0),
            (Fault::Garbles, 9),
            (Fault::Fails, 0),
            (Fault::Fails, 9),
        ] {
            for back in [false, true] {
                let (done, mut disk, mut store) = apply(&layout, fault, good, u64::MAX);
                let error = done.unwrap_err();
                assert!(
                    [ErrorKind::Device, ErrorKind::Io].contains(&error.kind()),
                    "{error}"
                );
                disk.bad.set(0);
                let mut watch = |_: &mover::MoverProgress| ControlFlow::Continue(());
                let options = &layout.options;
                if back {
                    mover::rollback_with(&mut disk, &mut store, options, &mut watch).unwrap();
                    is_as_before(&layout, &disk.disk).unwrap();
                } else {
                    mover::resume_with(&mut disk, &mut store, options, &mut watch).unwrap();
                    is_moved(&layout, &disk.disk.durable).unwrap();
                }
            }
        }
    }
}

/// One piece in sixteen is looked at, the first and the last always.
#[test]
fn samples_are_fewer() {
    let mut layout = two_sectors();
    layout.options = MoverOptions {
        verify: Verify::Sampled,
        piece: 512,
        chunk: 16 << 10,
        ..layout.options
    };
    let (done, ..) = apply(&layout, Fault::Fails, 0, 0);
    assert_eq!(done.unwrap().verified_bytes, 3 * 512);
}
