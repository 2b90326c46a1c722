//! Acceptance scenarios that reach us as text: logs, listings of old tools, reports of pools.

use std::process::Command;

use ioalign_testkit::CheckRun;
use serde_json::json;

use super::texts::{from_stdin, together};
use super::{PROGRAM, cost, why};

const LSBLK_T: &str = "# lsblk -t\n\
    NAME   ALIGNMENT MIN-IO OPT-IO PHY-SEC LOG-SEC ROTA SCHED       RQ-SIZE   RA WSAME\n\
    sdb            0   4096      0    4096     512    1 mq-deadline      60  128   32M\n\
    └─sdb1         0   4096      0    4096     512    1 mq-deadline      60  128   32M\n";
const DMESG: &str = "# dmesg\n\
    [    4.101231] sd 6:0:0:0: [sdb] 976754646 4096-byte logical blocks: (4.00 TB/3.64 TiB)\n\
    [    4.123456] sd 6:0:0:0: [sdb] Optimal transfer size 33553920 bytes not a multiple of physical block size (4096 bytes)\n";

#[test]
fn a09_a_hint_that_only_the_log_remembers() {
    let log = DMESG.lines().next_back().unwrap();
    let checked = together(
        &[
            ("lsblk_-t", LSBLK_T),
            ("dmesg", &format!("# dmesg\n{log}\n")),
        ],
        &[],
    );
    let finding = checked.finding("bogus-hint", "sdb");
    assert_eq!(finding["severity"], "note");
    let said = why(finding);
    // The line itself is the evidence, and the arithmetic stands beside it.
    let line =
        "Optimal transfer size 33553920 bytes not a multiple of physical block size (4096 bytes)";
    assert!(
        said.contains(line) && said.contains("0xFFFF × 512"),
        "{said}"
    );
    let grids = checked.target()["grids"].as_array().unwrap();
    assert!(
        grids.iter().all(|grid| grid["kind"] != "optimal-io"),
        "{grids:#?}"
    );
}

fn zpool(complaint: &str) -> CheckRun {
    let text = format!(
        "# zpool status\n  pool: tank\n state: ONLINE\n\
         status: One or more devices are configured to use a non-native block size.\n\
         \tExpect reduced performance.\nconfig:\n\n\
         \tNAME        STATE     READ WRITE CKSUM\n\ttank        ONLINE       0     0     0\n\
         \t  sdb       ONLINE       0     0     0  block size: {complaint}\n\nerrors: No known data errors\n"
    );
    from_stdin(text.as_bytes(), &[])
}

#[test]
fn a23_block_sizes_that_zpool_status_complains_of() {
    let checked = zpool("512B configured, 4096B native");
    assert_eq!((checked.verdict(), checked.code), ("misaligned", 1));
    let finding = checked.finding("ashift-below-physical-block", "sdb");
    assert!(why(finding).contains("ashift 9"), "{finding:#}");
    let steps = finding["do"].to_string();
    assert!(
        steps.contains("Not fixable in place") && steps.contains("ashift=12"),
        "{steps}"
    );
    assert_eq!(checked.of_rule("ashift-below-physical-block").len(), 1);

    for complaint in [
        "65536B configured, 262144B native",
        "4096B configured, 16384B native",
    ] {
        let checked = zpool(complaint);
        let hint = checked.finding("zfs-native-hint", "sdb");
        assert_eq!(hint["severity"], "note");
        assert!(checked.of_rule("ashift-below-physical-block").is_empty());
        let all = checked.target()["findings"].to_string();
        assert!(
            !all.contains("ashift=18") && !all.contains("ashift 18"),
            "{all}"
        );
    }
}

#[test]
fn a23_one_finding_where_the_disk_is_told_as_well() {
    let status = "# zpool status\n  pool: tank\n\tNAME        STATE     READ WRITE CKSUM\n\
        \ttank        ONLINE       0     0     0\n\
        \t  sdb1      ONLINE       0     0     0  block size: 512B configured, 4096B native\n\n";
    let checked = together(&[("zpool", status), ("lsblk", LSBLK_T)], &[]);
    assert_eq!(checked.of_rule("ashift-below-physical-block").len(), 1);
}

