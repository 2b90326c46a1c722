//! An image file as a disk, and what the real tools read in it.

use std::fs::File;
use std::path::Path;
use std::time::{Duration, Instant};

use ioalign_repair::mover::FileDisk;
use ioalign_repair::tables::TableSectors;
use ioalign_repair::{Disk, Error, ErrorKind};
use ioalign_testkit::run::command;

/// How long a lock may be in the way.
const MOST: Duration = Duration::from_secs(10);

/// A file as a disk with blocks of a size.
pub fn open(path: &Path, unit: u64) -> FileDisk {
    free(|| {
        let file = File::options().read(true).write(true).open(path).unwrap();
        FileDisk::locked(file, unit, path)
    })
    .unwrap()
}

/// The disk in a file, once it is free.
pub fn opened(path: impl AsRef<Path>) -> FileDisk {
    free(|| FileDisk::open(path.as_ref())).unwrap()
}

/// What `open` gives once the disk is free: between its fork and its exec a program that another test starts holds
/// what this process has open, the claim of a device too, and lets go of it a moment later.
pub fn free<T>(open: impl Fn() -> Result<T, Error>) -> Result<T, Error> {
    let begun = Instant::now();
    loop {
        match open() {
            Err(error) if error.kind() == ErrorKind::InUse && begun.elapsed() < MOST => {
                std::thread::sleep(Duration::from_millis(20));
            }
            opened => return opened,
        }
    }
}

/// Writes a table.
pub fn put(disk: &mut dyn Disk, groups: &[Vec<TableSectors>]) {
    for sectors in groups.iter().flatten() {
        disk.write_at(sectors.at, &sectors.bytes).unwrap();
    }
}

/// A partition as `sfdisk --dump` shows it: its number, start and size in sectors, and everything else.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    pub number: u32,
    pub start: u64,
    pub size: u64,
    pub rest: String,
}

/// Runs sfdisk on an image. It has no option for the size of blocks: it is asked on a loop device
/// where they are not of 512 bytes, which takes root.
fn sfdisk(path: &Path, unit: u64, shell: &str) -> String {
    let on_loop =
        "d=$(losetup --find --show --sector-size \"$2\" \"$1\"); trap 'losetup -d $d' EXIT; ";
    let plain = "d=$1; ";
    let before = if unit == 512 { plain } else { on_loop };
    let done = command("sh")
        .args(["-ec", &format!("{before}{shell}"), "-"])
        .arg(path)
        .arg(unit.to_string())
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&done.stderr);
    assert!(
        done.status.success(),
        "sfdisk is needed for this test: {errors}"
    );
    String::from_utf8(done.stdout).unwrap()
}

/// The table of an image by sfdisk: its head, and its partitions.
pub fn dump(path: &Path, unit: u64) -> (Vec<String>, Vec<Row>) {
    let text = sfdisk(path, unit, "sfdisk --dump \"$d\" | sed \"s!$d!$1!\"");
    let name = path.to_str().unwrap();
    let (rows, head): (Vec<_>, Vec<_>) = text.lines().partition(|line| line.starts_with(name));
    let row = |line: &str| {
        let (id, fields) = line.split_once(" : ").unwrap();
        let id = id
            .trim()
            .rsplit_once("img")
            .unwrap()
            .1
            .trim_start_matches('p');
        let fields: Vec<_> = fields.split(',').map(str::trim).collect();
        let number = |key: &str| {
            let field = fields.iter().find_map(|field| field.strip_prefix(key));
            field.unwrap().trim().parse().unwrap()
        };
        Row {
            number: id.parse().unwrap(),
            start: number("start="),
            size: number("size="),
            rest: fields.get(2..).unwrap().join(","),
        }
    };
    let head = head.into_iter().map(str::to_owned).collect();
    (head, rows.into_iter().map(row).collect())
}

/// Makes a table with sfdisk.
pub fn partition(path: &Path, unit: u64, script: &str) {
    let file = path.with_extension("sfdisk");
    std::fs::write(&file, script).unwrap();
    let shell = format!(
        "sfdisk --quiet --no-reread --no-tell-kernel \"$d\" < '{}'",
        file.display()
    );
    sfdisk(path, unit, &shell);
}
