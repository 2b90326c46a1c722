//! Containers that point at themselves, behind their end, out of their folder, or claim the sky.

use std::path::{Path, PathBuf};

use ioalign_testkit::{Disk, mbr};
use tempfile::TempDir;

use super::{about, bad, check_json, copy_of, qemu_img};

/// A container with a partition at 1 MiB and some data, made by qemu-img.
fn made(format: &str, options: &str) -> Disk {
    let raw = mbr::disk("a.raw", 64, &[(0x83, 2048, 100_000)]);
    raw.write(2 << 20, &[1; 65536]);
    let convert = ["convert", "-f", "raw", "-O", format, "-o", options];
    let convert = if options.is_empty() {
        &convert[..5]
    } else {
        &convert[..]
    };
    let name = format!("a.{format}");
    qemu_img(raw.folder(), &[convert, &["a.raw", &name]].concat());
    copy_of(&raw.folder().join(name))
}

fn be(disk: &Disk, at: u64) -> u64 {
    u64::from_be_bytes(disk.read(at, 8).try_into().unwrap())
}

#[test]
fn a_qcow2_whose_l1_table_names_itself() {
    needs!(Packages);
    let disk = made("qcow2", "");
    let l1 = be(&disk, 40);
    disk.write(l1, &l1.to_be_bytes());
    bad(disk.path()).kind("malformed").at(l1, "l1_entry");
}

#[test]
fn a_vhd_block_table_that_points_behind_the_end() {
    needs!(Packages);
    let disk = made("vpc", "");
    // The dynamic header follows the copy of the footer; its table's offset is at byte 16.
    let table = be(&disk, 512 + 16);
    disk.write(table, &0x7fff_0000_u32.to_be_bytes());
    bad(disk.path())
        .kind("malformed")
        .at(table, "block table entry");
}

#[test]
fn a_vmdk_grain_table_that_points_behind_the_end() {
    needs!(Packages);
    let disk = made("vmdk", "");
    // Both directories: the redundant one named at byte 48, the other at 56.
    let directory = |at| 512 * u64::from_le_bytes(disk.read(at, 8).try_into().unwrap());
    let both = [directory(48), directory(56)];
    for at in both {
        disk.write(at, &0x7fff_0000_u32.to_le_bytes());
    }
    let answer = bad(disk.path());
    let named = answer.error["offset_bytes"].as_u64().unwrap();
    assert!(both.contains(&named), "{:#}", answer.error);
    assert!(answer.error["field"].is_string());
}

#[test]
fn a_vhdx_block_table_that_points_behind_the_end() {
    needs!(Packages);
    let disk = made("vhdx", "");
    let bat = region(&disk);
    disk.write(bat, &((1_u64 << 60) | 6).to_le_bytes());
    let answer = bad(disk.path());
    assert_eq!(answer.error["offset_bytes"], bat, "{:#}", answer.error);
    assert!(answer.error["field"].is_string());
}

/// Where the region table says that the BAT is (MS-VHDX 2.2.3.2).
fn region(disk: &Disk) -> u64 {
    const BAT: [u8; 4] = [0x66, 0x77, 0xc2, 0x2d];
    let entries = (0..2).map(|i| 192 * 1024 + 16 + 32 * i);
    let found = entries.into_iter().find(|at| disk.read(*at, 4) == BAT);
    u64::from_le_bytes(disk.read(found.unwrap() + 16, 8).try_into().unwrap())
}

#[test]
fn a_vdi_block_that_points_behind_the_end() {
    needs!(Packages);
    let disk = made("vdi", "");
    let map = u64::from(u32::from_le_bytes(disk.read(0x154, 4).try_into().unwrap()));
    disk.write(map, &0x7fff_0000_u32.to_le_bytes());
    let answer = bad(disk.path());
    assert_eq!(answer.error["offset_bytes"], map, "{:#}", answer.error);
    assert!(answer.error["field"].is_string());
}