fn biosnoop(rows: &str) -> String {
    let heading = "TIME(s)     COMM           PID    DISK    T SECTOR     BYTES  LAT(ms)\n";
    let checked = from_stdin(format!("# biosnoop\n{heading}{rows}").as_bytes(), &[]);
    // Requests are no layout: nothing is ok because of them.
    assert_eq!((checked.verdict(), checked.code), ("unknown", 3));
    let finding = checked.of_rule("requests-seen")[0];
    assert_eq!(finding["severity"], "note");
    why(finding).to_owned()
}

#[test]
fn a29_requests_that_a_tracer_saw() {
    let said = biosnoop(
        "0.000000    jbd2/sda1-8    250    sda     W 16217088   4096      0.41\n\
         0.000314    postgres       1117   sda     R 145944280  8192      5.10\n\
         0.020211    my process     99     sda     W 2243599032 16384     0.57\n",
    );
    assert!(
        said.contains("3 requests were seen: all start on 4 KiB boundaries"),
        "{said}"
    );

    let said = biosnoop(
        "0.000000    dd             250    nvme0n1 R 114100936  425984    0.41\n\
         0.000314    kworker/u8:1   1117   nvme0n1 W 4565912    4096      0.10\n",
    );
    assert!(said.contains("all start on 4 KiB boundaries"), "{said}");
    // Off 16 KiB by 4096 and 12288, and the small one stays inside one unit of 16 KiB.
    assert!(
        said.contains("2 start off 16 KiB (1 at 4096 B, 1 at 12288 B), 0 of that size"),
        "{said}"
    );
}

/// The listing of the disk in util-linux#848; the second partition ends `free` sectors before the third.
fn ticket(free: u64) -> CheckRun {
    let text = format!(
        "# fdisk -l /dev/sda\nDisk /dev/sda: 931.5 GiB, 1000204886016 bytes, 1953525168 sectors\n\
         Units: sectors of 1 * 512 = 512 bytes\nSector size (logical/physical): 512 bytes / 4096 bytes\n\
         I/O size (minimum/optimal): 4096 bytes / 4096 bytes\nDisklabel type: gpt\n\n\
         Device         Start        End    Sectors   Size Type\n\
         /dev/sda1       2048     206847     204800   100M EFI System\n\
         /dev/sda2     206848 {:>10}  772098152 368.2G Linux filesystem\n\
         /dev/sda3  772305026 1953525134 1181220109 563.3G Linux filesystem\n",
        772_305_025 - free
    );
    let size = 772_305_026 - free - 206_848;
    from_stdin(text.replace("772098152", &size.to_string()).as_bytes(), &[])
}

#[test]
fn a30_two_sectors_before_it_would_be_right() {
    let checked = ticket(2);
    let finding = checked.finding("start-misaligned", "sda3");
    assert_eq!(
        (&finding["unit_bytes"], &finding["offset_bytes"]),
        (&json!(4096), &json!(1024))
    );
    // 772305026 − 2: the two free sectors are exactly what it needs.
    assert_eq!(
        finding["suggest"]["start_before_bytes"],
        772_305_024_u64 * 512
    );
    for free in [0, 1] {
        let checked = ticket(free);
        let finding = checked.finding("start-misaligned", "sda3");
        assert_eq!(
            finding["suggest"]["start_before_bytes"],
            json!(null),
            "{free}"
        );
    }
    let roomy = ticket(10_000);
    let finding = roomy.finding("start-misaligned", "sda3");
    let before = finding["suggest"]["start_before_bytes"].as_u64().unwrap();
    assert_eq!(before % (1 << 20), 0, "where there is room, on a whole MiB");
}

const LSBLK_OLD: &str = concat!(
    "NAME=\"sda\" KNAME=\"sda\" PATH=\"/dev/sda\" MAJ_MIN=\"8:0\" FSTYPE=\"\" MOUNTPOINT=\"\" PTTYPE=\"dos\" RO=\"0\" SIZE=\"20G\" ",
    "ALIGNMENT=\"0\" MIN_IO=\"4096\" OPT_IO=\"33553920\" PHY_SEC=\"4096\" LOG_SEC=\"512\" ROTA=\"1\" TYPE=\"disk\" TRAN=\"usb\" PKNAME=\"\"\n",
    "NAME=\"sda1\" KNAME=\"sda1\" PATH=\"/dev/sda1\" MAJ_MIN=\"8:1\" FSTYPE=\"xfs\" MOUNTPOINT=\"/\" PTTYPE=\"dos\" RO=\"0\" SIZE=\"1G\" ",
    "ALIGNMENT=\"0\" MIN_IO=\"4096\" OPT_IO=\"33553920\" PHY_SEC=\"4096\" LOG_SEC=\"512\" ROTA=\"1\" TYPE=\"part\" TRAN=\"\" PKNAME=\"sda\"\n",
);
const BLOCKDEV: &str = "RO    RA   SSZ   BSZ   StartSec            Size   Device\n\
    rw   256   512  4096          0     21474836480   /dev/sda\n\
    rw   256   512  4096         63      1073741824   /dev/sda1\n";

