//! `xfs_info`, `dumpe2fs -h`, `tune2fs -l`, `btrfs dump-super`, `ntfsinfo`, `fsck.fat`, `minfo`,
//! against the superblocks that they print.

use std::path::Path;

use ioalign_inspect::captures::Text;
use ioalign_inspect::filesystems::{self, FileSystem};

use super::{command, fixture, only, oracle, pasted, said, said_of, sparse, view};
use crate::tools::run;

const MIB: u64 = 1 << 20;

fn superblock(path: &Path) -> FileSystem {
    filesystems::probe(&view(path)).unwrap().unwrap()
}

fn stated(text: &str, name: &str) -> FileSystem {
    let evidence = said(text);
    only(&evidence, name, |said| said.filesystem.is_some())
        .filesystem
        .clone()
        .unwrap()
}

/// Everything but label and identity, which few of the tools print.
fn same(text: &FileSystem, bytes: &FileSystem) {
    assert_eq!(
        (text.kind, text.block, text.data_start),
        (bytes.kind, bytes.block, bytes.data_start)
    );
    assert_eq!((text.geometry, text.size), (bytes.geometry, bytes.size));
    let rules = |found: &FileSystem| found.remarks.iter().map(|r| r.rule).collect::<Vec<_>>();
    assert_eq!(rules(text), rules(bytes));
}

#[test]
fn xfs_info_counts_blocks() {
    needs!(Packages);
    for (options, mib) in [
        (&["-d", "su=64k,sw=4"][..], 600),
        (&["-b", "size=1024", "-d", "su=32k,sw=3"], 600),
        (&["-s", "size=4096"], 600),
        (&["-d", "noalign", "-l", "su=32k"], 320),
    ] {
        let (_folder, path) = sparse(mib * MIB);
        let made = run(command("mkfs.xfs").arg("-f").args(options).arg(&path));
        let info = run(command("xfs_info").arg(&path));
        let bytes = superblock(&path);
        let name = path.to_str().unwrap();
        for text in [&made, &info, &pasted("xfs_info /mnt", &info)] {
            let found = stated(text, name);
            same(&found, &bytes);
            assert_eq!(found.sector, bytes.sector);
            assert_eq!(found.facts.get("log-sunit"), bytes.facts.get("log-sunit"));
            // Stored only where it differs from 512.
            let log = &found.facts["log-sector"];
            assert_eq!(
                log,
                bytes.facts.get("log-sector").unwrap_or(&"512 B".to_owned())
            );
        }
    }
}

#[test]
fn xfs_info_of_captured_machines() {
    needs!(Fixtures);
    for machine in ["md-raid5-63", "md-raid10"] {
        let found = stated(&oracle(machine, "xfs_info-md0.txt"), "md0");
        same(&found, &superblock(&fixture(machine).join("dev/md0")));
    }
}

/// RHEL 5 and 6 print fewer options; a lying bridge left its widths.
#[test]
fn xfs_info_of_old() {
    let text = "meta-data=/dev/sdb1              isize=256    agcount=4, agsize=61047664 blks\n         \
                =                       sectsz=512   attr=2\n\
                data     =                       bsize=4096   blocks=244190656, imaxpct=25\n         \
                =                       sunit=1      swidth=8191 blks\n\
                naming   =version 2              bsize=4096   ascii-ci=0\n\
                log      =internal               bsize=4096   blocks=119233, version=2\n";
    let found = stated(text, "sdb1");
    let geometry = found.geometry.unwrap();
    assert_eq!(
        (geometry.unit.get(), geometry.width.get()),
        (4096, 8191 * 4096)
    );
    assert_eq!(found.size.unwrap().get(), 244_190_656 * 4096);
}

