//! Acceptance scenarios of units larger than the blocks above them: volume blocks, indirection units,
//! database pages, zones, and hints that contradict each other.

use ioalign_testkit::CheckRun;
use ioalign_testkit::run::{text, tool};
use ioalign_testkit::sysroot::{Sysroot, SysrootDisk};
use serde_json::json;

use super::{check_host, why};

/// The first bytes of a file system that a real tool made on `mib` MiB.
fn filesystem(mib: u64, make: &str, arguments: &[&str]) -> Vec<u8> {
    let image = ioalign_testkit::Disk::new("fs", mib << 20);
    let mut all = arguments.to_vec();
    all.push(text(image.path()));
    tool(make, &all);
    image.read(0, 1 << 17)
}

fn ext4() -> Vec<u8> {
    filesystem(64, "mkfs.ext4", &["-q", "-b", "4096"])
}

fn nvme(name: &str, sectors: u64) -> SysrootDisk {
    SysrootDisk::new(name, sectors)
        .bus("pci0000:00/0000:00:1d.0/0000:3d:00.0/nvme/nvme0")
        .flash()
}

#[test]
fn a24_a_volume_block_of_128_kib() {
    needs!(Packages);
    let tree = Sysroot::new()
        .disk(SysrootDisk::new("sda", 1 << 30).limits(512, 131_072, 131_072, 131_072))
        .partition("sda", 1, 2048, 131_072)
        .content("sda1", 0, ext4());
    let checked = check_host(&tree, &[]);
    assert_eq!(
        checked.of_rule("start-misaligned").len(),
        0,
        "{:?}",
        checked.rules()
    );
    assert_eq!(checked.offset("sda1", 131_072), Some(0));
    let finding = checked.finding("block-below-rmw-unit", "ext4");
    assert_eq!(
        (&finding["severity"], &finding["unit_bytes"]),
        (&json!("suboptimal"), &json!(131_072))
    );
    assert!(why(finding).contains("32 times"), "{finding:#}");
    assert!(
        finding["do"][0]
            .as_str()
            .unwrap()
            .contains("volblocksize=16K"),
        "{finding:#}"
    );
}

fn osd(disk: SysrootDisk, arguments: &[&str]) -> CheckRun {
    check_host(&Sysroot::new().disk(disk), arguments)
}

#[test]
fn a25_a_coarse_drive_below_bluestore() {
    // By its model, by NPWG as the kernel shows it, and a drive with 16 KiB.
    let table = nvme("nvme0n1", 1 << 31)
        .limits(512, 4096, 4096, 0)
        .attr("device/model", "INTEL SSDPFWNV153TZ");
    let npwg = nvme("nvme0n1", 1 << 31)
        .limits(512, 4096, 65536, 0)
        .attr("device/model", "coarse");
    let sixteen = nvme("nvme0n1", 1 << 31)
        .limits(512, 4096, 16384, 0)
        .attr("device/model", "coarse");
    for (disk, times, unit, source) in [
        (table, "16 times", 65536, "table: Intel/Solidigm P5316"),
        (npwg, "16 times", 65536, "NPWG"),
        (sixteen, "4 times", 16384, "NPWG"),
    ] {
        let checked = osd(disk, &["--database", "bluestore"]);
        let finding = checked.finding("block-below-rmw-unit", "bluestore");
        assert_eq!(finding["unit_bytes"], unit);
        assert!(
            why(finding).contains(times) && why(finding).contains(source),
            "{finding:#}"
        );
        assert_eq!(checked.of_rule("block-below-rmw-unit").len(), 1);
    }
}

