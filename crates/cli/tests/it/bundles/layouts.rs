//! Bundles of all kinds and years: what is in them decides, not how they are packed.

use std::process::Command;

use ioalign_testkit::{BundleBuilder, CheckRun, Sysroot, check, sysroot};

use super::super::{PROGRAM, check_host};
use super::{BLOCKDEV, LSBLK_237, judged, sos};

fn in_tar(bundle: &BundleBuilder) -> CheckRun {
    let folder = tempfile::tempdir().unwrap();
    judged(&bundle.write(folder.path().join("bundle.tar")))
}

#[test]
fn a35_a_sosreport_without_starts_is_unknown_and_with_them_is_judged() {
    let folder = tempfile::tempdir().unwrap();
    let old = sos("sosreport-web1-2026-11-21-abcdefg");
    let path = old.write(folder.path().join("sosreport-web1.tar.xz"));
    let checked = judged(&path);
    assert_eq!((checked.verdict(), checked.code), ("unknown", 3));
    assert_eq!(checked.target()["source"], "capture");
    for partition in ["sda1", "sda2"] {
        checked.finding("start-unknown", partition);
    }
    let needed = checked.of_rule("bundle-incomplete");
    assert!(
        needed[0]["do"][0]
            .as_str()
            .unwrap()
            .contains("blockdev --report"),
        "{needed:#?}"
    );
    // The hints are judged all the same.
    let grids = checked.target()["grids"].as_array().unwrap();
    assert!(
        grids.iter().any(|grid| grid["size_bytes"] == 4096),
        "{grids:#?}"
    );
    let output = Command::new(PROGRAM)
        .args(["check", "--format", "nagios"])
        .arg(&path)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(3));
    let line = String::from_utf8(output.stdout).unwrap();
    assert!(line.starts_with("IOALIGN UNKNOWN"), "{line}");

    let new = old.file("sos_commands/block/blockdev_--report", BLOCKDEV);
    let checked = in_tar(&new);
    assert_eq!((checked.verdict(), checked.code), ("misaligned", 1));
    let finding = checked.finding("start-misaligned", "sda1");
    assert_eq!(finding["offset_bytes"], 63 * 512 % 4096);
    assert_eq!(checked.offset("sda2", 4096), Some(0));
    assert!(checked.of_rule("bundle-incomplete").is_empty());
}

#[test]
fn a_folder_is_judged_as_its_tarball_is() {
    let folder = tempfile::tempdir().unwrap();
    let bundle = sos("sosreport-x").file("sos_commands/block/blockdev_--report", BLOCKDEV);
    bundle.unpack(folder.path());
    let top = folder.path().join("sosreport-x");
    let (whole, inner, packed) = (judged(folder.path()), judged(&top), in_tar(&bundle));
    assert_eq!(whole.rules(), packed.rules());
    assert_eq!(inner.rules(), packed.rules());
    assert_eq!(inner.target()["layers"], packed.target()["layers"]);
    for ending in ["tar.gz", "tar.xz", "tar.bz2", "tar.zst"] {
        let path = bundle.write(folder.path().join(format!("b.{ending}")));
        assert_eq!(
            judged(&path).target()["layers"],
            packed.target()["layers"],
            "{ending}"
        );
    }
}

