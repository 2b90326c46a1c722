//! Read-modify-write by the page cache above a device, devices that go, and what is refused.

use std::io::Read;
use std::path::Path;
use std::process::Command;

use ioalign_testkit::Loop;
use ioalign_testkit::run::tool;

use super::{Memory, PROGRAM, Watching, permitted};

/// 100 overwrites of 1 MiB through a partition that starts 1536 bytes into the disk: the disk's page cache reads the page
/// at the end of each.
fn overwrite(disk: &Memory) {
    let part = Loop::new(Path::new(disk.device.text()), &["--offset", "1536"]);
    let out = format!("of={}", part.text());
    tool(
        "dd",
        &[
            "if=/dev/zero",
            &out,
            "bs=1M",
            "count=100",
            "oflag=direct",
            "status=none",
        ],
    );
    drop(part);
    tool("blockdev", &["--flushbufs", disk.device.text()]);
}

#[test]
fn a_misaligned_partition_shows_as_read_modify_write_of_the_disk() {
    if !permitted() {
        return;
    }
    let disk = Memory::new("above", 128);
    let watch = Watching::start(&[disk.name(), "--json"]);
    overwrite(&disk);
    let profile = watch.profile();
    let found = &profile["devices"][0]["read_before_overwrite"];
    assert_eq!(found["seen"], true, "{found}");
    assert!(found["overwritten_pages"].as_u64() >= Some(95), "{found}");
    assert_eq!(
        profile["devices"][0]["by_op"]["write"]["alignment"]["state"],
        "aligned"
    );

    let disk = Memory::new("beside", 128);
    let watch = Watching::start(&[disk.name(), "--line"]);
    overwrite(&disk);
    let text = watch.end();
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for wanted in [
        "Read-modify-write by a layer above",
        "iostat's w_await misleads here",
    ] {
        assert!(text.contains(wanted), "{wanted}: {text}");
    }
}

#[test]
fn a_device_that_goes_is_named() {
    if !permitted() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("gone.img");
    std::fs::File::create(&file)
        .unwrap()
        .set_len(16 << 20)
        .unwrap();
    let device = tool("losetup", &["--find", "--show", file.to_str().unwrap()]);
    let device = device.trim();
    let name = device.trim_start_matches("/dev/");
    let mut watch = Watching::start(&[name, "--line", "--duration", "3s"]);
    tool("losetup", &["-d", device]);
    let mut said = String::new();
    watch.messages.read_to_string(&mut said).unwrap();
    watch.child.wait().unwrap();
    assert!(
        said.contains(&format!("{name} was detached or removed after")),
        "{said}"
    );
}

#[test]
fn grids_and_units_that_cannot_be_counted_are_refused() {
    let refused = |more: &[&str]| {
        let output = Command::new(PROGRAM)
            .arg("watch")
            .args(more)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(64), "{said}");
        said
    };
    assert!(refused(&["--unit", "5"]).contains("multiple"));
    let grids = ["8k", "64k", "192k", "1M", "4M"]
        .map(|size| ["--grid", size])
        .concat();
    let said = refused(&[&grids[..], &["--duration", "1s"]].concat());
    assert!(said.contains("4 can be counted at once"), "{said}");
}