#[test]
fn a25_an_osd_is_recognised_by_its_label() {
    let mut label = b"bluestore block device\n0f0e0d0c-0b0a-0908-0706-050403020100\n".to_vec();
    label.resize(4096, 0);
    let disk = nvme("nvme0n1", 1 << 31).limits(512, 4096, 65536, 0);
    let tree = Sysroot::new().disk(disk).content("nvme0n1", 0, label);
    let checked = check_host(&tree, &[]);
    let finding = checked.finding("block-below-rmw-unit", "bluestore");
    assert!(
        why(finding).contains("assumed: bluestore_min_alloc_size"),
        "{finding:#}"
    );
    let coarse = check_host(&tree, &["--database", "bluestore:64k"]);
    assert_eq!(
        coarse.of_rule("block-below-rmw-unit").len(),
        0,
        "{:?}",
        coarse.rules()
    );
}

#[test]
fn a25_a_large_optimal_write_is_no_indirection_unit() {
    let tlc = nvme("nvme0n1", 1 << 31).limits(512, 4096, 4096, 131_072);
    let checked = osd(tlc, &["--database", "bluestore"]);
    assert_eq!(
        checked.of_rule("block-below-rmw-unit").len(),
        0,
        "{:?}",
        checked.rules()
    );
    assert_eq!(checked.verdict(), "ok");
}

#[test]
fn a34_sql_server_does_not_start_on_large_sectors() {
    needs!(Packages);
    let ntfs = filesystem(
        64,
        "mkntfs",
        &[
            "-q", "-F", "-p", "2048", "-H", "255", "-S", "63", "-s", "512",
        ],
    );
    for physical in [16384, 32768] {
        let tree = Sysroot::new()
            .disk(nvme("nvme0n1", 1 << 24).limits(512, physical, physical, 0))
            .partition("nvme0n1", 1, 2048, 131_072)
            .content("nvme0n1p1", 0, &ntfs);
        let plain = check_host(&tree, &[]);
        assert_eq!(plain.of_rule("start-misaligned").len(), 0);
        assert_ne!(plain.verdict(), "broken");
        let checked = check_host(&tree, &["--database", "sqlserver"]);
        assert_eq!((checked.verdict(), checked.code), ("broken", 2));
        let finding = checked.finding("sqlserver-sector-too-large", "sqlserver");
        assert_eq!(finding["unit_bytes"], physical);
        assert_eq!(checked.offset("nvme0n1p1", physical), Some(0));
        assert_eq!(
            checked.of_rule("block-below-rmw-unit").len(),
            1,
            "of the pages only"
        );
    }
    let usual = Sysroot::new().disk(nvme("nvme0n1", 1 << 24).limits(512, 4096, 4096, 0));
    let checked = check_host(&usual, &["--database", "sqlserver"]);
    assert_eq!(checked.of_rule("sqlserver-sector-too-large").len(), 0);
}

#[test]
fn a38_a_stripe_unit_without_a_width() {
    needs!(Packages);
    let mut xfs = filesystem(1024, "mkfs.xfs", &["-q", "-d", "su=64k,sw=3"]);
    xfs[188..192].fill(0);
    let tree = Sysroot::new()
        .disk(SysrootDisk::new("sda", 1 << 30).limits(512, 4096, 4096, 0))
        .partition("sda", 1, 2048, 2_097_152)
        .content("sda1", 0, xfs);
    let checked = check_host(&tree, &[]);
    let finding = checked.finding("xfs-geometry-bogus", "xfs");
    assert_eq!(finding["severity"], "suboptimal");
    assert!(why(finding).contains("may refuse"), "{finding:#}");
}

#[test]
fn a38_a_minimum_above_the_optimum() {
    let tree = Sysroot::new()
        .disk(SysrootDisk::new("sda", 1 << 30).limits(512, 4096, 262_144, 65536))
        .partition("sda", 1, 2048, 1 << 20);
    let checked = check_host(&tree, &[]);
    assert_eq!((checked.verdict(), checked.code), ("ok", 0));
    let hints = checked.of_rule("bogus-hint");
    assert!(
        hints
            .iter()
            .any(|hint| why(hint).contains("less than the minimum I/O size")),
        "{:#}",
        checked.target()
    );
    assert_eq!(hints.len(), 1, "one contradiction: {hints:#?}");
    let grids = checked.target()["grids"].as_array().unwrap();
    let hints: Vec<_> = grids
        .iter()
        .filter(|grid| grid["tier"] == "preference")
        .collect();
    assert_eq!(hints.len(), 2);
    assert!(hints.iter().all(|grid| grid["trusted"] == false));
}