/// Exit code and first line of the monitoring plugin.
fn nagios(texts: &[(&str, &str)]) -> (i32, String) {
    let folder = tempfile::tempdir().unwrap();
    let paths = texts.iter().map(|(name, content)| {
        let path = folder.path().join(name);
        std::fs::write(&path, content).unwrap();
        path
    });
    let output = Command::new(PROGRAM)
        .args(["check", "--format", "nagios"])
        .args(paths)
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let line = text.lines().next().unwrap_or_default().to_owned();
    (output.status.code().unwrap(), line)
}

#[test]
fn a35_an_old_lsblk_alone_is_unknown() {
    let checked = from_stdin(LSBLK_OLD.as_bytes(), &[]);
    assert_eq!((checked.verdict(), checked.code), ("unknown", 3));
    checked.finding("start-unknown", "sda1");
    // The hints are judged all the same.
    checked.finding("bogus-hint", "sda");
    assert_eq!(checked.layer("sda")["logical_sector_bytes"], 512);
    let (code, line) = nagios(&[("lsblk_-O_-P", LSBLK_OLD)]);
    assert_eq!(code, 3, "{line}");
    assert!(line.contains("UNKNOWN"), "{line}");
}

#[test]
fn a35_blockdev_report_adds_the_starts() {
    let texts = [("lsblk_-O_-P", LSBLK_OLD), ("blockdev_--report", BLOCKDEV)];
    let checked = together(&texts, &[]);
    assert_eq!((checked.verdict(), checked.code), ("misaligned", 1));
    let finding = checked.finding("start-misaligned", "sda1");
    assert_eq!(
        (&finding["unit_bytes"], &finding["offset_bytes"]),
        (&json!(4096), &json!(3584))
    );
    let (code, line) = nagios(&texts);
    assert_eq!(code, 1, "{line}");
    assert!(line.contains("WARNING"), "{line}");
    let good = BLOCKDEV.replace("         63 ", "       2048 ");
    let checked = together(&[("lsblk_-O_-P", LSBLK_OLD), ("blockdev", &good)], &[]);
    assert_eq!((checked.verdict(), checked.code), ("ok", 0));
}

const STORCLI: &str = r#"{"Controllers":[{"Command Status":{"Status":"Success"},"Response Data":{
 "/c0/v0":[{"DG/VD":"0/0","TYPE":"RAID5","State":"Optl","Size":"1.089 TB"}],
 "VD0 Properties":{"Strip Size":"64 KB","Span Depth":1,"Number of Drives Per Span":4,"OS Drive Name":"/dev/sda"}}}]}"#;
const MEGACLI: &str = "Adapter 0 -- Virtual Drive Information:\nVirtual Drive: 0 (Target Id: 0)\n\
    RAID Level          : Primary-5, Secondary-0, RAID Level Qualifier-3\nStrip Size          : 64 KB\n\
    Number Of Drives    : 4\nSpan Depth          : 1\n";
const SSACLI: &str = "Smart Array P440ar in Slot 0\n\n      Logical Drive: 1\n         Size: 1.6 TB\n         \
    Fault Tolerance: 5\n         Strip Size: 64 KB\n         Full Stripe Size: 192 KB\n         Disk Name: /dev/sda \n";

/// A listing of `disk` with one partition at `start`.
fn listing(disk: &str, start: u64) -> String {
    format!(
        "# sfdisk -d /dev/{disk}\nlabel: dos\ndevice: /dev/{disk}\nunit: sectors\nsector-size: 512\n\n\
         /dev/{disk}1 : start= {start}, size= 409600, type=83\n"
    )
}