/// Creates `name` on top of `base` without looking at `base`.
fn overlay(folder: &Path, name: &str, base: &str) -> PathBuf {
    let create = [
        "create", "-q", "-u", "-f", "qcow2", "-b", base, "-F", "qcow2", name, "64M",
    ];
    qemu_img(folder, &create);
    folder.join(name)
}

#[test]
fn images_that_rest_on_themselves() {
    needs!(Packages);
    let folder = TempDir::new().unwrap();
    let one = overlay(folder.path(), "one.qcow2", "two.qcow2");
    // qemu-img refuses to write this one: the name is changed afterwards.
    let mut bytes = std::fs::read(&one).unwrap();
    let at = bytes.windows(9).position(|w| w == b"two.qcow2").unwrap();
    bytes[at..at + 9].copy_from_slice(b"one.qcow2");
    std::fs::write(&one, bytes).unwrap();
    bad(&one).kind("loop").says("rests on itself");
    let first = overlay(folder.path(), "first.qcow2", "second.qcow2");
    let second = overlay(folder.path(), "second.qcow2", "first.qcow2");
    about(&first, &second, &[])
        .kind("loop")
        .says("rests on itself");
}

#[test]
fn a_chain_without_end() {
    needs!(Packages);
    let folder = TempDir::new().unwrap();
    for i in 0..40 {
        overlay(
            folder.path(),
            &format!("{i}.qcow2"),
            &format!("{}.qcow2", i + 1),
        );
    }
    let run = check_json([folder.path().join("0.qcow2")]);
    let error = &run.json()["targets"][0]["error"];
    assert_eq!((run.code, &error["kind"]), (65, &"too-large".into()));
}

#[test]
fn damage_in_a_backing_file_is_that_files() {
    needs!(Packages);
    let base = made("qcow2", "");
    let l1 = be(&base, 40);
    base.write(l1, &l1.to_be_bytes());
    let top = overlay(base.folder(), "top.qcow2", "a.qcow2");
    let answer = about(&top, base.path(), &[]);
    answer.kind("malformed");
    assert_eq!(answer.error["offset_bytes"], l1);
}

#[test]
fn a_backing_file_outside_the_folder_is_not_touched() {
    needs!(Packages);
    let outside = mbr::disk("base.img", 64, &[(0x83, 63, 100_000)]);
    let folder = TempDir::new().unwrap();
    let base = outside.path().to_str().unwrap();
    let create = [
        "create",
        "-q",
        "-f",
        "qcow2",
        "-b",
        base,
        "-F",
        "raw",
        "top.qcow2",
    ];
    qemu_img(folder.path(), &create);
    let top = folder.path().join("top.qcow2");
    bad(&top).kind("refused").says("--allow-backing").says(base);
    // Allowed, the table is read through it.
    let run = check_json([top.as_os_str(), "--allow-backing".as_ref()]);
    let json = run.json();
    assert_eq!(
        (run.code, &json["targets"][0]["verdict"]),
        (1, &"misaligned".into())
    );
    // Neither by `..` nor through a link.
    let inner = folder.path().join("inner");
    std::fs::create_dir(&inner).unwrap();
    let up = overlay(&inner, "up.qcow2", "../top.qcow2");
    bad(&up).kind("refused");
    std::os::unix::fs::symlink(outside.path(), inner.join("link")).unwrap();
    let create = [
        "create",
        "-q",
        "-f",
        "qcow2",
        "-b",
        "link",
        "-F",
        "raw",
        "by-link.qcow2",
    ];
    qemu_img(&inner, &create);
    bad(&inner.join("by-link.qcow2")).kind("refused");
}

/// A VMDK descriptor with one extent.
pub fn descriptor(extent: &str) -> String {
    format!(
        "# Disk DescriptorFile\nversion=1\nCID=fffffffe\nparentCID=ffffffff\n\
         createType=\"monolithicFlat\"\n\n# Extent description\n{extent}\n\n\
         ddb.adapterType = \"ide\"\n"
    )
}

