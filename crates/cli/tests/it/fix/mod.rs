//! `ioalign fix` as its users run it: what is written, and above all what is not.

mod back;
mod changes;
mod convert;
mod devices;
mod ends;
mod enlarge;
mod found;
mod guilty;
mod in_flight;
mod killed;
mod layouts;
mod logs;
mod migrate;
mod new_image;
mod ova;
mod overlays;
mod owners;
mod package;
mod pasted;
mod refusals;
mod says;
mod sequences;
mod sparse;
mod trouble;
mod trusted;
mod universal;
mod unreadable;
mod vhdx_reader;

use std::io::Write;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Output, Stdio};
use std::time::Duration;

use ioalign_testkit::run::{command, device_bytes, text, tool, wait_until as until};
use ioalign_testkit::{Disk, Random};
use serde_json::Value;

use super::{PROGRAM, check_image};

const MIB: u64 = 1 << 20;

/// An image with a table, every partition of which is full of bytes of its own.
struct Image {
    disk: Disk,
    parts: Vec<Part>,
}

/// What a partition has to hold, wherever it is.
#[derive(Clone)]
struct Part {
    number: u64,
    bytes: Vec<u8>,
}

/// A partition as sfdisk shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Line {
    number: u64,
    start: u64,
    size: u64,
    /// Type, identity, name, flags.
    rest: Vec<String>,
}

impl Image {
    /// A disk of `mib` MiB by a script of sfdisk.
    fn new(mib: u64, script: &str) -> Self {
        let disk = Disk::new("disk.img", mib * MIB);
        sfdisk(disk.path(), script);
        let mut image = Self {
            disk,
            parts: Vec::new(),
        };
        image.fill();
        image
    }

    /// It holds the marker as soon as a move begins.
    fn first_sector(&self) -> Vec<u8> {
        let mut sector = vec![0; 512];
        let file = std::fs::File::open(self.path()).unwrap();
        file.read_exact_at(&mut sector, 0).unwrap();
        sector
    }

    /// The partitions at 63 that every test of a crash can use.
    fn old() -> Self {
        Self::new(
            40,
            "label: dos\n63,20000,7\n20063,16065,83\n36129,30000,83\n",
        )
    }

    fn fill(&mut self) {
        for line in self.table() {
            if line.rest.contains(&"type=f".to_owned()) || line.rest.contains(&"type=5".to_owned())
            {
                continue;
            }
            let bytes = noise(line.number, line.size);
            self.disk.write(line.start, &bytes);
            let number = line.number;
            self.parts.push(Part { number, bytes });
        }
    }

    fn path(&self) -> &Path {
        self.disk.path()
    }

    fn journal(&self) -> PathBuf {
        self.disk.folder().join("disk.img.ioalign-journal")
    }

    fn table(&self) -> Vec<Line> {
        table(self.path(), 512)
    }

    fn whole(&self) -> Vec<u8> {
        std::fs::read(self.path()).unwrap()
    }

    /// Every partition holds its bytes where the table says.
    fn holds(&self) {
        let table = self.table();
        for part in &self.parts {
            let line = table
                .iter()
                .find(|line| line.number == part.number)
                .unwrap();
            let there = self.disk.read(line.start, part.bytes.len());
            assert!(
                there == part.bytes,
                "partition {} at {}",
                line.number,
                line.start
            );
        }
    }

    /// All starts are on the grid, and all data where they should be.
    fn is_fixed(&self, grid: u64) {
        self.holds();
        for part in &self.parts {
            let table = self.table();
            let line = table
                .iter()
                .find(|line| line.number == part.number)
                .unwrap();
            assert_eq!(line.start % grid, 0, "{line:?}");
        }
        assert!(!self.journal().exists());
        assert_eq!(document(&[text(self.path())])["needed"], false);
    }
}

/// Bytes that are nobody else's, and no file system.
fn noise(seed: u64, bytes: u64) -> Vec<u8> {
    let mut random = Random(seed + 1);
    let words = (0..bytes.div_ceil(8)).flat_map(|_| random.next().to_le_bytes());
    let mut all: Vec<u8> = words.collect();
    all.truncate(usize::try_from(bytes).unwrap());
    // The end of a first sector that is no boot sector.
    all[510] = 0;
    all
}

