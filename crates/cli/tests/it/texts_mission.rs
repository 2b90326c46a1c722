//! The texts that the project began with: what `fdisk`, `parted` and `format` printed there, in the
//! layouts of those days, with the starts of the documents and exact numbers.

use serde_json::json;

use super::texts::from_stdin;

/// The grids by which the articles judge: sectors to 64 KiB and 1 MiB, none of them a disk's own.
const STEPS: [&str; 8] = [
    "--grid",
    "1k:a:rmw",
    "--grid",
    "32k:b:rmw",
    "--grid",
    "64k:stripe:rmw",
    "--grid",
    "1m:d:preference",
];

const HEAD: &str = "Disk /dev/sda: 1198.0 GB, 1197998080000 bytes\n\
    255 heads, 63 sectors/track, 145648 cylinders, total 2339840000 sectors\n\
    Units = sectors of 1 * 512 = 512 bytes\n\n";
const BAD: &str = "   Device Boot      Start         End      Blocks   Id  System\n\
    /dev/sda1   *          63    19535039     9767488+  83  Linux\n\
    /dev/sda2        19535040    27342629     3903795   82  Linux swap / Solaris\n\
    /dev/sda3        27342630  2339835119  1156246245   8e  Linux LVM\n";
const GOOD: &str = "   Device Boot      Start         End      Blocks   Id  System\n\
    /dev/sda1   *        2048    19531775     9764864   83  Linux\n\
    /dev/sda2        19531776    27920383     4194304   82  Linux swap / Solaris\n\
    Partition 2 does not end on cylinder boundary.\n\
    /dev/sda3        27920384  2339839999  1155959808   83  Linux\n\
    Partition 3 does not end on cylinder boundary.\n";

/// Offsets of the three partitions on one grid.
fn offsets(text: &str, grid: u64) -> [Option<u64>; 3] {
    let checked = from_stdin(text.as_bytes(), &STEPS);
    ["partition:sda1", "partition:sda2", "partition:sda3"].map(|name| checked.offset(name, grid))
}

#[test]
fn m3_5_starts_of_an_old_installer() {
    let text = format!("db1# fdisk -ul\n\n{HEAD}{BAD}");
    // sda1 and sda3 do not even align to 1 KiB; sda2 aligns to 32 KiB and not to 64 KiB.
    assert_eq!(offsets(&text, 1 << 10), [Some(512), Some(0), Some(0)]);
    assert_eq!(
        offsets(&text, 32 << 10),
        [Some(32256), Some(0), Some(19456)]
    );
    assert_eq!(
        offsets(&text, 64 << 10),
        [Some(32256), Some(32768), Some(19456)]
    );
    let checked = from_stdin(text.as_bytes(), &["--grid", "64k:stripe:rmw"]);
    assert_eq!((checked.verdict(), checked.code), ("misaligned", 1));
    for (name, offset, next) in [
        ("sda1", 32256, 2048),
        ("sda2", 32768, 19_535_872),
        ("sda3", 19456, 27_342_848),
    ] {
        let finding = checked.finding("start-misaligned", name);
        assert_eq!(finding["offset_bytes"], offset, "{name}");
        assert_eq!(finding["suggest"]["start_sectors"], next, "{name}");
    }
}

#[test]
fn m3_5_starts_on_1_mib() {
    let parted = "db2# parted /dev/sda unit s print\nModel: LSI MegaRAID 8704EM2 (scsi)\n\
        Disk /dev/sda: 2339840000s\nSector size (logical/physical): 512B/512B\nPartition Table: msdos\n\n\
        Number  Start      End          Size         Type     File system     Flags\n \
        1      2048s      19531775s    19529728s    primary  ext4            boot\n \
        2      19531776s  27920383s    8388608s     primary  linux-swap(v1)\n \
        3      27920384s  2339839999s  2311919616s  primary\n\n";
    let fdisk = format!("db2# fdisk -ul\n\n{HEAD}{GOOD}");
    for text in [parted, fdisk.as_str()] {
        for grid in [1 << 10, 32 << 10, 64 << 10, 1 << 20] {
            assert_eq!(offsets(text, grid), [Some(0); 3], "{grid} {text}");
        }
        let checked = from_stdin(text.as_bytes(), &["--grid", "64k:stripe:rmw"]);
        assert_eq!((checked.verdict(), checked.code), ("ok", 0), "{text}");
        // 27920384 = 13633 × 2048.
        let third = checked.layer("sda3");
        assert_eq!(third["start_sectors"], 13633 * 2048);
        assert_eq!(third["below"][0]["start_bytes"], 13633_u64 << 20);
    }
}

