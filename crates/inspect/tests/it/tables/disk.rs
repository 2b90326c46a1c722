//! Disks to read: bytes in memory, sparse files, and what the reference tools say about them.

use std::fs::OpenOptions;
use std::io::Write;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use ioalign_core::{Bytes, SectorSize};
use ioalign_inspect::source::{FileSource, MemorySource};
use ioalign_inspect::tables::{Context, Partition, PartitionTable, probe};
use ioalign_inspect::{Result, View};
use tempfile::NamedTempFile;

use crate::tools::run;

/// A sparse image file whose name ends in a letter, so that tools append plain numbers.
pub struct Disk {
    file: NamedTempFile,
}

impl Disk {
    pub fn new(bytes: u64) -> Self {
        let file = tempfile::Builder::new().suffix(".img").tempfile().unwrap();
        file.as_file().set_len(bytes).unwrap();
        Self { file }
    }

    /// A disk of `sectors` partitioned by an `sfdisk` script.
    pub fn sfdisk(sectors: u64, script: &str) -> Self {
        let disk = Self::new(sectors * 512);
        // Telling the kernel of a file's partitions takes a quarter of a second, for nothing.
        let quiet = ["--quiet", "--no-reread", "--no-tell-kernel"];
        disk.feed("sfdisk", &quiet, script);
        disk
    }

    pub fn path(&self) -> &Path {
        self.file.path()
    }

    pub fn write(&self, at: u64, bytes: &[u8]) {
        self.file.as_file().write_all_at(bytes, at).unwrap();
    }

    pub fn resize(&self, bytes: u64) {
        self.file.as_file().set_len(bytes).unwrap();
    }

    /// Runs a tool on the disk.
    pub fn tool(&self, name: &str, args: &[&str]) -> String {
        run(Command::new(name).args(args).arg(self.path()))
    }

    /// The same, with a script on its standard input.
    pub fn feed(&self, name: &str, args: &[&str], script: &str) -> String {
        let mut input = NamedTempFile::new().unwrap();
        input.write_all(script.as_bytes()).unwrap();
        let input = OpenOptions::new().read(true).open(input.path()).unwrap();
        run(Command::new(name).args(args).arg(self.path()).stdin(input))
    }

    pub fn view(&self) -> View {
        View::new(Arc::new(FileSource::open(self.path()).unwrap()))
    }

    pub fn table(&self) -> PartitionTable {
        probe(&self.view(), &Context::default())
            .unwrap()
            .expect("a table")
    }

    /// What `sfdisk --dump` says: number, start and size in sectors, type.
    pub fn dump(&self) -> Vec<Row> {
        let text = self.tool("sfdisk", &["--dump"]);
        let node = self.path().to_string_lossy().into_owned();
        text.lines()
            .filter_map(|line| line.strip_prefix(&node))
            .map(|line| {
                let (number, fields) = line.split_once(':').unwrap();
                let field = |name: &str| {
                    let part = fields.split(',').map(str::trim);
                    let mut part = part.filter_map(|f| f.strip_prefix(name));
                    part.next().unwrap_or_default().trim().to_owned()
                };
                Row {
                    number: number.trim().parse().unwrap(),
                    start: field("start=").parse().unwrap(),
                    size: field("size=").parse().unwrap(),
                    kind: plain(&field("type=")),
                }
            })
            .collect()
    }
}

/// One partition, as compared with an oracle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    pub number: u32,
    pub start: u64,
    pub size: u64,
    pub kind: String,
}

/// Our partitions in the same form, in sectors of `sector` bytes.
pub fn rows(table: &PartitionTable, sector: u64) -> Vec<Row> {
    let row = |p: &Partition| Row {
        number: p.number,
        start: p.start.get() / sector,
        size: p.size.get() / sector,
        kind: plain(&p.type_id),
    };
    table.partitions.iter().map(row).collect()
}

/// A type without prefix and leading zeros: tools write `7` and `07`.
fn plain(kind: &str) -> String {
    let digits = kind.strip_prefix("0x").unwrap_or(kind);
    digits.trim_start_matches('0').to_owned()
}

/// Start and size of each partition in sectors.
pub fn spans(table: &PartitionTable, sector: u64) -> Vec<(u64, u64)> {
    let rows = rows(table, sector).into_iter();
    rows.map(|row| (row.start, row.size)).collect()
}

/// Rules of the table's remarks, then of its partitions'.
pub fn rules(table: &PartitionTable) -> Vec<&'static str> {
    let own = table.remarks.iter();
    let inner = table.partitions.iter().flat_map(|p| &p.remarks);
    own.chain(inner).map(|remark| remark.rule).collect()
}

pub fn view(bytes: &[u8]) -> View {
    View::new(Arc::new(MemorySource::new(bytes)))
}

pub fn read(bytes: &[u8]) -> Result<Option<PartitionTable>> {
    probe(&view(bytes), &Context::default())
}

pub fn read_in(bytes: &[u8], parent: &str, start: u64) -> Result<Option<PartitionTable>> {
    let context = Context {
        parent_type: Some(parent.to_owned()),
        start_on_disk: Bytes::new(start),
        ..Context::default()
    };
    probe(&view(bytes), &context)
}

pub fn sized(sector: u32) -> Context {
    Context {
        sector: SectorSize::new(sector),
        ..Context::default()
    }
}

/// Overwrites bytes of an image.
pub fn put(image: &mut [u8], at: usize, bytes: &[u8]) {
    image[at..at + bytes.len()].copy_from_slice(bytes);
}

/// Writes a boot record at `at` with entries (type, start, size) in its first slots.
pub fn boot_record(image: &mut [u8], at: usize, entries: &[(u8, u32, u32)]) {
    for (slot, (kind, start, size)) in entries.iter().enumerate() {
        let entry = at + 446 + 16 * slot;
        image[entry + 4] = *kind;
        put(image, entry + 8, &start.to_le_bytes());
        put(image, entry + 12, &size.to_le_bytes());
    }
    put(image, at + 510, &[0x55, 0xAA]);
}

/// What `partx` says of an image, nested labels included: start and size in 512-byte sectors.
pub fn partx(disk: &Disk) -> Vec<(u64, u64)> {
    let text = disk.tool("partx", &["-s", "-g", "-o", "START,SECTORS"]);
    text.lines()
        .map(|line| {
            let mut words = line.split_whitespace().map(|word| word.parse().unwrap());
            (words.next().unwrap(), words.next().unwrap())
        })
        .collect()
}

/// What `fdisk` lists with a sector size that sfdisk does not offer: start and sectors.
pub fn fdisk(disk: &Disk, sector: u32) -> Vec<(u64, u64)> {
    let text = disk.tool(
        "fdisk",
        &["-b", &sector.to_string(), "-o", "Start,Sectors", "-l"],
    );
    let rows = text.lines().skip_while(|line| !line.contains("Start"));
    rows.skip(1)
        .filter_map(|line| {
            let mut words = line.split_whitespace().map(str::parse);
            Some((words.next()?.ok()?, words.next()?.ok()?))
        })
        .collect()
}
