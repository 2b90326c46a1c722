//! Commands of Linux on a loop device: table, file systems, and what `check` says of the result. Takes root.

use std::process::Command;

use ioalign_testkit::Loop;
use ioalign_testkit::disk::Disk;
use ioalign_testkit::run::command;

use super::super::PROGRAM;
use super::document;

/// Plans, runs the commands, and judges.
fn made(sector: &str, arguments: &[&str]) {
    let disk = Disk::new("plan.img", 2 << 30);
    let device = Loop::new(disk.path(), &["--partscan", "--sector-size", sector]);
    let target = [
        "--device",
        device.text(),
        "--size",
        "2G",
        "--logical",
        sector,
    ];
    let all = [&target[..], arguments].concat();
    let plan = document(&all);
    let script = disk.folder().join("make.sh");
    let quiet = Command::new(PROGRAM)
        .arg("plan")
        .args(&all)
        .arg("--quiet")
        .output()
        .unwrap();
    std::fs::write(&script, quiet.stdout).unwrap();
    // The nodes of partitions: not every kernel here finds them by itself.
    let nodes = format!(
        "sed -i 's|^EOF$|EOF\\npartx --update {}; udevadm settle 2>/dev/null \\|\\| :|' \"$1\"; sh -e \"$1\"",
        device.text()
    );
    let ran = command("sh")
        .args(["-ec", &nodes, "-"])
        .arg(&script)
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success(), "{arguments:?}: {errors}");
    let checked = ioalign_testkit::check(PROGRAM, [disk.path()]);
    assert_eq!(checked.verdict(), "ok", "{:#}", checked.json);
    for layer in plan["layers"].as_array().unwrap() {
        if layer["kind"] == "partition" {
            let name = layer["name"].as_str().unwrap();
            let found = checked.layer(name);
            assert_eq!(
                found["below"][0]["start_bytes"], layer["start_bytes"],
                "{arguments:?}"
            );
            assert_eq!(found["size_bytes"], layer["size_bytes"], "{arguments:?}");
        }
    }
}

#[test]
fn what_is_planned_for_linux_is_what_the_tools_make() {
    needs!(Packages, Root);
    made(
        "512",
        &["--fs", "xfs", "--partition", "esp:64M,swap:128M,data"],
    );
    made(
        "512",
        &[
            "--fs",
            "ext4",
            "--label",
            "dos",
            "--partition",
            "data:100M,data",
        ],
    );
    made(
        "512",
        &[
            "--fs",
            "ext4",
            "--unit",
            "16k",
            "--tight",
            "--grid",
            "192k:stripe:preference",
        ],
    );
    made("4096", &["--fs", "btrfs", "--unit", "64k"]);
}

#[test]
fn logical_partitions_start_where_the_proof_says() {
    needs!(Packages, Root);
    for more in [&[][..], &["--tight", "--grid", "192k:stripe:preference"]] {
        let partitions = "data:20M,swap:24M,data:16M,data:12345s,boot:64M,data";
        let wish = ["--fs", "ext4", "--label", "dos", "--partition", partitions];
        made("512", &[&wish, more].concat());
    }
    // More than a fifth: every one of them is there.
    let eleven = ["data:16M"; 10].join(",") + ",data";
    made(
        "4096",
        &["--fs", "xfs", "--label", "dos", "--partition", &eleven],
    );
}