#[test]
fn dumpe2fs_and_tune2fs_count_blocks() {
    needs!(Packages);
    for (tool, options) in [
        (
            "mkfs.ext4",
            &["-b", "4096", "-E", "stride=16,stripe_width=48"][..],
        ),
        ("mkfs.ext4", &["-b", "1024", "-L", "data: one"]),
        ("mkfs.ext3", &[]),
        ("mkfs.ext2", &["-b", "2048", "-E", "stride=7"]),
        ("mkfs.ext4", &["-O", "bigalloc", "-C", "65536"]),
        ("mkfs.ext4", &["-b", "4096", "-E", "stripe_width=8191"]),
    ] {
        let (_folder, path) = sparse(64 * MIB);
        run(command(tool).args(["-q", "-F"]).args(options).arg(&path));
        let bytes = superblock(&path);
        for (tool, option) in [("dumpe2fs", "-h"), ("tune2fs", "-l")] {
            let text = run(command(tool).arg(option).arg(&path));
            let ticket = pasted(&format!("{tool} {option} /dev/sda1"), &text);
            let found = stated(&ticket, "sda1");
            same(&found, &bytes);
            assert_eq!((&found.label, &found.uuid), (&bytes.label, &bytes.uuid));
            assert_eq!(found.facts, bytes.facts, "{text}");
            let about = Text::new(text.as_bytes()).about("/dev/sda2");
            assert!(
                only(&said_of(&about), "sda2", |_| true)
                    .filesystem
                    .is_some()
            );
        }
    }
}

#[test]
fn several_superblocks_in_one_text_keep_apart() {
    needs!(Packages);
    let mut text = String::new();
    for (device, block) in [("sda1", "1024"), ("sda2", "4096")] {
        let (_folder, path) = sparse(16 * MIB);
        run(command("mkfs.ext4")
            .args(["-q", "-F", "-b", block])
            .arg(&path));
        text.push_str(&format!("==> sos/filesys/dumpe2fs_-h_.dev.{device} <==\n"));
        text.push_str(&run(command("dumpe2fs").arg("-h").arg(&path)));
    }
    assert_eq!(stated(&text, "sda1").block.unwrap().get(), 1024);
    assert_eq!(stated(&text, "sda2").block.unwrap().get(), 4096);
}

#[test]
fn btrfs_and_ntfs() {
    needs!(Packages);
    let (_folder, path) = sparse(256 * MIB);
    run(command("mkfs.btrfs").args(["-q", "-L", "pool"]).arg(&path));
    let text = run(command("btrfs")
        .args(["inspect-internal", "dump-super"])
        .arg(&path));
    let (found, bytes) = (stated(&text, path.to_str().unwrap()), superblock(&path));
    same(&found, &bytes);
    assert_eq!(
        (found.label, found.uuid, found.facts),
        (bytes.label, bytes.uuid, bytes.facts)
    );

    for cluster in ["4096", "65536"] {
        let (_folder, path) = sparse(32 * MIB);
        run(command("mkfs.ntfs")
            .args(["-F", "-q", "-c", cluster, "-L", "disk"])
            .arg(&path));
        let text = run(command("ntfsinfo").args(["-m"]).arg(&path));
        let (found, bytes) = (stated(&text, path.to_str().unwrap()), superblock(&path));
        assert_eq!(
            (found.kind, found.block, found.sector),
            (bytes.kind, bytes.block, bytes.sector)
        );
        assert_eq!(found.label, bytes.label);
    }
}

#[test]
fn fat_data_start_where_the_tools_say() {
    needs!(Packages);
    for (options, mib) in [
        (&["-F", "16"][..], 40),
        (&["-F", "32", "-h", "63", "-R", "38"], 80),
        (&["-F", "12"], 4),
        (&["-F", "32", "-S", "4096"], 600),
    ] {
        let (_folder, path) = sparse(mib * MIB);
        run(command("mkfs.fat").args(options).arg(&path));
        let bytes = superblock(&path);
        let name = path.to_str().unwrap();
        let fsck = command("fsck.fat")
            .args(["-v", "-n"])
            .arg(&path)
            .output()
            .unwrap();
        let fsck = String::from_utf8_lossy(&fsck.stdout).into_owned();
        let mut minfo = command("minfo");
        let minfo = run(minfo
            .env("MTOOLS_SKIP_CHECK", "1")
            .arg("-i")
            .arg(&path)
            .arg("::"));
        for text in [fsck, minfo] {
            let found = stated(&text, name);
            assert_eq!(
                (
                    found.kind,
                    found.block,
                    found.sector,
                    found.data_start,
                    found.hidden_sectors
                ),
                (
                    bytes.kind,
                    bytes.block,
                    bytes.sector,
                    bytes.data_start,
                    bytes.hidden_sectors
                ),
                "{options:?}\n{text}"
            );
        }
    }
}
