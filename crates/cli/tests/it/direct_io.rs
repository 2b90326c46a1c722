//! `check --dio`: an image that begins with another file's data is written in larger pieces, and says so.

use std::fs::{self, File};
use std::process::Command;

use ioalign_testkit::run::{text, tool};
use ioalign_testkit::{Disk, Loop, MountGuard, check, mbr, needs};
use serde_json::{Value, json};

use super::PROGRAM;
use super::schema::valid;

fn asked(path: &std::path::Path) -> Value {
    let document = check(PROGRAM, [text(path), "--dio"]).json;
    valid(&document, "check-1.schema.json");
    document["targets"][0].clone()
}

#[test]
fn a_shared_image_names_its_demands_and_the_machines_that_meet_them() {
    needs!(Root, Packages);
    let disk = Disk::new("host.img", 400 << 20);
    let device = Loop::new(disk.path(), &["--direct-io=on"]);
    tool("mkfs.xfs", &["-q", device.text()]);
    let folder = tempfile::tempdir().unwrap();
    let mount = MountGuard::new(&[device.text()], &folder.path().join("mnt"));
    let image = mbr::disk("guest.img", 32, &[(0x83, 2048, 60_000)]);
    // A partition that holds nothing reads as holes.
    let plain = mount.path().join("guest.img");
    let mut bytes = fs::read(image.path()).unwrap();
    bytes[2 << 20..3 << 20].fill(7);
    fs::write(&plain, bytes).unwrap();
    File::open(&plain).unwrap().sync_all().unwrap();
    let shared = mount.path().join("copy.img");

    let before = asked(&plain);
    let wanted = json!({"memory_align_bytes": 512, "offset_align_bytes": 512, "write_offset_align_bytes": 512,
        "proved": true, "misaligned": "refused"});
    for (key, value) in wanted.as_object().unwrap() {
        assert_eq!(&before["direct_io"][key], value, "{key}: {before}");
    }
    assert_eq!(before["direct_io"]["therefore"], json!([]));

    tool("cp", &["--reflink=always", text(&plain), text(&shared)]);
    let after = asked(&shared);
    let contract = &after["direct_io"];
    assert_eq!(contract["write_offset_align_bytes"], 4096, "{contract}");
    assert_eq!(contract["misaligned_writes"], "buffered");
    assert_eq!(
        after["verdict"], before["verdict"],
        "a contract is no verdict"
    );
    let said = contract["therefore"].to_string();
    assert!(
        said.contains("Cloud Hypervisor") && said.contains("QEMU"),
        "{said}"
    );
    let shown = Command::new(PROGRAM)
        .args(["check", text(&shared), "--dio"])
        .output()
        .unwrap();
    let shown = String::from_utf8(shown.stdout).unwrap();
    assert!(
        shown.contains("direct I/O  buffers at multiples of 512 B"),
        "{shown}"
    );
}

#[test]
fn it_is_absent_unless_asked_and_asks_for_a_target() {
    let disk = mbr::disk("plain.img", 8, &[(0x83, 2048, 4096)]);
    let document = check(PROGRAM, [text(disk.path())]).json;
    assert!(document["targets"][0].get("direct_io").is_none());
    assert!(asked(disk.path())["direct_io"].is_object());
    let alone = Command::new(PROGRAM)
        .args(["check", "--dio"])
        .output()
        .unwrap();
    assert_eq!(alone.status.code(), Some(64));
}