#[test]
fn a_controllers_stripe_lies_in_the_disk_that_it_presents() {
    for report in [STORCLI, MEGACLI, SSACLI] {
        let checked = together(&[("raid", report), ("sda", &listing("sda", 2176))], &[]);
        // 1088 KiB: on 64 KiB, and 5 × 192 KiB + 128 KiB.
        assert_eq!(
            checked.offset("partition:sda1", 64 << 10),
            Some(0),
            "{report}"
        );
        assert_eq!(checked.offset("partition:sda1", 192 << 10), Some(128 << 10));
        let finding = checked.finding("start-suboptimal", "sda1");
        assert_eq!(finding["unit_bytes"], 192 << 10);
        assert_eq!(checked.layer("sda")["kind"], "disk");
        assert_eq!(checked.layer("sda")["facts"]["level"], "raid5");
        let bad = together(&[("raid", report), ("sda", &listing("sda", 63))], &[]);
        assert_eq!(bad.offset("partition:sda1", 64 << 10), Some(32256));
    }
}

#[test]
fn a_drive_that_may_be_any_of_two_disks_is_noted() {
    let both = listing("sda", 2048) + "\n" + &listing("sdb", 2048);
    let checked = together(&[("raid", MEGACLI), ("disks", &both)], &[]);
    let note = checked.of_rule("raid-drive-not-tied")[0];
    assert!(
        why(note).contains("vd0") && why(note).contains("full stripe 192 KiB"),
        "{note:#}"
    );
    assert_eq!(checked.offset("partition:sda1", 192 << 10), None);
    // Alone, the drive is there, and nothing lies on it.
    let alone = from_stdin(MEGACLI.as_bytes(), &[]);
    assert_eq!((alone.verdict(), alone.code), ("unknown", 3));
}

#[test]
fn outputs_that_do_not_name_their_device() {
    let id_ns = "NVME Identify Namespace 1:\nnsze    : 0x1bf1f72b0\nnsfeat  : 0x20\nnlbaf   : 0\nflbas   : 0\n\
        npwg    : 15\nnpwa    : 15\nnows    : 31\nlbaf  0 : ms:0   lbads:12 rp:0 (in use)\n";
    let checked = from_stdin(id_ns.as_bytes(), &[]);
    let layers = checked.target()["layers"].as_array().unwrap();
    let names: Vec<_> = layers
        .iter()
        .map(|layer| layer["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["unnamed (nvme id-ns)"]);
    checked.finding("device-not-named", "unnamed (nvme id-ns)");
    assert_eq!((checked.verdict(), checked.code), ("unknown", 3));
    // OPTPERF 10b, which NVMe 2.1 has: NPWG counts.
    let grids = checked.target()["grids"].as_array().unwrap();
    let unit = grids
        .iter()
        .find(|grid| grid["kind"] == "indirection-unit")
        .unwrap();
    assert_eq!(unit["size_bytes"], 65536);
}

/// A partition at sector 63 of a disk with 4 KiB blocks.
fn sector_63() -> CheckRun {
    let text = "# fdisk -l /dev/sda\nDisk /dev/sda: 10 GiB, 10737418240 bytes, 20971520 sectors\n\
        Units: sectors of 1 * 512 = 512 bytes\nSector size (logical/physical): 512 bytes / 4096 bytes\n\
        I/O size (minimum/optimal): 4096 bytes / 4096 bytes\nDisklabel type: dos\n\n\
        Device     Boot Start      End  Sectors Size Id Type\n\
        /dev/sda1          63 20971519 20971457  10G 83 Linux\n";
    from_stdin(text.as_bytes(), &[])
}

/// Published gains of being aligned: RocksDB 117,615 → 143,962 queries a second with small blocks,
/// InnoDB's redo log in 4096-byte blocks, md writes of whole stripes.
const PUBLISHED: [f64; 3] = [143_962.0 / 117_615.0, 1.29, 1.128];

#[test]
fn a40_published_gains_lie_within_the_costs() {
    let checked = sector_63();
    let finding = checked.finding("start-misaligned", "sda1");
    let (_, at_4k) = cost(finding, 4096);
    let (straddle_1m, at_1m) = cost(finding, 1 << 20);
    // From nothing to twice, by the size of the I/O: never one figure for everything.
    assert!((at_4k - 2.0).abs() < 1e-9 && at_1m < 1.005 && straddle_1m.abs() < 1e-9);
    for gain in PUBLISHED {
        assert!(
            at_1m <= gain && gain <= at_4k,
            "{gain} is not in {at_1m}..{at_4k}"
        );
    }
    // A mix of half 4 KiB and half 64 KiB requests is the order of what was measured.
    let (_, at_64k) = cost(finding, 64 << 10);
    let mix = f64::midpoint(at_4k, at_64k);
    assert!((1.1..=1.6).contains(&mix), "{mix}");
}