#[test]
fn m3_5_cylinders_tell_too_little() {
    let text = "db2# fdisk -l\n\nDisk /dev/sda: 1198.0 GB, 1197998080000 bytes\n\
        255 heads, 63 sectors/track, 145648 cylinders\n\
        Units = cylinders of 16065 * 512 = 8225280 bytes\n   \
        Device Boot      Start         End      Blocks   Id  System\n\
        /dev/sda1   *           1        1216     9764864   83  Linux\n\
        /dev/sda2            1216        1738     4194304   82  Linux swap / Solaris\n\
        Partition 2 does not end on cylinder boundary.\n\
        /dev/sda3            1738      145649  1155959808   83  Linux\n\
        Partition 3 does not end on cylinder boundary.\n";
    let checked = from_stdin(text.as_bytes(), &["--grid", "64k:stripe:rmw"]);
    assert_eq!((checked.verdict(), checked.code), ("unknown", 3));
    for name in ["sda1", "sda2", "sda3"] {
        checked.finding("start-not-exact", name);
        assert_eq!(checked.layer(name)["start_sectors"], json!(null));
    }
}

/// `format`'s table of an EFI label, slice 0 at `start`.
fn format_text(start: u64) -> String {
    format!(
        "partition> print\nCurrent partition table (original):\n\
         Total disk sectors available: 268419037 + 16384 (reserved sectors)\n\n\
         Part      Tag    Flag     First Sector         Size         Last Sector\n  \
         0        usr    wm     {start:>13}      127.99GB          268419070    \n  \
         1 unassigned    wm                 0           0               0    \n  \
         2 unassigned    wm                 0           0               0    \n  \
         8   reserved    wm         268419071        8.00MB          268435454    \n\npartition> quit\n"
    )
}

fn prtvtoc_text(start: u64) -> String {
    format!(
        "* /dev/rdsk/c1t1d0s0 EFI partition map\n*\n* Dimensions:\n*         512 bytes/sector\n\
         *   268435456 sectors\n*   268435389 accessible sectors\n*\n* Flags:\n*   1: unmountable\n*  10: read-only\n*\n\
         *                            First     Sector      Last\n\
         * Partition  Tag  Flags      Sector     Count      Sector  Mount Directory\n       \
         0      4    00        {start:>8}  {:>9}   268419070\n       \
         8     11    00       268419071     16384   268435454\n",
        268_419_071 - start
    )
}

#[test]
fn m4_1_slice_0_at_sector_34() {
    for text in [format_text(34), prtvtoc_text(34)] {
        let checked = from_stdin(text.as_bytes(), &["--profile-grid", "zfs-8k"]);
        assert_eq!(
            (checked.verdict(), checked.code),
            ("misaligned", 1),
            "{text}"
        );
        let finding = &checked.of_rule("start-misaligned")[0];
        // 17 KiB = 2 × 8 KiB + 1 KiB: every 8 KiB read touches two blocks.
        assert_eq!(
            (&finding["unit_bytes"], &finding["offset_bytes"]),
            (&json!(8192), &json!(1024))
        );
        let (straddle, cells) = super::cost(finding, 8192);
        assert!((straddle - 1.0).abs() < 1e-9 && (cells - 2.0).abs() < 1e-9);
        // The reserved slice 8 starts at an odd sector and is not judged.
        assert_eq!(
            checked.of_rule("start-misaligned").len(),
            1,
            "{:#}",
            checked.target()
        );
    }
}

#[test]
fn m4_1_starts_that_are_good() {
    for (start, good, bad) in [
        (48, 8 << 10, Some(64 << 10)),
        (64, 32 << 10, Some(64 << 10)),
        (80, 8 << 10, Some(16 << 10)),
        (128, 64 << 10, Some(128 << 10)),
        (256, 128 << 10, None),
    ] {
        for text in [format_text(start), prtvtoc_text(start)] {
            let judged = |grid: u64| {
                let grid = format!("{grid}:volume-block:rmw");
                let checked = from_stdin(text.as_bytes(), &["--grid", &grid]);
                (checked.verdict().to_owned(), checked.code)
            };
            assert_eq!(judged(8192), ("ok".to_owned(), 0), "{start}");
            assert_eq!(judged(good), ("ok".to_owned(), 0), "{start} on {good}");
            if let Some(bad) = bad {
                assert_eq!(
                    judged(bad),
                    ("misaligned".to_owned(), 1),
                    "{start} on {bad}"
                );
            }
        }
    }
}
