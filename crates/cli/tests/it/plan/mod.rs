//! `ioalign plan`: the published dialogues, documents that hold to the schema, and commands that are run.

mod agree;
mod boundaries;
mod disks;
mod guest;
mod scripts;
mod windows;

use std::process::{Command, Output};

use serde_json::Value;

use super::PROGRAM;
use super::schema::valid;

fn plan(arguments: &[&str]) -> Output {
    let mut command = Command::new(PROGRAM);
    command.arg("plan").args(arguments).output().unwrap()
}

fn text(arguments: &[&str]) -> String {
    let output = plan(arguments);
    assert!(output.stderr.is_empty(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

fn document(arguments: &[&str]) -> Value {
    let value: Value = serde_json::from_str(&text(&[arguments, &["--json"]].concat())).unwrap();
    valid(&value, "plan-1.schema.json");
    value
}

/// The first words of the lines of one step.
fn keys(plan: &Value, step: usize) -> Vec<String> {
    let lines = plan["commands"][step]["lines"].as_array().unwrap();
    let first = |line: &Value| {
        line.as_str()
            .unwrap()
            .split("  ")
            .next()
            .unwrap()
            .to_owned()
    };
    lines.iter().map(first).collect()
}

#[test]
fn the_console_of_esx_is_answered_as_published() {
    let plan = document(&["--platform", "esxi", "--label", "dos"]);
    let keys = keys(&plan, 0);
    let dialogue: Vec<_> = keys.iter().skip(1).map(String::as_str).collect();
    // d, n, p, 1, two times Enter, t, fb, x, b, 1, 128, w.
    assert_eq!(
        dialogue,
        [
            "d", "n", "p", "1", "", "", "t", "fb", "x", "b", "1", "128", "w"
        ]
    );
    assert_eq!(plan["commands"][0]["destroys_data"], true);
}

#[test]
fn format_of_solaris_is_answered_as_published() {
    let plan = document(&["--platform", "solaris", "--volume-block", "8k"]);
    let keys = keys(&plan, 0);
    let dialogue: Vec<_> = keys.iter().skip(1).map(String::as_str).collect();
    let published = [
        "partition",
        "print",
        "0",
        "usr",
        "wm",
        "64",
        "$",
        "label",
        "1",
        "y",
        "print",
    ];
    assert_eq!(dialogue.get(..11).unwrap(), published);
    for (block, sector) in [("64k", 65536), ("128k", 131_072)] {
        let plan = document(&["--platform", "solaris", "--volume-block", block]);
        assert_eq!(plan["layers"][0]["start_bytes"], sector);
    }
}

#[test]
fn the_published_file_system_options_come_out() {
    let raid = ["--raid", "5", "--disks", "6", "--element", "64k", "--quiet"];
    let xfs = text(&[&raid[..], &["--fs", "xfs"]].concat());
    assert!(
        xfs.contains("\nmkfs.xfs -b size=4k -d su=64k,sw=5 /dev/md0p1\n"),
        "{xfs}"
    );
    let ext4 = text(&[&raid[..], &["--fs", "ext4"]].concat());
    assert!(
        ext4.contains(" -b 4096 -E stride=16,stripe-width=80 /dev/md0p1\n"),
        "{ext4}"
    );
}

#[test]
fn what_cannot_be_had_is_said_and_exits_with_1() {
    let output = plan(&["--grid", "4k@3584:jumper:rmw", "--physical", "512"]);
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(
        said.contains("given up: habit of 1 MiB: it shares no boundary with jumper (4 KiB)"),
        "{said}"
    );
    let output = plan(&["--size", "1M", "--partition", "data:2M"]);
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("there is no such layout"), "{said}");
    for wrong in [
        &["--raid", "5"][..],
        &[
            "--raid", "5", "--disks", "2", "--device", "/dev/sda", "/dev/sdb", "/dev/sdc",
        ],
        &["--thin"],
        &["--device", "/dev/sda", "/dev/sdb"],
        &["--disks", "3"],
        &["--raid", "5", "--device", "/dev/sda"],
        &["--raid", "5", "--disks", "3", "--device", "/dev/sda"],
        &[
            "--raid", "1", "--device", "/dev/sda", "--device", "/dev/sda",
        ],
        &["--raid", "5", "--disks", "2"],
        &[
            "--raid",
            "5",
            "--disks",
            "4",
            "--controller",
            "--device",
            "/dev/sda",
            "--device",
            "/dev/sdb",
        ],
        &["--device", ""],
        &["--device", "/dev/sd\nb"],
        &["--logical", "1000"],
        &["--unit", "0"],
        &["--label", "vtoc"],
        &["--fs", "vmfs"],
        &["--partition", "root:1G"],
    ] {
        assert_eq!(plan(wrong).status.code(), Some(64), "{wrong:?}");
    }
    let gone = plan(&["--from", "/nowhere/check.json"]);
    assert_eq!(gone.status.code(), Some(65));
}

#[test]
fn text_keeps_to_a_hundred_columns_but_for_commands() {
    let said = text(&[
        "--raid",
        "6",
        "--disks",
        "8",
        "--element",
        "256k",
        "--luks",
        "--lvm",
        "--thin",
        "--fs",
        "xfs",
        "--db",
        "innodb",
        "--partition",
        "esp:512M,boot:1G,data",
        "--size",
        "20T",
    ]);
    narrow(&said);
    narrow(&text(&["--label", "none", "--physical", "4k"]));
    narrow(&text(&["--platform", "esxi", "--label", "dos"]));
}

/// Commands are not wrapped: they are there to be copied.
fn narrow(said: &str) {
    for line in said
        .lines()
        .filter(|line| !line.starts_with("   ") || line.starts_with("   #"))
    {
        assert!(line.chars().count() <= 100, "{line}");
    }
}

#[test]
fn words_of_a_foreign_document_cannot_act_on_a_terminal() {
    let folder = tempfile::tempdir().unwrap();
    let (image, check) = (folder.path().join("a.img"), folder.path().join("a.json"));
    std::fs::File::create(&image)
        .unwrap()
        .set_len(64 << 20)
        .unwrap();
    let mut command = Command::new(PROGRAM);
    command.args([
        "check",
        "--json",
        "--no-policy",
        "--grid",
        "64k:stripe:preference",
    ]);
    let output = command.arg(image).output().unwrap();
    let mut document: Value = serde_json::from_slice(&output.stdout).unwrap();
    let grids = document["targets"][0]["grids"].as_array_mut().unwrap();
    for grid in grids.iter_mut().filter(|grid| grid["kind"] == "stripe") {
        grid["kind"] = "stripe\u{1b}]0;owned\u{7}\u{9b}2J".into();
        grid["source"] = format!("{} é \u{202e}\u{1b}[31mred", "long words ".repeat(9)).into();
    }
    std::fs::write(&check, document.to_string()).unwrap();
    let from = ["--from", check.to_str().unwrap()];
    let said = text(&from);
    assert!(said.contains("stripe\u{fffd}]0;owned"), "{said}");
    let acts = |c: char| c != '\n' && c.is_control() || c == '\u{202e}';
    assert!(!said.contains(acts), "{said:?}");
    narrow(&said);
    let json = text(&[&from[..], &["--json"]].concat());
    assert!(!json.contains("u001b") && !json.contains(acts), "{json}");
}

/// What it prints can be made one for both sectors, and the last command does that.
#[test]
fn an_image_for_both_sectors_ends_in_its_second_table() {
    let said = |more: &[&str]| {
        let fixed = ["--universal", "--device", "/dev/loop7", "--size", "10G"];
        text(&[&fixed[..], more].concat())
    };
    let said = said(&["--partition", "esp:300M,data", "--fs", "xfs"]);
    assert!(
        said.contains("mkfs.xfs -b size=4k -s size=4k /dev/loop7p2"),
        "{said}"
    );
    assert!(
        said.contains("ioalign fix /dev/loop7 --universal --apply"),
        "{said}"
    );
    for more in [["--fs", "ntfs"], ["--label", "dos"], ["--platform", "esxi"]] {
        let output = plan(&[&["--universal"][..], &more[..]].concat());
        assert_eq!(output.status.code(), Some(64), "{more:?}");
    }
}
