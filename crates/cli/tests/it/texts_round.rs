//! One image, read by itself and by what every tool prints of it: the same starts, and the same
//! findings about its partitions.

use std::collections::BTreeSet;
use std::path::Path;

use ioalign_testkit::gpt::{self, ESP, LINUX};
use ioalign_testkit::run::command;
use ioalign_testkit::{CheckRun, Disk, check};
use serde_json::Value;

use super::PROGRAM;
use super::texts::from_stdin;

/// An image with a table that sfdisk made of `script`.
fn image(mib: u64, script: &str) -> Disk {
    let disk = Disk::new("disk.img", mib << 20);
    let mut command = command("sfdisk");
    command.args(["--quiet", "--no-reread", "--no-tell-kernel"]);
    let mut child = command
        .arg(disk.path())
        .stdin(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), script.as_bytes()).unwrap();
    assert!(child.wait().unwrap().success(), "{script}");
    disk
}

/// What a tool prints; `FILE` stands for the image.
fn printed(disk: &Path, sector: u64, line: &[&str]) -> String {
    let (tool, arguments) = line.split_first().unwrap();
    let mut command = command(tool);
    // parted's own switch for its tests: a file has the sectors that are named here.
    command.env("PARTED_SECTOR_SIZE", sector.to_string());
    for argument in arguments {
        match *argument {
            "FILE" => command.arg(disk),
            "SECTOR" => command.arg(sector.to_string()),
            other => command.arg(other),
        };
    }
    let output = command
        .output()
        .unwrap_or_else(|error| panic!("{line:?} does not start, is it installed? {error}"));
    assert!(output.status.success(), "{line:?}");
    String::from_utf8(output.stdout).unwrap()
}

const LISTINGS: [&[&str]; 4] = [
    &["fdisk", "-b", "SECTOR", "-l", "FILE"],
    &["parted", "-s", "FILE", "unit", "s", "print"],
    &["parted", "-ms", "FILE", "unit", "s", "print"],
    &["parted", "-ms", "FILE", "unit", "B", "print"],
];
/// Of a file sfdisk and gdisk believe sectors of 512 bytes only.
const SFDISK: [&[&str]; 2] = [&["sfdisk", "-d", "FILE"], &["sfdisk", "-J", "FILE"]];
const SGDISK: &[&str] = &["sgdisk", "-p", "FILE"];

/// Number, start and native start of each partition.
fn starts(checked: &CheckRun) -> BTreeSet<(u64, u64, Option<u64>)> {
    let layers = checked.target()["layers"].as_array().unwrap();
    let parts = layers.iter().filter(|layer| layer["kind"] == "partition");
    parts
        .filter(|layer| layer["role"] != "extended")
        .map(|layer| {
            let start = layer["below"][0]["start_bytes"].as_u64().unwrap();
            (
                number(&layer["name"]),
                start,
                layer["start_sectors"].as_u64(),
            )
        })
        .collect()
}

/// The number at the end of `p3`, `partition:disk.img3`.
fn number(name: &Value) -> u64 {
    let name = name.as_str().unwrap();
    let digits = name.trim_start_matches(|c: char| !c.is_ascii_digit());
    let tail = name.rsplit(|c: char| !c.is_ascii_digit()).next();
    tail.unwrap_or(digits).parse().unwrap()
}

/// What is said of partitions: rule, severity, number, arithmetic, advice.
fn findings(checked: &CheckRun) -> BTreeSet<String> {
    let about = |finding: &&Value| {
        let layer = finding["layer"].as_str().unwrap_or_default();
        // What is in a partition no listing shows.
        layer.starts_with("partition:") && finding["rule"] != "esp-not-fat"
    };
    let shown = |finding: &Value| {
        let suggest = &finding["suggest"];
        format!(
            "{} {} {} {} {} {} {}",
            finding["rule"],
            finding["severity"],
            number(&finding["layer"]),
            finding["unit_bytes"],
            finding["offset_bytes"],
            suggest["start_sectors"],
            suggest["size_bytes"],
        )
    };
    checked.findings().iter().filter(about).map(shown).collect()
}

fn compare(disk: &Disk, sector: u64, listings: &[&[&str]], arguments: &[&str]) {
    let mut all = vec![disk.path().to_str().unwrap()];
    all.extend(arguments);
    let whole = check(PROGRAM, all);
    assert!(!starts(&whole).is_empty(), "{:#}", whole.target());
    for line in listings {
        let text = printed(disk.path(), sector, line);
        let checked = from_stdin(text.as_bytes(), arguments);
        assert_eq!(starts(&checked), starts(&whole), "{line:?}\n{text}");
        assert_eq!(findings(&checked), findings(&whole), "{line:?}\n{text}");
        assert_eq!(checked.verdict(), whole.verdict(), "{line:?}\n{text}");
    }
}

/// Judged by the assumed grids, by a stripe, and by 192 KiB, which is no power of two.
const GRIDS: [&[&str]; 3] = [
    &[],
    &["--grid", "64k:stripe:rmw"],
    &["--grid", "192k:full-stripe:preference"],
];

#[test]
fn a_dos_table_with_logical_partitions() {
    needs!(Packages);
    let script = "label: dos\nstart=63,size=40001,type=83\nstart=43008,size=20000,type=82\n\
        start=65536,size=190000,type=5\nstart=65599,size=30000,type=83\nstart=98304,size=8192,type=83\n\
        start=106560,size=50001,type=8e\n";
    let disk = image(128, script);
    let listings = [&LISTINGS[..], &SFDISK].concat();
    for grids in GRIDS {
        compare(&disk, 512, &listings, grids);
    }
}

#[test]
fn a_guid_table() {
    needs!(Packages);
    let script = "label: gpt\nfirst-lba: 34\nstart=34,size=2014,type=21686148-6449-6E6F-744E-656564454649\n\
        start=2048,size=20480,type=U\nstart=22529,size=40000,type=L\nstart=65536,size=100001,type=V\n";
    let disk = image(128, script);
    let listings = [&LISTINGS[..], &SFDISK, &[SGDISK]].concat();
    for grids in GRIDS {
        compare(&disk, 512, &listings, grids);
    }
}

#[test]
fn a_guid_table_of_4096_byte_sectors() {
    needs!(Packages);
    let disk = Disk::new("disk.img", 128 << 20);
    let entries = [(ESP, 6, 250), (LINUX, 256, 2048), (LINUX, 2305, 10001)];
    gpt::write(&disk, 4096, &entries);
    for grids in GRIDS {
        compare(&disk, 4096, &LISTINGS, grids);
    }
}
