//! Trees that were damaged or made to harm: nothing panics, hangs, or leaves the tree.

use ioalign_inspect::host;
use ioalign_testkit::Random;

use super::sysroot::{Read as _, Sysroot, SysrootDisk};

/// Values that have broken parsers before.
const WORDS: [&str; 16] = [
    "",
    "0",
    "1",
    "-1",
    "511",
    "4096",
    "18446744073709551615",
    "9223372036854775808",
    "none",
    "99999999999999999999999",
    "raid5",
    "raid10",
    "4 (3)",
    "\u{fffd}",
    "host-managed",
    "8:0",
];

#[test]
fn circles_are_reported() {
    let tree = Sysroot::new().disk(SysrootDisk::new("sda", 4096));
    let tree = tree
        .stacked("dm-0", 4096, 512, &["sda"])
        .stacked("dm-1", 4096, 512, &["dm-0"])
        .link(
            "sys/devices/virtual/block/dm-0/slaves/dm-1",
            "/sys/devices/virtual/block/dm-1",
        );
    let host = tree.read();
    assert_eq!(host.devices.len(), 1);
    let circles = host.unread.iter().filter(|u| u.why.contains("lead back"));
    assert_eq!(circles.count(), 2);
}

#[test]
fn links_do_not_leave_the_tree() {
    let outside = tempfile::tempdir().unwrap();
    std::fs::write(outside.path().join("size"), "4096\n").unwrap();
    let tree = Sysroot::new().link("sys/block/evil", outside.path());
    assert!(tree.read().devices.is_empty());
}

#[test]
fn a_fifo_does_not_block() {
    let tree = Sysroot::new().disk(SysrootDisk::new("sda", 4096));
    let fifo = tree.path().join("proc/self");
    std::fs::create_dir_all(&fifo).unwrap();
    rustix::fs::mkfifoat(
        rustix::fs::CWD,
        fifo.join("mountinfo"),
        rustix::fs::Mode::RUSR,
    )
    .unwrap();
    assert_eq!(tree.read().devices.len(), 1);
}

#[test]
fn random_attributes_are_survived() {
    let mut random = Random(7);
    let attrs = [
        "size",
        "dev",
        "alignment_offset",
        "queue/logical_block_size",
        "queue/physical_block_size",
        "queue/minimum_io_size",
        "queue/optimal_io_size",
        "queue/chunk_sectors",
        "queue/zoned",
        "md/level",
        "md/chunk_size",
        "md/layout",
        "md/raid_disks",
        "md/dev-sda1/offset",
        "md/dev-sda1/slot",
        "device/preferred_erase_size",
    ];
    for _ in 0..20 {
        let mut tree = Sysroot::new()
            .disk(SysrootDisk::new("sda", 4096))
            .partition("sda", 1, 63, 100)
            .md(
                "md0",
                4096,
                ("raid5", 65536, 2),
                &[("sda1", "0", 0), ("sda", "1", 8)],
            );
        // Damage adds up until the tree is made again.
        for _ in 0..40 {
            let mut pick = |n: usize| random.below(n);
            let name = ["sda", "sda1", "md0"][pick(3)];
            tree = tree.set(name, attrs[pick(attrs.len())], WORDS[pick(WORDS.len())]);
            let _ = tree.read();
        }
    }
}

#[test]
fn random_tables_are_survived() {
    const TARGETS: [&str; 12] = [
        "linear",
        "striped",
        "crypt",
        "thin-pool",
        "thin",
        "raid",
        "mirror",
        "cache",
        "snapshot",
        "multipath",
        "vdo",
        "zero",
    ];
    const ARGS: [&str; 12] = [
        "8:0",
        "8:1",
        "8:2",
        "0",
        "1",
        "2",
        "128",
        "18446744073709551615",
        "raid5_ls",
        "raid10_copies",
        "-",
        "core",
    ];
    let mut random = Random(11);
    let tree = Sysroot::new()
        .disk(SysrootDisk::new("sda", 1 << 20))
        .partition("sda", 1, 63, 100)
        .dm("dm-0", "a", "LVM-a", 4096, &[])
        .dm("dm-1", "b", "LVM-b", 4096, &[]);
    for _ in 0..1500 {
        let mut text = String::new();
        for _ in 0..4 {
            let mut pick = |n: usize| random.below(n);
            let name = ["a", "b"][pick(2)];
            let start = [0, 8, 4096][pick(3)];
            text.push_str(&format!("{name}: {start} 4096 {}", TARGETS[pick(12)]));
            for _ in 0..pick(9) {
                text.push(' ');
                text.push_str(ARGS[pick(12)]);
            }
            text.push('\n');
        }
        std::fs::create_dir_all(tree.path().join("ioalign")).unwrap();
        std::fs::write(tree.path().join("ioalign/dm-table"), text).unwrap();
        let _ = host::read(&tree.root(), &[]);
    }
}
