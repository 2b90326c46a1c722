//! What is not touched, and how that is said.

use super::*;
use ioalign_testkit::{gpt, mbr};
use std::os::unix::fs::PermissionsExt;

#[test]
fn tables_that_cannot_be_rewritten_say_why() {
    let empty = Disk::new("disk.img", 8 * MIB);
    refused(&[text(empty.path())], 65, &["no partition table"]);
    let dynamic = mbr::disk("disk.img", 8, &[(0x42, 63, 10000)]);
    refused(&[text(dynamic.path())], 65, &["dynamic disk"]);
    let hybrid = Disk::new("disk.img", 8 * MIB);
    gpt::write(&hybrid, 512, &[(gpt::LINUX, 63, 9000)]);
    let mut boot: [u8; 512] = hybrid.read(0, 512).try_into().unwrap();
    boot[462..478].copy_from_slice(&mbr::sector(&[(0x83, 63, 8938)])[446..462]);
    hybrid.write(0, &boot);
    refused(&[text(hybrid.path())], 65, &["hybrid"]);
    let damaged = Disk::new("disk.img", 8 * MIB);
    gpt::write(&damaged, 512, &[(gpt::LINUX, 63, 9000)]);
    damaged.write(1024 + 32, &[7]);
    refused(&[text(damaged.path())], 65, &["GPT", "checksum"]);
    refused(&["/nowhere/at.all"], 65, &["/nowhere/at.all"]);
}

#[test]
fn a_file_that_may_not_be_written_can_be_planned_for() {
    needs!(Packages, Root);
    let image = Image::old();
    std::fs::set_permissions(image.path(), std::fs::Permissions::from_mode(0o444)).unwrap();
    // Root writes what it likes: it is run as somebody else.
    let run = |arguments: &[&str]| {
        let user = [
            "--reuid=65534",
            "--regid=65534",
            "--clear-groups",
            PROGRAM,
            "fix",
            text(image.path()),
        ];
        let mut child = command("setpriv");
        child.args(user).args(arguments).output().unwrap()
    };
    std::fs::set_permissions(image.disk.folder(), std::fs::Permissions::from_mode(0o1777)).unwrap();
    let plan = run(&[]);
    assert_eq!(
        plan.status.code(),
        Some(0),
        "{plan:?} (this test needs root)"
    );
    let denied = run(&["--apply"]);
    let errors = String::from_utf8_lossy(&denied.stderr);
    assert_eq!(denied.status.code(), Some(65), "{errors}");
    assert!(
        errors.contains("denied") && errors.contains("disk.img"),
        "{errors}"
    );
    assert!(!image.journal().exists());
    image.holds();
}

#[test]
fn wrong_calls_are_64() {
    needs!(Packages);
    let image = Image::old();
    let path = text(image.path());
    for arguments in [
        &[path, "--apply", "--resume"][..],
        &[path, "--format", "raw"],
        &[path, "--output", "x.img", "--apply"],
        &[path, "--chunk", "3k"],
        &[path, "--limit", "0"],
        &[],
    ] {
        assert_eq!(fix(arguments).status.code(), Some(64), "{arguments:?}");
    }
    image.holds();
}
