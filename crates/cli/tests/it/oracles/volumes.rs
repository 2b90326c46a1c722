//! File systems, arrays and volume groups: the tools that made them, on the same bytes.

use std::path::{Path, PathBuf};

use ioalign_testkit::run::{text, tool};
use ioalign_testkit::{CheckRun, Disk};
use serde_json::Value;

use super::{field, number, of_kind};
use crate::check_image;
use ioalign_testkit::run::fixture;

fn device(name: &str, device: &str) -> PathBuf {
    fixture(name).join("dev").join(device)
}

fn oracle(name: &str, file: &str) -> String {
    let path = fixture(name).join("oracle").join(file);
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

fn filesystem(checked: &CheckRun) -> &Value {
    of_kind(checked, "filesystem")[0]
}

#[test]
fn ext_as_dumpe2fs_says() {
    needs!(Packages);
    for options in [
        &["-b", "4096"][..],
        &["-b", "1024"],
        &["-b", "4096", "-E", "stride=16,stripe-width=48"],
        &["-b", "2048", "-O", "^has_journal"],
        &["-b", "4096", "-O", "bigalloc", "-C", "65536"],
    ] {
        let disk = Disk::new("ext.img", 64 << 20);
        tool(
            "mkfs.ext4",
            &[&["-q", "-F"], options, &[text(disk.path())]].concat(),
        );
        let theirs = tool("dumpe2fs", &["-h", text(disk.path())]);
        let checked = check_image(disk.path(), &[]);
        let ours = filesystem(&checked);
        let block = number(&theirs, "Block size");
        assert_eq!(ours["size_bytes"], number(&theirs, "Block count") * block);
        assert_eq!(
            ours["facts"]["uuid"],
            field(&theirs, "Filesystem UUID").unwrap()
        );
        let stride = field(&theirs, "RAID stride").map_or(0, |n| n.parse().unwrap());
        let width: u64 = field(&theirs, "RAID stripe width").map_or(0, |n| n.parse().unwrap());
        if stride == 0 {
            assert_eq!(
                ours["block_bytes"],
                field(&theirs, "Cluster size").map_or(block, |_| block)
            );
            assert_eq!(ours["geometry"], Value::Null);
        } else {
            assert_eq!(ours["geometry"]["unit_bytes"], stride * block);
            assert_eq!(ours["geometry"]["width_bytes"], width * block);
        }
    }
}

#[test]
fn xfs_as_xfs_db_says() {
    needs!(Packages);
    for options in [
        &[][..],
        &["-b", "size=1024"],
        &["-d", "su=64k,sw=3"],
        &["-d", "sunit=32,swidth=256"],
        &["-s", "size=4096"],
    ] {
        let disk = Disk::new("xfs.img", 2 << 30);
        tool(
            "mkfs.xfs",
            &[&["-q", "-f"], options, &[text(disk.path())]].concat(),
        );
        let print = "print blocksize dblocks unit width sectsize";
        let theirs = tool(
            "xfs_db",
            &["-r", "-c", "sb 0", "-c", print, text(disk.path())],
        );
        let checked = check_image(disk.path(), &[]);
        let ours = filesystem(&checked);
        let block = number(&theirs, "blocksize");
        assert_eq!(ours["block_bytes"], block);
        assert_eq!(ours["size_bytes"], number(&theirs, "dblocks") * block);
        match number(&theirs, "unit") {
            0 => assert_eq!(ours["geometry"], Value::Null),
            unit => {
                assert_eq!(ours["geometry"]["unit_bytes"], unit * block);
                assert_eq!(
                    ours["geometry"]["width_bytes"],
                    number(&theirs, "width") * block
                );
            }
        }
    }
}

/// xfs_info prints stripes in blocks where mkfs took sectors; we always say bytes.
#[test]
fn xfs_on_an_array_as_xfs_info_says() {
    needs!(Fixtures);
    for name in ["md-raid5-63", "md-raid5-2048", "md-raid10"] {
        let theirs = oracle(name, "xfs_info-md0.txt").replace('=', " = ");
        let line = theirs.lines().find(|line| line.contains("swidth")).unwrap();
        let words: Vec<_> = line
            .split_whitespace()
            .filter(|word| *word != "=")
            .collect();
        let after = |name: &str| -> u64 {
            let at = words.iter().position(|word| *word == name).unwrap();
            words[at + 1].parse().unwrap()
        };
        let checked = check_image(&device(name, "md0"), &[]);
        let ours = filesystem(&checked);
        assert_eq!(
            ours["geometry"]["unit_bytes"],
            after("sunit") * 4096,
            "{name}"
        );
        assert_eq!(
            ours["geometry"]["width_bytes"],
            after("swidth") * 4096,
            "{name}"
        );
    }
}

/// One member alone is enough for everything that its superblock says.
fn member(path: &Path) -> CheckRun {
    check_image(path, &["--together"])
}

#[test]
fn md_members_as_mdadm_says() {
    needs!(Packages);
    for (name, members) in [
        ("md-raid5-63", ["vda1", "vdb1", "vdc1", "vdd1"]),
        ("md-raid5-2048", ["vda1", "vdb1", "vdc1", "vdd1"]),
        ("md-raid10", ["vda1", "vdb1", "vdc1", "vdd1"]),
        ("md-raid1-1.0", ["vda1", "vdb1", "vda1", "vdb1"]),
        ("md-raid1-0.90", ["vda1", "vdb1", "vda1", "vdb1"]),
        ("lvm-on-raid5", ["vda", "vdb", "vdc", "vdd"]),
    ] {
        for device in members.map(|file| device(name, file)) {
            let theirs = tool("mdadm", &["-E", text(&device)]);
            let checked = member(&device);
            let arrays = of_kind(&checked, "md");
            let ours = arrays
                .first()
                .unwrap_or_else(|| panic!("{name}: {:#}", checked.json));
            assert_eq!(
                ours["facts"]["level"],
                field(&theirs, "Raid Level").unwrap(),
                "{name}"
            );
            let offset =
                field(&theirs, "Data Offset").map_or(0, |n| n.parse::<u64>().unwrap() * 512);
            assert_eq!(ours["below"][0]["start_bytes"], offset, "{name}");
            if let Some(chunk) = field(&theirs, "Chunk Size") {
                let chunk = chunk.strip_suffix('K').unwrap().parse::<u64>().unwrap() << 10;
                assert_eq!(ours["below"][0]["chunk_bytes"], chunk, "{name}");
            }
            let version = field(&theirs, "Version").unwrap();
            let version = version.strip_suffix(".00").unwrap_or(version);
            assert_eq!(ours["facts"]["metadata"], version, "{name}");
        }
    }
}

/// The first extent: pvck on the bytes, and pvs on the running system.
#[test]
fn physical_volumes_as_pvck_and_pvs_say() {
    needs!(Packages);
    let sectors = |text: &str| {
        let last = text
            .lines()
            .last()
            .unwrap()
            .split_whitespace()
            .last()
            .unwrap();
        last.trim_end_matches(['S', 's']).parse::<u64>().unwrap()
    };
    for (name, file) in [
        ("lvm-on-raid5", "md0"),
        ("lvm-segments", "vda"),
        ("lvm-segments", "vdd"),
    ] {
        let path = device(name, file);
        let dump = tool("pvck", &["--dump", "headers", text(&path)]);
        let offset = number(&dump, "pv_header.disk_locn[0].offset");
        let checked = check_image(&path, &["--together"]);
        let ours = of_kind(&checked, "lvm-pv")[0];
        assert_eq!(ours["below"][0]["start_bytes"], offset, "{name}");
        if name == "lvm-on-raid5" {
            assert_eq!(sectors(oracle(name, "pvs.txt").trim()) * 512, offset);
        }
    }
}