#[test]
fn a_vmdk_that_names_a_system_file() {
    needs!(Packages);
    let folder = TempDir::new().unwrap();
    for extent in [
        "/etc/passwd",
        "../../../../../../etc/passwd",
        "/proc/self/environ",
    ] {
        let path = folder.path().join("steal.vmdk");
        let line = format!("RW 8 FLAT \"{extent}\" 0");
        std::fs::write(&path, descriptor(&line)).unwrap();
        bad(&path).kind("refused").says("--allow-backing");
        // Beside an extent that is there it is refused as well.
        std::fs::write(folder.path().join("ok"), [0; 4096]).unwrap();
        let two = format!("RW 8 FLAT \"ok\" 0\n{line}");
        std::fs::write(&path, descriptor(&two)).unwrap();
        bad(&path).kind("refused");
    }
}

#[test]
fn a_qcow2_of_eight_exbibytes() {
    needs!(Packages);
    let disk = made("qcow2", "");
    disk.write(24, &(1_u64 << 63).to_be_bytes());
    bad(disk.path()).at(36, "l1_size");
    // The L1 table that it would take, claimed as well, is past every limit.
    disk.write(36, &u32::MAX.to_be_bytes());
    let answer = bad(disk.path());
    assert_eq!(answer.error["field"], "l1_size");
}

#[test]
fn a_vmdk_of_eight_exbibytes() {
    needs!(Packages);
    let disk = made("vmdk", "");
    disk.write(12, &(1_u64 << 54).to_le_bytes());
    let answer = bad(disk.path());
    assert!(answer.error["offset_bytes"].is_u64(), "{:#}", answer.error);
    assert!(answer.error["field"].is_string(), "{:#}", answer.error);
}

#[test]
fn images_of_64_tebibytes_that_are_what_they_say() {
    needs!(Packages);
    let folder = TempDir::new().unwrap();
    let formats = [
        ("qcow2", "cluster_size=64k"),
        ("vhdx", "block_size=16M"),
        ("vmdk", ""),
    ];
    for (format, options) in formats {
        let create = ["create", "-q", "-f", format, "-o", options];
        let create = if options.is_empty() {
            &create[..4]
        } else {
            &create[..]
        };
        let size = if format == "vmdk" { "2T" } else { "64T" };
        qemu_img(folder.path(), &[create, &["huge", size]].concat());
        let run = check_json([folder.path().join("huge")]);
        let json = run.json();
        assert_eq!(
            (run.code, &json["targets"][0]["error"]),
            (3, &serde_json::Value::Null),
            "{format}"
        );
    }
}

#[test]
fn a_vhdx_that_claims_more_than_its_table_holds() {
    needs!(Packages);
    let disk = made("vhdx", "");
    // The virtual disk size: 64 TiB behind a table for 64 MiB.
    let size = (64_u64 << 20).to_le_bytes();
    let head = disk.read(1 << 20, 3 << 20);
    // The items lie behind the table of their places, which has the same bytes by chance.
    let at = head.windows(8).rposition(|w| w == size).unwrap() as u64 + (1 << 20);
    disk.write(at, &(64_u64 << 40).to_le_bytes());
    let answer = bad(disk.path());
    assert!(answer.error["offset_bytes"].is_u64(), "{:#}", answer.error);
}

#[test]
fn a_hundred_thousand_snapshots() {
    needs!(Packages);
    let disk = made("qcow2", "");
    disk.write(60, &100_000_u32.to_be_bytes());
    let run = check_json([disk.path()]);
    let json = run.json();
    assert_eq!(run.code, 0, "{json:#}");
    let layers = json["targets"][0]["layers"].as_array().unwrap();
    let disk = layers.iter().find(|l| l["kind"] == "disk").unwrap();
    assert_eq!(disk["facts"]["snapshots"], "100000");
}

#[test]
fn a_header_that_is_cut_off() {
    needs!(Packages);
    let disk = made("qcow2", "");
    let folder = TempDir::new().unwrap();
    for len in [4, 71, 103, 40_000, 70_000] {
        let path = folder.path().join("cut.qcow2");
        std::fs::write(&path, disk.read(0, len)).unwrap();
        let answer = bad(&path);
        assert!(
            answer.error["offset_bytes"].is_u64(),
            "{len}: {:#}",
            answer.error
        );
    }
}