fn sfdisk(path: &Path, script: &str) {
    let mut child = command("sfdisk")
        .args(["--quiet", text(path)])
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(script.as_bytes()).unwrap();
    drop(input);
    assert!(child.wait().unwrap().success());
}

/// The table of an image or device as sfdisk reads it, in bytes.
fn table(path: &Path, unit: u64) -> Vec<Line> {
    let dump = tool("sfdisk", &["--dump", text(path)]);
    let name = text(path);
    let lines = dump.lines().filter(|line| line.starts_with(name));
    lines.map(|line| parse(line, name, unit)).collect()
}

fn parse(line: &str, name: &str, unit: u64) -> Line {
    let (device, fields) = line.split_once(" : ").unwrap();
    let number = device
        .trim()
        .trim_start_matches(name)
        .trim_start_matches('p');
    let mut fields = fields.split(',').map(|field| field.replace(' ', ""));
    let mut next = |key: &str| -> u64 {
        let field = fields.next().unwrap();
        field.strip_prefix(key).unwrap().parse::<u64>().unwrap() * unit
    };
    Line {
        number: number.parse().unwrap(),
        start: next("start="),
        size: next("size="),
        rest: fields.collect(),
    }
}

fn fix(arguments: &[&str]) -> Output {
    started(arguments).wait_with_output().unwrap()
}

fn started(arguments: &[&str]) -> Child {
    let mut child = command(PROGRAM);
    child.arg("fix").args(arguments);
    child
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// It must end so, and says this on standard error.
fn refused(arguments: &[&str], code: i32, words: &[&str]) {
    let output = fix(arguments);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{errors}");
    for word in words {
        assert!(errors.contains(word), "no «{word}» in: {errors}");
    }
}

/// It must be done.
fn done(arguments: &[&str]) {
    let output = fix(arguments);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
}

fn document(arguments: &[&str]) -> Value {
    let output = fix(&[arguments, &["--json"]].concat());
    let value = serde_json::from_slice(&output.stdout);
    let value: Value = value.unwrap_or_else(|error| panic!("{error}: {output:?}"));
    valid(&value);
    value
}

fn valid(document: &Value) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/schema/fix-1.schema.json");
    let schema: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let validator = jsonschema::draft202012::new(&schema).unwrap();
    let errors = validator.iter_errors(document);
    let errors: Vec<_> = errors.map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{errors:#?}\n{document:#}");
}

/// The bytes of a second state that differ from the first.
fn new_bytes(before: &[u8], after: &[u8]) -> Vec<u8> {
    // Blocks first: tests are built without optimising.
    let blocks = before.chunks(4096).zip(after.chunks(4096));
    let changed = blocks.filter(|(old, new)| old != new);
    let bytes = changed.flat_map(|(old, new)| old.iter().zip(new).filter(|(old, new)| old != new));
    bytes.map(|(_, new)| *new).collect()
}

#[test]
fn a_dry_run_changes_no_byte() {
    needs!(Packages);
    let image = Image::old();
    let before = image.whole();
    let plan = document(&[text(image.path())]);
    assert_eq!(plan["result"], "planned");
    let moves = plan["plan"]["moves"].as_array().unwrap();
    assert_eq!(moves.len(), 3);
    assert!(
        plan["plan"]["journal"]["path"]
            .as_str()
            .unwrap()
            .ends_with("disk.img.ioalign-journal")
    );
    let shown = fix(&[text(image.path())]);
    assert_eq!(shown.status.code(), Some(0), "{shown:?}");
    let shown = String::from_utf8(shown.stdout).unwrap();
    assert!(
        shown.contains("Nothing was written") && !shown.contains('\u{1b}'),
        "{shown}"
    );
    assert!(image.whole() == before);
    assert_eq!(std::fs::read_dir(image.disk.folder()).unwrap().count(), 1);
}
