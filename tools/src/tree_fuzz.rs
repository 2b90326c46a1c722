//! `tree_fuzz RUNS [SEED [TREE...]]`: folders that root reads without asking, with damage in one file at a time: the data
//! folders of databases, and captured hosts (`sys`, `proc`, tables of device-mapper). TREE: captured hosts of real kernels.
//! Nothing may panic or hang. `cargo xtask fuzz --trees`.
//!
//! A host takes a thousand times as long as a database: it gets a twentieth of the runs.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use ioalign_core::judge;
use ioalign_inspect::assemble::{self, AssembleOptions, HostOptions};
use ioalign_inspect::filesystems::database;
use ioalign_testkit::{Random, Sysroot, sysroot};

/// Hosts are read in this many of the runs.
const HOSTS_SHARE: u64 = 20;
/// A run may not take longer.
const SLOW: Duration = Duration::from_secs(5);
/// Files of a tree that are damaged; the rest of a large one would only thin the runs out.
const MOST_FILES: usize = 4000;
/// Longer files are devices: their readers have a loop of their own.
const LONGEST: u64 = 256 << 10;
/// What numbers in texts and headers become.
const NUMBERS: [&str; 10] = [
    "0",
    "-1",
    "18446744073709551615",
    "9223372036854775808",
    "4294967296",
    "1e9",
    "",
    "\0",
    "none",
    "../../../../etc/passwd",
];

pub fn main() {
    let mut words = std::env::args().skip(2);
    let mut number = |default| {
        words
            .next()
            .map_or(default, |word| word.parse::<u64>().unwrap())
    };
    let (runs, seed) = (number(100_000), number(1));
    let captured: Vec<PathBuf> = words
        .map(PathBuf::from)
        .filter(|path| path.join("sys").is_dir())
        .collect();
    let folder = tempfile::tempdir().unwrap();
    let databases: Vec<_> = (0..4)
        .map(|kind| database_folder(folder.path(), kind))
        .collect();
    run("databases", &databases, runs, seed, &|path| {
        let found = [
            database::find(path),
            database::find(&path.join("data.sqlite")),
        ];
        u64::from(found.iter().any(|found| matches!(found, Ok(Some(_)))))
    });
    let made = made_host();
    let copies = captured.iter().enumerate().map(|(index, tree)| {
        let copy = folder.path().join(format!("host{index}"));
        copy_tree(tree, &copy);
        copy
    });
    let hosts: Vec<_> = std::iter::once(made.path().to_owned())
        .chain(copies)
        .collect();
    run("hosts", &hosts, runs / HOSTS_SHARE, seed, &read_host);
}

/// Reads damaged folders; `read` says whether something was recognised.
fn run(name: &str, folders: &[PathBuf], runs: u64, seed: u64, read: &dyn Fn(&Path) -> u64) {
    let trees: Vec<_> = folders
        .iter()
        .map(|folder| (folder, files(folder)))
        .collect();
    assert!(
        trees.iter().all(|(folder, _)| read(folder) == 1),
        "a seed is not recognised"
    );
    let mut random = Random(seed);
    let (started, mut slowest, mut known) = (Instant::now(), Duration::ZERO, 0);
    for number in 0..runs {
        let (folder, files) = random.pick(&trees);
        let file = random.pick(files);
        let before = fs::read(file).unwrap();
        let mut damaged = before.clone();
        for _ in 0..=random.below(3) {
            damage(&mut damaged, &mut random);
        }
        fs::write(file, &damaged).unwrap();
        let begun = Instant::now();
        let result = catch_unwind(AssertUnwindSafe(|| read(folder)));
        slowest = slowest.max(begun.elapsed());
        fs::write(file, &before).unwrap();
        let Ok(recognised) = result else {
            panic!(
                "{name}: run {number} of seed {seed}: {} with {damaged:?}",
                file.display()
            );
        };
        assert!(
            slowest < SLOW,
            "{name}: run {number} of seed {seed} took {slowest:?}"
        );
        known += recognised;
    }
    println!(
        "trees/{name}: {runs} runs on {} files of {} trees in {:.1} s, {known} recognised, slowest {:.1} ms, no panic",
        trees.iter().map(|(_, files)| files.len()).sum::<usize>(),
        trees.len(),
        started.elapsed().as_secs_f64(),
        slowest.as_secs_f64() * 1e3,
    );
}

fn read_host(tree: &Path) -> u64 {
    let what = HostOptions {
        sysroot: Some(tree.to_owned()),
        only: Vec::new(),
        extents: false,
    };
    let Ok(found) = assemble::host(&what, &AssembleOptions::default()) else {
        return 0;
    };
    let _ = judge::judge(&found.stack, &judge::JudgeOptions::default());
    1
}