#[test]
fn keys_and_files_of_all_versions() {
    let hyphens = LSBLK_237
        .replace("MIN_IO", "MIN-IO")
        .replace("OPT_IO", "OPT-IO");
    let hyphens = hyphens
        .replace("PHY_SEC", "PHY-SEC")
        .replace("LOG_SEC", "LOG-SEC");
    let with_start = LSBLK_237
        .replace(r#"NAME="sda1""#, r#"NAME="sda1" START="63""#)
        .replace(r#"NAME="sda2""#, r#"NAME="sda2" START="1917398016""#);
    let fdisk = "\nDisk /dev/sda: 1000.2 GB, 1000204886016 bytes\n255 heads, 63 sectors/track, \
        121601 cylinders, total 1953525168 sectors\nUnits = sectors of 1 * 512 = 512 bytes\n\n   \
        Device Boot      Start         End      Blocks   Id  System\n/dev/sda1   *          63  \
        1917396176   958698057   83  Linux\n/dev/sda2      1917398016  1953527055    18064520   82  \
        Linux swap / Solaris\n";
    let parted = "Model: ATA WDC WD10EZEX-08W (scsi)\nDisk /dev/sda: 1953525168s\nSector size \
        (logical/physical): 512B/4096B\nPartition Table: msdos\nDisk Flags: \n\nNumber  Start        \
        End          Size         Type     File system     Flags\n 1      63s          1917396176s  \
        1917396114s  primary  ext4            boot\n 2      1917398016s  1953527055s  36129040s    \
        primary  linux-swap(v1)\n";
    for (path, text) in [
        ("sos_commands/block/lsblk_-O_-P", with_start.as_str()),
        ("sos_commands/block/fdisk_-l_.dev.sda", fdisk),
        ("sos_commands/filesys/fdisk_-l", fdisk),
        ("sos_commands/block/parted_-s_.dev.sda_unit_s_print", parted),
        ("sos_commands/filesys/parted_-s_.dev.sda_print", parted),
    ] {
        let bundle = BundleBuilder::new("host").queue("sda", (512, 4096, 4096, 0));
        let bundle = bundle
            .file("sos_commands/block/lsblk", "nothing\n")
            .file(path, text);
        let checked = in_tar(&bundle);
        assert_eq!(
            (checked.verdict(), checked.code),
            ("misaligned", 1),
            "{path}"
        );
        assert_eq!(checked.offset("sda1", 4096), Some(3584), "{path}");
    }
    let bundle = BundleBuilder::new("host").file("sos_commands/block/lsblk_-O_-P", hyphens);
    let checked = in_tar(&bundle.file("sos_commands/block/blockdev_--report", BLOCKDEV));
    assert_eq!(
        checked.offset("sda1", 4096),
        Some(3584),
        "limits from lsblk alone"
    );
}

#[test]
fn volumes_of_a_sosreport() {
    let blockdev = "RO    RA   SSZ   BSZ   StartSec            Size   Device\n\
        rw   256   512  4096          0   1000204886016   /dev/sda\n\
        rw   256   512  4096       2048   1000203837440   /dev/sda1\n\
        rw   256   512  4096          0      8589934592   /dev/dm-0\n";
    let lsblk = r#"NAME="sda" KNAME="sda" TYPE="disk" MIN-IO="4096" OPT-IO="0" PHY-SEC="4096" LOG-SEC="512" PKNAME=""
NAME="sda1" KNAME="sda1" TYPE="part" FSTYPE="LVM2_member" MIN-IO="4096" OPT-IO="0" PHY-SEC="4096" LOG-SEC="512" PKNAME="sda"
NAME="vg-root" KNAME="dm-0" TYPE="lvm" FSTYPE="xfs" MIN-IO="4096" OPT-IO="0" PHY-SEC="4096" LOG-SEC="512" PKNAME="sda1"
"#;
    let bundle = BundleBuilder::new("sosreport-lvm")
        .queue("sda", (512, 4096, 4096, 0))
        .queue("dm-0", (512, 4096, 4096, 0))
        .file("sos_commands/block/blockdev_--report", blockdev)
        .file("sos_commands/block/lsblk_-O_-P", lsblk);
    // The volume is drawn on the partition; where its extents are, nobody says.
    let checked = in_tar(&bundle);
    assert_eq!(
        (checked.verdict(), checked.code),
        ("unknown", 3),
        "{:#}",
        checked.json
    );
    checked.finding("bundle-incomplete", "sda");
    let pvs = "  PV         VG Fmt  Attr PSize   PFree   DevSize PV UUID 1st PE  #PMda\n\
        \x20 /dev/sda1  vg lvm2 a--  931.50g 900.00g 931.51g abc     192.50k     1\n";
    let backup = "contents = \"Text Format Volume Group\"\nversion = 1\ncreation_time = 1\n\nvg {\n\
        id = \"u\"\nseqno = 2\nformat = \"lvm2\"\nextent_size = 8192\nmax_lv = 0\nmax_pv = 0\n\
        physical_volumes {\npv0 {\nid = \"p\"\ndevice = \"/dev/sda1\"\nstatus = [\"ALLOCATABLE\"]\n\
        dev_size = 1953523120\npe_start = 385\npe_count = 238465\n}\n}\n\
        logical_volumes {\nroot {\nid = \"l\"\nstatus = [\"READ\", \"WRITE\", \"VISIBLE\"]\n\
        segment_count = 1\nsegment1 {\nstart_extent = 0\nextent_count = 2048\ntype = \"striped\"\n\
        stripe_count = 1\nstripes = [\n\"pv0\", 0\n]\n}\n}\n}\n}\n";
    let bundle = bundle
        .file("sos_commands/lvm2/pvs_-a_-v", pvs)
        .file("etc/lvm/backup/vg", backup);
    let checked = in_tar(&bundle);
    assert_eq!(
        (checked.verdict(), checked.code),
        ("misaligned", 1),
        "{:#}",
        checked.json
    );
    assert_eq!(checked.offset("vg/root", 4096), Some(385 * 512 % 4096));
}

#[test]
fn archives_of_insights() {
    let lsblk = LSBLK_237.replace('_', "-");
    for data in ["", "data/"] {
        let bundle = BundleBuilder::new("insights-web1-20261121")
            .file(
                &format!("{data}insights_commands/lsblk_-P_-o"),
                lsblk.clone(),
            )
            .file(&format!("{data}insights_commands/hostname"), "web1\n")
            .file("meta_data/x.json", "{}");
        let checked = in_tar(&bundle);
        assert_eq!((checked.verdict(), checked.code), ("unknown", 3));
        let why = checked.of_rule("bundle-incomplete")[0]["why"].to_string();
        assert!(
            why.contains("insights archive") && why.contains("sda1"),
            "{why}"
        );
        let more = bundle.file(
            &format!("{data}insights_commands/blockdev_--report"),
            BLOCKDEV,
        );
        assert_eq!(in_tar(&more).verdict(), "misaligned");
    }
}

#[test]
fn the_sections_of_a_supportconfig() {
    let file = format!(
        "=============================================================================\n\
         Support Utilities - Supportconfig\n\n\
         #==[ Command ]======================================#\n# /usr/bin/lsblk -O -P\n{LSBLK_237}\n\
         #==[ Command ]======================================#\n# /sbin/blockdev --report\n{BLOCKDEV}\n\
         #==[ Configuration File ]===========================#\n# /etc/fstab\n/dev/sda1 / ext4\n"
    );
    let bundle = BundleBuilder::new("scc_web1_261121")
        .file("basic-environment.txt", "Linux\n")
        .file("fs-diskio.txt", file);
    let checked = in_tar(&bundle);
    assert_eq!((checked.verdict(), checked.code), ("misaligned", 1));
    assert_eq!(checked.offset("sda1", 4096), Some(3584));
}

#[test]
fn plain_texts_of_one_host() {
    let folder = tempfile::tempdir().unwrap();
    let bundle = BundleBuilder::new("ticket")
        .file("a.txt", LSBLK_237)
        .file("b.txt", BLOCKDEV);
    bundle.unpack(folder.path());
    let unpacked = judged(&folder.path().join("ticket"));
    assert_eq!((unpacked.verdict(), unpacked.code), ("misaligned", 1));
    assert_eq!(in_tar(&bundle).rules(), unpacked.rules());
}

#[test]
fn a_captured_host_in_a_tarball_is_the_folder() {
    let tree = Sysroot::new()
        .disk(sysroot::SysrootDisk::new("sda", 1 << 31).limits(512, 4096, 4096, 0))
        .partition("sda", 1, 63, 100_000)
        .content(
            "sda",
            0,
            ioalign_testkit::mbr::sector(&[(0x83, 63, 100_000)]),
        );
    let folder = tempfile::tempdir().unwrap();
    let whole = check_host(&tree, &[]);
    let packings: [&[&str]; 4] = [
        &["--format=gnu", "--sparse", "-z"],
        &["--format=posix", "--sparse", "--sparse-version=1.0", "-J"],
        &["--format=posix", "--sparse", "--sparse-version=0.1", "-j"],
        &["--format=gnu", "--sparse", "--zstd"],
    ];
    for options in packings {
        let path = folder.path().join("capture.tar");
        let status = Command::new("tar")
            .args(options)
            .arg("-cf")
            .arg(&path)
            .arg("-C")
            .arg(tree.path())
            .arg(".")
            .status();
        assert!(status.unwrap().success());
        for checked in [
            judged(&path),
            check(PROGRAM, ["--sysroot".as_ref(), path.as_os_str()]),
        ] {
            assert_eq!(checked.code, whole.code);
            assert_eq!(checked.rules(), whole.rules(), "{options:?}");
            assert_eq!(
                checked.target()["grids"],
                whole.target()["grids"],
                "{options:?}"
            );
        }
    }
    let named = check(PROGRAM, [tree.path()]);
    assert_eq!(named.rules(), whole.rules(), "the folder as a target");
}
