//! Pasted `dmsetup table` and `lsblk`: volumes lie where the host itself says they lie.
//!
//! The texts are those that a real machine printed (`cargo xtask fixtures`); the same machine read as
//! a captured host is the measure.

use std::collections::BTreeSet;

use ioalign_testkit::{CheckRun, check};
use serde_json::Value;

use super::PROGRAM;
use super::texts::{from_stdin, together};
use ioalign_testkit::run::fixture;

/// What is compared: how layers lie on others. What is written on a device, texts do not tell.
const KINDS: [&str; 6] = ["disk", "md", "partition", "crypt", "lvm-lv", "thin-pool"];

fn texts_of(machine: &str, files: &[&str]) -> CheckRun {
    let folder = fixture(machine).join("oracle");
    check(PROGRAM, files.iter().map(|file| folder.join(file)))
}

fn host(machine: &str) -> CheckRun {
    let folder = fixture(machine);
    check(PROGRAM, ["--sysroot".as_ref(), folder.as_os_str()])
}

/// Kind, name, and where it lies on what.
fn layers(checked: &CheckRun) -> BTreeSet<String> {
    let layers = checked.target()["layers"].as_array().unwrap();
    let placed = layers
        .iter()
        .filter(|layer| KINDS.contains(&layer["kind"].as_str().unwrap()));
    placed
        .map(|layer| format!("{} {} {}", layer["kind"], layer["name"], edges(layer)))
        .collect()
}

fn edges(layer: &Value) -> String {
    let edges = layer["below"].as_array().unwrap().iter();
    let shown = edges.map(|edge| format!("{} {} {}", edge["id"], edge["map"], edge["start_bytes"]));
    shown
        .collect::<BTreeSet<_>>()
        .into_iter()
        .collect::<Vec<_>>()
        .join(", ")
}

/// Rule, severity and arithmetic of what concerns those layers.
fn findings(checked: &CheckRun) -> BTreeSet<String> {
    let about = |finding: &&Value| {
        let layer = finding["layer"].as_str().unwrap_or_default();
        let kind = layer.split(':').next().unwrap_or_default();
        KINDS.contains(&kind) && finding["rule"] != "not-readable"
    };
    let shown = |finding: &Value| {
        let field = |name: &str| finding[name].to_string();
        [
            "rule",
            "severity",
            "layer",
            "guilty_layer",
            "unit_bytes",
            "offset_bytes",
        ]
        .map(field)
        .join(" ")
    };
    checked.findings().iter().filter(about).map(shown).collect()
}

#[test]
fn volumes_lie_where_the_host_has_them() {
    needs!(Fixtures);
    let members = [
        "mdadm-D-md0.txt",
        "mdadm-E-vda.txt",
        "mdadm-E-vdb.txt",
        "mdadm-E-vdc.txt",
        "mdadm-E-vdd.txt",
    ];
    for (machine, more) in [
        ("luks2", &[][..]),
        ("lvm-segments", &[]),
        ("lvm-on-63", &members),
        ("lvm-on-raid5", &members),
    ] {
        let mut files = vec!["lsblk-json.txt", "dmsetup-table.txt"];
        files.extend(more);
        let (pasted, host) = (texts_of(machine, &files), host(machine));
        assert_eq!(layers(&pasted), layers(&host), "{machine}");
        assert_eq!(findings(&pasted), findings(&host), "{machine}");
    }
}

#[test]
fn an_array_without_its_members_has_the_stripe_that_the_kernel_tells() {
    needs!(Fixtures);
    let checked = texts_of("lvm-on-raid5", &["lsblk-json.txt", "dmsetup-table.txt"]);
    let finding = checked.finding("start-suboptimal", "vg/second");
    assert_eq!(
        (&finding["unit_bytes"], &finding["offset_bytes"]),
        (&196_608.into(), &65536.into())
    );
}