fn damage(bytes: &mut Vec<u8>, random: &mut Random) {
    let at = random.below(bytes.len() + 1);
    match random.below(6) {
        0 => {
            if let Some(byte) = bytes.get_mut(at) {
                *byte ^= 1 << random.below(8);
            }
        }
        1 => bytes.truncate(at),
        2 => *bytes = random.pick(&NUMBERS).as_bytes().to_vec(),
        3 => {
            let digits = at..bytes.len().min(at + 1 + random.below(8));
            bytes.splice(digits, random.pick(&NUMBERS).bytes());
        }
        4 => {
            let piece = bytes[at..].to_vec();
            bytes.extend(piece.iter().take(4096));
        }
        _ => {
            let word = random.next().to_le_bytes();
            let end = bytes.len().min(at + 4);
            bytes.splice(at..end, word.into_iter().take(4));
        }
    }
}

/// One folder of each kind of database.
fn database_folder(folder: &Path, kind: usize) -> PathBuf {
    let folder = folder.join(format!("database{kind}"));
    fs::create_dir_all(folder.join("global")).unwrap();
    let write = |name: &str, bytes: &[u8]| fs::write(folder.join(name), bytes).unwrap();
    match kind {
        0 => {
            let mut control = vec![0; 512];
            control[160..168].copy_from_slice(&1_234_567.0_f64.to_le_bytes());
            for (index, value) in [8192_u32, 131_072, 8192, 16 << 20].iter().enumerate() {
                let at = 168 + 4 * index;
                control[at..at + 4].copy_from_slice(&value.to_le_bytes());
            }
            write("global/pg_control", &control);
            write("PG_VERSION", b"15\n");
            write(
                "postgresql.conf",
                b"#full_page_writes = on\nfull_page_writes = off # lost\n",
            );
            write("postgresql.auto.conf", b"full_page_writes = 'on'\n");
        }
        1 => {
            let mut header = vec![0; 64];
            header[25] = 8;
            write("ibdata1", &header);
            write("ib_16384_0.dblwr", b"");
        }
        2 => {
            let mut header = b"SQLite format 3\0".to_vec();
            header.extend([16, 0, 2, 2]);
            header.resize(100, 0);
            write("data.sqlite", &header);
        }
        _ => write(
            "WiredTiger",
            b"WiredTiger\nWiredTiger 11.2.0: (November 9, 2022)\n",
        ),
    }
    folder
}

/// A host with most of what the readers ask for: an array, dm tables of several kinds, mounts.
fn made_host() -> Sysroot {
    let disk = |name| sysroot::SysrootDisk::new(name, 1 << 22).limits(512, 4096, 4096, 0);
    Sysroot::new()
        .disk(disk("sda").model("ATA", "ST4000VN008"))
        .disk(disk("sdb").usb())
        .disk(disk("vda").virtio().attr("queue/optimal_io_size", 1 << 20))
        .partition("sda", 1, 63, 1_000_000)
        .partition("sdb", 1, 2048, 1_000_000)
        .md(
            "md0",
            1_900_000,
            ("raid5", 65536, 2),
            &[("sda1", "0", 2048), ("sdb1", "1", 2048)],
        )
        .dm("dm-0", "vg-root", "LVM-x", 500_000, &["md0"])
        .dm("dm-1", "secret", "CRYPT-LUKS2-x", 400_000, &["dm-0"])
        .tables(
            "vg-root: 0 500000 linear {md0} 2048\n\
             secret: 0 400000 crypt aes-xts-plain64 :64:logon:x 0 {dm-0} 32768\n",
        )
        .file(
            "proc/self/mountinfo",
            "29 1 254:1 / / rw,relatime shared:1 - ext4 /dev/mapper/secret rw,stripe=32\n",
        )
}

/// Files of a tree, without those of devices.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        let mut entries: Vec<_> = fs::read_dir(next)
            .unwrap()
            .map(|entry| entry.unwrap())
            .collect();
        entries.sort_by_key(fs::DirEntry::path);
        for entry in entries {
            let kind = entry.file_type().unwrap();
            if kind.is_dir() {
                folders.push(entry.path());
            } else if kind.is_file() && entry.metadata().unwrap().len() <= LONGEST {
                found.push(entry.path());
            }
        }
    }
    found.truncate(MOST_FILES);
    found
}

/// A copy that may be damaged, without the contents of devices.
fn copy_tree(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let (kind, to) = (entry.file_type().unwrap(), to.join(entry.file_name()));
        if kind.is_dir() {
            copy_tree(&entry.path(), &to);
        } else if kind.is_symlink() {
            std::os::unix::fs::symlink(fs::read_link(entry.path()).unwrap(), to).unwrap();
        } else if kind.is_file() && entry.metadata().unwrap().len() <= LONGEST {
            fs::copy(entry.path(), to).unwrap();
        }
    }
}