/// InnoDB on ext4 in a partition at `start`.
fn innodb(start: u64, configuration: &str, name: &str) -> CheckRun {
    let tree = Sysroot::new()
        .disk(SysrootDisk::new("sda", 1 << 24).limits(512, 4096, 4096, 0))
        .partition("sda", 1, start, 131_072)
        .content("sda1", 0, ext4())
        .file("etc/mysql/conf.d/mysqld.cnf", configuration);
    check_host(&tree, &["--database", name])
}

#[test]
fn torn_pages_off_a_16_kib_path() {
    needs!(Packages);
    for (configuration, name) in [
        ("", "innodb:16k,doublewrite=off"),
        ("[mysqld]\ninnodb_doublewrite = 0\n", "innodb:16k"),
    ] {
        let checked = innodb(2056, configuration, name);
        assert_eq!((checked.verdict(), checked.code), ("data-risk", 2));
        let finding = checked.finding("torn-page-risk", "sda1");
        assert_eq!(
            (&finding["unit_bytes"], &finding["offset_bytes"]),
            (&json!(16384), &json!(4096))
        );
    }
    let protected = innodb(2056, "", "innodb:16k,doublewrite=on");
    assert_eq!(protected.of_rule("torn-page-risk").len(), 0);
    let unknown = innodb(2056, "", "innodb:16k");
    assert_eq!(unknown.of_rule("torn-page-risk").len(), 0);
}

#[test]
fn pages_in_smaller_blocks_tear_on_any_path() {
    needs!(Packages);
    let checked = innodb(2048, "", "innodb:16k,doublewrite=off");
    let finding = checked.finding("torn-page-risk", "innodb");
    assert_eq!(finding["severity"], "data-risk");
    assert!(why(finding).contains("blocks of 4 KiB"), "{finding:#}");
}

#[test]
fn a37_a_lun_that_lies_about_its_physical_block() {
    for (start, verdict) in [(63, "misaligned"), (128, "ok")] {
        let tree = Sysroot::new()
            .disk(
                SysrootDisk::new("sda", 1 << 30)
                    .limits(512, 512, 4096, 65536)
                    .model("NETAPP", "LUN"),
            )
            .partition("sda", 1, start, 1 << 20);
        let checked = check_host(&tree, &[]);
        assert_eq!(
            checked.verdict(),
            verdict,
            "start {start}: {:?}",
            checked.rules()
        );
        let off = start * 512;
        assert_eq!(checked.offset("sda1", 4096), Some(off % 4096));
        assert_eq!(checked.offset("sda1", 65536), Some(off % 65536));
    }
}

#[test]
fn a39_zones_must_be_written_from_their_start() {
    for (start, verdict, code) in [(2048, "broken", 2), (524_288, "ok", 0)] {
        let tree = Sysroot::new()
            .disk(
                SysrootDisk::new("sda", 1 << 34)
                    .limits(512, 4096, 4096, 0)
                    .attr("queue/zoned", "host-managed")
                    .attr("queue/chunk_sectors", 524_288),
            )
            .partition("sda", 1, start, 1 << 30);
        let checked = check_host(&tree, &[]);
        assert_eq!(
            (checked.verdict(), checked.code),
            (verdict, code),
            "{:?}",
            checked.rules()
        );
        if verdict == "broken" {
            let finding = checked.finding("start-invalid", "sda1");
            assert_eq!(
                (&finding["unit_bytes"], &finding["suggest"]["start_sectors"]),
                (&json!(256 << 20), &json!(524_288))
            );
        }
    }
}