#[test]
fn metadata_of_the_group_serve_as_well() {
    needs!(Fixtures);
    let files = ["lsblk-json.txt", "vgcfg-vg", "dmsetup-table.txt"];
    let checked = texts_of("lvm-on-raid5", &files);
    let finding = checked.finding("start-suboptimal", "vg/second");
    assert_eq!(finding["offset_bytes"], 65536);
    let volumes = checked.target()["layers"].as_array().unwrap().iter();
    let volumes = volumes.filter(|layer| layer["kind"] == "lvm-lv");
    assert_eq!(volumes.count(), 2, "each once: {:#}", checked.target());
    assert!(
        checked
            .rules()
            .iter()
            .all(|rule| rule != "damaged-metadata")
    );
}

const TABLE: &str = "# dmsetup table\nvg-lv: 0 8192 linear 8:3 2048\nsecret: 0 4096 crypt aes-xts-plain64 \
    :64:logon:x 0 8:2 4096 1 sector_size:4096\n";
const FDISK: &str = "# fdisk -l /dev/sda\n\
    Disk /dev/sda: 10 GiB, 10737418240 bytes, 20971520 sectors\n\
    Units: sectors of 1 * 512 = 512 bytes\n\
    Sector size (logical/physical): 512 bytes / 4096 bytes\n\
    I/O size (minimum/optimal): 4096 bytes / 4096 bytes\n\
    Disklabel type: dos\n\n\
    Device     Boot  Start      End  Sectors  Size Id Type\n\
    /dev/sda1         2048   206847   204800  100M 83 Linux\n\
    /dev/sda2       206849   616448   409600  200M 83 Linux\n\
    /dev/sda3       616449 20971519 20355071  9.7G 8e Linux LVM\n";

#[test]
fn numbers_that_never_change_need_no_listing() {
    let checked = from_stdin(format!("{TABLE}\n{FDISK}").as_bytes(), &[]);
    // 8:3 is sda3, for ever: 616449 + 2048 sectors are 512 B past a 4 KiB boundary.
    let finding = checked.finding("start-misaligned", "vg-lv");
    assert_eq!(finding["guilty_layer"], "partition:sda3");
    assert_eq!(finding["offset_bytes"], 512);
    let secret = checked.finding("start-misaligned", "secret");
    assert_eq!(secret["offset_bytes"], 512);
    let text = checked.target().to_string();
    assert!(!text.contains(":64:logon:x"), "keys are not kept");
}

#[test]
fn a_table_alone_is_unknown() {
    for table in [TABLE, "vg-lv: 0 8192 linear 254:3 2048\n"] {
        let checked = from_stdin(table.as_bytes(), &[]);
        assert_eq!((checked.verdict(), checked.code), ("unknown", 3), "{table}");
    }
    let dynamic = from_stdin(b"vg-lv: 0 8192 linear 254:3 2048\n", &[]);
    dynamic.finding("dm-device-missing", "vg-lv");
}

#[test]
fn partitions_tell_the_numbers() {
    let listed = "# cat /proc/partitions\nmajor minor  #blocks  name\n\n 259        0   10485760 nvme0n1\n 259        3   10000000 nvme0n1p3\n 253        0       4096 dm-0\n\n\
        # dmsetup ls\nvg-lv\t(253:0)\n\n# dmsetup table\nvg-lv: 0 8192 linear 259:3 2048\n\n";
    let blockdev = "# blockdev --report\nRO    RA   SSZ   BSZ        StartSec            Size   Device\n\
        rw   256   512  4096               0     10737418240   /dev/nvme0n1\n\
        rw   256   512  4096             513     10240000000   /dev/nvme0n1p3\n";
    let checked = together(&[("numbers", listed), ("blockdev", blockdev)], &[]);
    let volume = checked.finding("start-misaligned", "vg-lv");
    assert_eq!(volume["guilty_layer"], "partition:nvme0n1p3");
    assert_eq!(volume["offset_bytes"], 512);
    let layers = checked.target()["layers"].as_array().unwrap();
    assert!(
        layers.iter().all(|layer| layer["name"] != "dm-0"),
        "{layers:#?}"
    );
}
