//! The same verdicts: on the machine, on the unpacked bundle, and on the bundle itself.

use std::path::Path;

use ioalign_testkit::run::{text, tool};
use ioalign_testkit::sysroot::{Sysroot, SysrootDisk};
use ioalign_testkit::{Loop, check};

use super::{Bundle, answer, assert_same, check_tree};
use crate::PROGRAM;
use crate::oracles::kernel::FIXTURES;
use ioalign_testkit::run::fixture;

/// Checks the tree, its bundle and the unpacked bundle, and returns the bundle.
fn same(tree: &Path, what: &str) -> Bundle {
    let bundle = Bundle::of(tree);
    assert_eq!(bundle.summary["replay"]["same"], true, "{what}");
    let unpacked = bundle.unpack();
    for arguments in [&[] as &[&str], &["--sector-size", "4096"]] {
        let host = answer(&check_tree(tree, arguments), tree);
        let folder = answer(&check_tree(&unpacked, arguments), &unpacked);
        assert_same(&host, &folder, what);
        let tarball = answer(&bundle.check_with(arguments), &bundle.file);
        assert_same(&host, &tarball, what);
    }
    bundle
}

#[test]
fn stacks_of_a_real_kernel_read_the_same() {
    needs!(Fixtures);
    for name in FIXTURES {
        let bundle = same(&fixture(name), name);
        let size = bundle.file.metadata().unwrap().len();
        assert!(size < 32 << 10, "{name}: {size} bytes");
    }
}

/// The disks of a fixture in a host whose kernel has put nothing together.
fn taken_apart(name: &str) -> tempfile::TempDir {
    let (fixture, folder) = (fixture(name), tempfile::tempdir().unwrap());
    std::fs::create_dir(folder.path().join("dev")).unwrap();
    for letter in 'a'..='d' {
        let disk = format!("vd{letter}");
        let (from, to) = (fixture.join("dev").join(&disk), folder.path().join("dev"));
        if !from.is_file() {
            continue;
        }
        tool("cp", &["--sparse=always", text(&from), text(&to)]);
        let attributes = folder.path().join("sys/block").join(&disk);
        std::fs::create_dir_all(&attributes).unwrap();
        let sectors = from.metadata().unwrap().len() / 512;
        std::fs::write(attributes.join("size"), sectors.to_string()).unwrap();
    }
    folder
}

#[test]
fn what_the_kernel_did_not_assemble_reads_the_same() {
    needs!(Fixtures);
    for name in ["lvm-on-raid5", "luks2"] {
        let tree = taken_apart(name);
        let bundle = same(tree.path(), name);
        let kinds = bundle.check();
        let layers = kinds.target()["layers"].as_array().unwrap();
        let volume =
            |layer: &serde_json::Value| layer["kind"] == "lvm-lv" || layer["kind"] == "crypt";
        assert!(layers.iter().any(volume), "{name}: {layers:#?}");
    }
}

#[test]
fn the_same_host_gives_the_same_bytes() {
    needs!(Fixtures);
    let tree = fixture("lvm-segments");
    let (one, other) = (Bundle::of(&tree), Bundle::of(&tree));
    let (one, other) = (
        std::fs::read(&one.file).unwrap(),
        std::fs::read(&other.file).unwrap(),
    );
    assert!(one == other);
    assert_eq!(one.get(4..8), Some([0; 4].as_slice()), "no time in it");
}

#[test]
fn a_bundle_of_a_bundle_is_the_same() {
    needs!(Fixtures);
    let first = Bundle::of(&fixture("lvm-on-raid5"));
    let unpacked = first.unpack();
    let second = Bundle::of(&unpacked);
    let (one, other) = (first.check(), second.check());
    assert_same(
        &answer(&one, &first.file),
        &answer(&other, &second.file),
        "copied twice",
    );
}

#[test]
fn what_cannot_be_read_is_said_in_the_same_words() {
    // A folder where the device should be, no copy of the other, no table, no answer of the drive.
    let tree = Sysroot::new()
        .disk(SysrootDisk::new("sda", 1 << 30).limits(512, 4096, 4096, 0))
        .partition("sda", 1, 63, 1 << 20)
        .disk(SysrootDisk::new("nvme0n1", 1 << 30).bus("pci0000:00/0000:01:00.0/nvme/nvme0"))
        .file("dev/sda/a-file-in-it", "");
    let tree = tree.dm("dm-0", "vg-lv", "LVM-lv", 1 << 20, &["sda1"]);
    let bundle = same(tree.path(), "unread");
    let unread = bundle.summary["unread"].as_array().unwrap();
    let device = unread.iter().find(|item| item["path"] == "/dev/sda");
    assert_eq!(device.unwrap()["why"], "it is not a file", "{unread:#?}");
}

#[test]
fn devices_that_are_named_bring_what_is_below_and_above() {
    needs!(Fixtures);
    let tree = fixture("lvm-on-raid5");
    let bundle = Bundle::new(["--sysroot", text(&tree), "vg/second"]);
    let host = answer(&check_tree(&tree, &["vg/second"]), &tree);
    assert_same(&host, &answer(&bundle.check(), &bundle.file), "vg/second");
    let whole = answer(&Bundle::of(&tree).check(), Path::new("\0"));
    let layers = |answer: &serde_json::Value| answer["layers"].as_array().unwrap().len();
    assert!(layers(&host) < layers(&whole));
}

#[test]
fn a_live_device_reads_the_same() {
    needs!(Packages, Root);
    let folder = tempfile::tempdir().unwrap();
    let image = folder.path().join("disk.img");
    std::fs::File::create(&image)
        .and_then(|file| file.set_len(64 << 20))
        .unwrap();
    tool("mkfs.ext4", &["-q", "-F", text(&image)]);
    let device = Loop::new(&image, &[]);
    let live = check(PROGRAM, [device.path()]);
    let bundle = Bundle::new([device.path()]);
    assert!(live.of_rule("not-readable").is_empty(), "{:#}", live.json);
    let here = answer(&live, Path::new("\0"));
    let other = answer(&bundle.check(), &bundle.file);
    assert_same(&here, &other, device.text());
}

#[test]
fn this_machine_reads_the_same() {
    // Loop devices of other tests come and go: the machine must be the same before and after.
    let machine = || answer(&check(PROGRAM, [""; 0]), Path::new("\0"));
    for _ in 0..20 {
        let before = machine();
        let bundle = Bundle::new([""; 0]);
        if before == machine() {
            let copy = answer(&bundle.check(), &bundle.file);
            return assert_same(&before, &copy, "this machine");
        }
    }
    panic!("this machine was never twice the same");
}

#[test]
fn a_large_host_stays_small() {
    let mut tree = Sysroot::new();
    let table = ioalign_testkit::mbr::sector(&[(0x83, 2048, 1 << 20), (0x83, 2_000_000, 1 << 20)]);
    for n in 0..200 {
        let name = format!("sd{n:03}x");
        let disk = SysrootDisk::new(&name, 1 << 30).limits(512, 4096, 4096, 0);
        tree = tree
            .disk(disk.model("ATA", "A DISK"))
            .partition(&name, 1, 2048, 1 << 20)
            .partition(&name, 2, 2_000_000, 1 << 20)
            .content(&name, 0, table);
    }
    let bundle = Bundle::of(tree.path());
    let size = bundle.file.metadata().unwrap().len();
    assert!(size < 2 << 20, "{size} bytes");
    assert_eq!(
        bundle.check().verdict(),
        check_tree(tree.path(), &[]).verdict()
    );
}
