//! `check --atomic` on a disk that cuts writes and loses power: what is certified stays whole, what is refused is torn.

use std::fs::{File, OpenOptions};
use std::io::IoSlice;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;
use std::thread;
use std::time::Duration;

use ioalign_core::random::split_mix;
use ioalign_tear::TornDisk;
use ioalign_testkit::run::{text, tool};
use ioalign_testkit::{check, needs};
use rustix::fs::OFlags;
use rustix::io::{ReadWriteFlags, pwritev2};

use super::PROGRAM;

const PAGES: u64 = 64;
/// A page, and the sector size of the disk that tears it.
const SIZES: [(usize, u64); 3] = [(4096, 512), (8192, 4096), (16384, 4096)];
/// The partition starts at the first mebibyte, or at sector 63.
const STARTS: [u64; 2] = [1 << 20, 63 * 512];
/// Losses of power for pages that stay whole, and at most for one that is torn.
const LOSSES: u64 = 6;
const MOST_LOSSES: u64 = 40;
const MARKED: ReadWriteFlags = ReadWriteFlags::from_bits_retain(0x40);
const PLAIN: ReadWriteFlags = ReadWriteFlags::empty();

/// Its kind, the words of its mkfs, and the pages that it writes in one piece on any disk.
type FileSystemOf = (&'static str, &'static [&'static str], &'static [usize]);

// XFS of less than 300 MiB needs a word for it.
const SYSTEMS: [FileSystemOf; 5] = [
    (
        "xfs",
        &[
            "mkfs.xfs",
            "-q",
            "-f",
            "-K",
            "--unsupported",
            "-m",
            "reflink=1",
        ],
        &[4096, 8192, 16384],
    ),
    (
        "xfs",
        &[
            "mkfs.xfs",
            "-q",
            "-f",
            "-K",
            "--unsupported",
            "-b",
            "size=16k",
        ],
        &[16384],
    ),
    (
        "xfs",
        &[
            "mkfs.xfs",
            "-q",
            "-f",
            "-K",
            "--unsupported",
            "-m",
            "reflink=0",
        ],
        &[],
    ),
    (
        "ext4",
        &["mkfs.ext4", "-q", "-F", "-b", "4096", "-E", "nodiscard"],
        &[],
    ),
    (
        "ext4",
        &[
            "mkfs.ext4",
            "-q",
            "-F",
            "-O",
            "bigalloc",
            "-C",
            "16384",
            "-E",
            "nodiscard",
        ],
        &[],
    ),
];

#[repr(align(65536))]
struct Aligned([u8; 16384]);

/// Pages of one stamp each, over and over, until the disk is gone.
fn write_until_the_end(path: &Path, page: usize, flags: ReadWriteFlags, mut chance: u64) {
    let direct = i32::try_from(OFlags::DIRECT.bits()).unwrap();
    let opened = OpenOptions::new()
        .write(true)
        .custom_flags(direct)
        .open(path);
    let Ok(file) = opened else {
        return;
    };
    let mut bytes = Box::new(Aligned([0; 16384]));
    loop {
        let stamp = split_mix(&mut chance).to_le_bytes();
        let words = bytes.0.chunks_exact_mut(8);
        words.for_each(|word| word.copy_from_slice(&stamp));
        let at = split_mix(&mut chance) % PAGES * page as u64;
        if pwritev2(&file, &[IoSlice::new(&bytes.0[..page])], at, flags).is_err() {
            return;
        }
    }
}

/// Pages with more than one stamp.
fn torn(path: &Path, page: usize) -> usize {
    let file = File::open(path).unwrap();
    let mut bytes = vec![0; page];
    let mixed = |at: &u64| {
        file.read_exact_at(&mut bytes, at * page as u64).unwrap();
        bytes.chunks_exact(8).any(|word| word != &bytes[..8])
    };
    (0..PAGES).filter(mixed).count()
}

/// A file of pages on a disk that loses its power.
struct Pages {
    disk: TornDisk,
    folder: tempfile::TempDir,
    system: FileSystemOf,
    page: usize,
    chance: u64,
}

impl Pages {
    fn new(system: FileSystemOf, start: u64, (page, unit): (usize, u64)) -> Self {
        let disk = TornDisk::new(start, unit, 7, None).unwrap();
        let (program, options) = system.1.split_first().unwrap();
        tool(program, &[options, &[text(disk.node())]].concat());
        let mut made = Self {
            disk,
            folder: tempfile::tempdir().unwrap(),
            system,
            page,
            chance: 1,
        };
        made.mount();
        let path = made.path();
        std::fs::write(&path, vec![0; page * usize::try_from(PAGES).unwrap()]).unwrap();
        File::open(&path).unwrap().sync_all().unwrap();
        made
    }

    fn path(&self) -> std::path::PathBuf {
        self.folder.path().join("pages")
    }

    fn mount(&mut self) {
        self.disk
            .mount_as(self.system.0, self.folder.path())
            .unwrap();
    }

    /// What the program says.
    fn certified(&self) -> bool {
        let size = self.page.to_string();
        let path = self.path();
        let run = check(PROGRAM, [text(&path), "--atomic", &size]);
        match run.target()["atomic"]["predicted"].as_str().unwrap() {
            "guaranteed" => true,
            "not-guaranteed" => false,
            other => panic!("{other}: {}", run.json),
        }
    }

    /// Pages that are torn after so many losses of power; the first one is enough.
    fn lost(&mut self, flags: ReadWriteFlags, losses: u64) -> usize {
        for _ in 0..losses {
            let (path, page) = (self.path(), self.page);
            let seed = split_mix(&mut self.chance);
            let writer = thread::spawn(move || write_until_the_end(&path, page, flags, seed));
            thread::sleep(Duration::from_millis(60 + split_mix(&mut self.chance) % 60));
            self.disk.power_off().unwrap();
            writer.join().unwrap();
            self.disk.unmount().unwrap();
            self.disk.power_on();
            self.mount();
            let torn = torn(&self.path(), self.page);
            if torn > 0 {
                return torn;
            }
        }
        0
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        let _ = self.disk.unmount();
    }
}

#[test]
fn certified_pages_stay_whole_and_refused_ones_are_torn() {
    needs!(Root, Packages);
    for system in SYSTEMS {
        for start in STARTS {
            for size in SIZES {
                let mut pages = Pages::new(system, start, size);
                let name = format!("{:?} at {start}, pages of {}", system.1, size.0);
                let certified = system.2.contains(&size.0);
                assert_eq!(pages.certified(), certified, "{name}");
                if certified {
                    assert_eq!(pages.lost(MARKED, LOSSES), 0, "{name}, marked");
                }
                // A certificate holds for what is marked, and for nothing else.
                assert_ne!(pages.lost(PLAIN, MOST_LOSSES), 0, "{name}, not marked");
            }
        }
    }
}
