//! The space before the first partition: read once for a plan, and a plan ends where it cannot be read.

use std::io;
use std::ops::Range;

use ioalign_core::Boundaries;
use ioalign_repair::fix::{self, Choices, DiskSurvey, PartitionFacts};
use ioalign_repair::{Disk, ErrorKind, Identity, Job, MemoryDisk, Move, Result, mover};
use ioalign_testkit::mbr;

const SECTOR: u64 = 512;
const MIB: u64 = 1 << 20;
/// Of the only partition: 4 MiB and one sector.
const FIRST: u32 = 8193;

/// A disk that counts reads, and has a bad sector.
struct Watched {
    disk: MemoryDisk,
    bad: Option<u64>,
    reads: Vec<Range<u64>>,
}

impl Watched {
    fn new(bad: Option<u64>) -> Self {
        let mut bytes = vec![0; 16 << 20];
        bytes[..512].copy_from_slice(&mbr::sector(&[(0x83, FIRST, 4000)]));
        Self {
            disk: MemoryDisk {
                bytes,
                logical_bytes: SECTOR,
            },
            bad,
            reads: Vec::new(),
        }
    }

    fn plan(&mut self) -> Result<fix::RepairPlan> {
        let part = PartitionFacts {
            number: 1,
            what: "noise".to_owned(),
            demand: Some(Boundaries {
                period: 4096,
                phase: 0,
            }),
            suggested: None,
            stays: None,
            needs: None,
        };
        let survey = DiskSurvey {
            parts: vec![part],
            ..DiskSurvey::default()
        };
        fix::plan(self, &survey, &Choices::default())
    }
}

impl Disk for Watched {
    fn size_bytes(&self) -> u64 {
        self.disk.size_bytes()
    }

    fn logical_bytes(&self) -> u64 {
        self.disk.logical_bytes()
    }

    fn read_at(&mut self, at: u64, bytes: &mut [u8]) -> io::Result<()> {
        let range = at..at + bytes.len() as u64;
        if self.bad.is_some_and(|bad| range.contains(&bad)) {
            return Err(io::Error::from_raw_os_error(5));
        }
        self.reads.push(range);
        self.disk.read_at(at, bytes)
    }

    fn write_at(&mut self, at: u64, bytes: &[u8]) -> io::Result<()> {
        self.disk.write_at(at, bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.disk.flush()
    }
}

#[test]
fn it_is_read_once() {
    let mut disk = Watched::new(None);
    let plan = disk.plan().unwrap();
    assert_eq!(plan.shifts.len(), 1);
    let over = disk.reads.iter().filter(|read| read.contains(&(3 * MIB)));
    assert_eq!(over.count(), 1);
}

#[test]
fn where_it_cannot_be_read_the_plan_ends() {
    // Near, where a boot loader is, and far, where that of a board may be.
    for bad in [40 * SECTOR, 3 * MIB + SECTOR] {
        let error = Watched::new(Some(bad)).plan().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Device);
        let text = error.to_string();
        for words in ["boot loader", "cannot be read at byte", "ddrescue"] {
            assert!(text.contains(words), "no «{words}» in: {text}");
        }
    }
}

/// Two partitions that come to lie side by side in free space: what is kept of it is kept for each.
#[test]
fn neighbours_go_to_free_space() {
    for free in [0, 7] {
        let mut disk = MemoryDisk {
            bytes: vec![free; 1 << 20],
            logical_bytes: SECTOR,
        };
        let to = |from: u64, to: u64| Move {
            from,
            to,
            bytes: 8192,
        };
        let moves = vec![to(64 << 10, 256 << 10), to(96 << 10, (256 << 10) + 8192)];
        let job = Job {
            identity: Identity::take(&mut disk, &moves),
            moves,
            patches: Vec::new(),
            keep: Vec::new(),
        };
        mover::check(&job, 1 << 20, SECTOR).unwrap();
    }
}
