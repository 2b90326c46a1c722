//! Many bundles at once, beside images, and never mixed.

use std::process::Command;

use ioalign_testkit::{BundleBuilder, check, mbr};

use super::super::PROGRAM;
use super::{BLOCKDEV, sos};

#[test]
fn a_folder_of_bundles_and_images_is_one_table() {
    let folder = tempfile::tempdir().unwrap();
    let full = sos("s").file("sos_commands/block/blockdev_--report", BLOCKDEV);
    full.write(folder.path().join("a.tar.gz"));
    sos("s").write(folder.path().join("b.tar.xz"));
    let disk = mbr::disk("disk.img", 64, &[(0x83, 2048, 100_000)]);
    std::fs::copy(disk.path(), folder.path().join("c.img")).unwrap();
    BundleBuilder::new("d")
        .file("sos_commands/block/blockdev_--report", BLOCKDEV)
        .unpack(folder.path());
    // Not ours: a tarball of something else, a packed log, a text.
    let other = BundleBuilder::new("src").file("main.rs", "fn main() {}\n");
    other.write(folder.path().join("other.tar.gz"));
    let log = ioalign_testkit::bundle::filter("gzip", &["-c"], b"a log\n");
    std::fs::write(folder.path().join("log.gz"), log).unwrap();
    std::fs::write(folder.path().join("notes.txt"), "notes\n").unwrap();
    let checked = check(PROGRAM, [folder.path()]);
    let targets = checked.json["targets"].as_array().unwrap();
    let found: Vec<_> = targets
        .iter()
        .map(|target| {
            let name = target["target"]
                .as_str()
                .unwrap()
                .rsplit('/')
                .next()
                .unwrap();
            (name, target["verdict"].as_str().unwrap())
        })
        .collect();
    let expected = [
        ("a.tar.gz", "misaligned"),
        ("b.tar.xz", "unknown"),
        ("c.img", "ok"),
        ("d", "misaligned"),
    ];
    assert_eq!(found, expected);
    let output = Command::new(PROGRAM)
        .arg("check")
        .arg(folder.path())
        .output()
        .unwrap();
    let table = String::from_utf8(output.stdout).unwrap();
    assert!(
        table.contains("a.tar.gz") && table.contains("b.tar.xz"),
        "{table}"
    );
}

#[test]
fn hosts_are_not_mixed() {
    let folder = tempfile::tempdir().unwrap();
    let text =
        |host: &str, bundle: BundleBuilder| bundle.file(&format!("{host}/blockdev.txt"), BLOCKDEV);
    let bundle = text("web2", text("web1", BundleBuilder::new("")));
    bundle.unpack(&folder.path().join("hosts"));
    let checked = check(PROGRAM, [folder.path()]);
    assert_eq!(checked.json["targets"].as_array().unwrap().len(), 2);
    let path = bundle.write(folder.path().join("hosts.tar.gz"));
    let checked = check(PROGRAM, [path]);
    assert_eq!(checked.code, 65);
    let message = checked.target()["error"]["message"].to_string();
    assert!(message.contains("several bundles"), "{message}");
}

#[test]
fn a_tarball_of_something_else_is_unknown() {
    let folder = tempfile::tempdir().unwrap();
    let other = BundleBuilder::new("src").file("main.rs", "fn main() {}\n");
    let checked = check(PROGRAM, [other.write(folder.path().join("other.tar.gz"))]);
    assert_eq!((checked.verdict(), checked.code), ("unknown", 3));
}
