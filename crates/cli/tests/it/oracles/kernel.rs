//! The kernel's own answer: `lsblk` on the machine from which a fixture was captured.
//!
//! `ALIGNMENT` is the kernel's `alignment_offset`: how many bytes after its start a device reaches
//! the next boundary, for the granularity max(physical block, minimum I/O). Our offset counts from the
//! boundary before: the two are each other's complement. What it leaves out is the optimal I/O size
//! (`queue_limit_alignment_offset` in block/blk-settings.c), and so the stripe of every array.

use std::collections::BTreeMap;

use ioalign_testkit::{CheckRun, check};
use serde_json::Value;

use super::layers;
use crate::PROGRAM;
use ioalign_testkit::run::fixture;

/// All fixtures that a kernel made.
pub const FIXTURES: [&str; 16] = [
    "luks2",
    "lvm-on-63",
    "lvm-on-raid5",
    "lvm-segments",
    "md-ddf",
    "md-imsm",
    "md-raid1-0.90",
    "md-raid1-1.0",
    "md-raid10",
    "md-raid5-2048",
    "md-raid5-63",
    "md-raid5-64",
    "topology-4kn",
    "topology-bogus-optimal",
    "topology-one-aligned",
    "topology-virtio",
];

/// Every device of a fixture by its number; lsblk repeats what has several parents.
fn lsblk(name: &str) -> BTreeMap<String, Value> {
    let path = fixture(name).join("oracle/lsblk-json.txt");
    let text = std::fs::read_to_string(path).unwrap();
    let json: Value = serde_json::from_str(&text).unwrap();
    let mut all = BTreeMap::new();
    let mut pending = vec![json["blockdevices"].clone()];
    while let Some(list) = pending.pop() {
        for device in list.as_array().into_iter().flatten() {
            pending.push(device["children"].clone());
            all.insert(
                device["maj:min"].as_str().unwrap().to_owned(),
                device.clone(),
            );
        }
    }
    all
}

fn captured(name: &str) -> CheckRun {
    let folder = fixture(name);
    check(PROGRAM, ["--sysroot".as_ref(), folder.as_os_str()])
}

fn by_number<'a>(checked: &'a CheckRun, number: &str) -> Option<&'a Value> {
    layers(checked)
        .iter()
        .find(|layer| layer["facts"]["device-number"] == number)
}

/// The offsets of a layer on trusted grids of `size` bytes.
fn offsets(checked: &CheckRun, layer: &Value, size: u64) -> Vec<u64> {
    let grids = checked.target()["grids"].as_array().unwrap();
    let of_size = |id: &Value| {
        let grid = grids.iter().find(|grid| grid["id"] == *id).unwrap();
        grid["size_bytes"] == size && grid["trusted"] == true
    };
    let phases = layer["phases"].as_array().unwrap().iter();
    phases
        .filter(|phase| of_size(&phase["grid"]))
        .map(|phase| phase["offset_bytes"].as_u64().unwrap())
        .collect()
}

#[test]
fn sizes_starts_and_sectors_are_the_kernels() {
    needs!(Fixtures);
    let mut compared = 0;
    for name in FIXTURES {
        let (theirs, checked) = (lsblk(name), captured(name));
        for (number, device) in &theirs {
            let Some(layer) = by_number(&checked, number) else {
                // An mdadm container (DDF, IMSM) holds metadata and no data: no device of ours.
                assert_eq!(
                    (&device["size"], name.len()),
                    (&0.into(), "md-ddf".len().max(name.len()))
                );
                continue;
            };
            let what = format!("{name} {}", device["name"]);
            assert_eq!(layer["size_bytes"], device["size"], "{what}");
            assert_eq!(layer["logical_sector_bytes"], device["log-sec"], "{what}");
            if let Some(start) = device["start"].as_u64() {
                // sysfs counts 512-byte units on every disk, 4Kn ones included.
                assert_eq!(layer["below"][0]["start_bytes"], start * 512, "{what}");
            }
            if device["type"] == "disk" {
                for (fact, column) in [
                    ("logical-block", "log-sec"),
                    ("physical-block", "phy-sec"),
                    ("minimum-io", "min-io"),
                    ("optimal-io", "opt-io"),
                ] {
                    let shown = device[column].to_string();
                    assert_eq!(layer["facts"][fact], shown.as_str(), "{what} {column}");
                }
                let shown = layer["facts"]["alignment-offset"].as_str().unwrap_or("0");
                assert_eq!(shown, device["alignment"].to_string(), "{what}");
            }
            compared += 1;
        }
    }
    assert!(compared > 80, "{compared} devices");
}

/// Each device that is not a disk: the kernel's ALIGNMENT is the complement of our offset.
#[test]
fn alignment_is_the_complement_of_our_offset() {
    needs!(Fixtures);
    let (mut compared, mut not_zero) = (0, 0);
    for name in FIXTURES {
        let (theirs, checked) = (lsblk(name), captured(name));
        for (number, device) in theirs.iter().filter(|(_, d)| d["type"] != "disk") {
            let Some(layer) = by_number(&checked, number) else {
                continue;
            };
            let bytes = |column: &str| device[column].as_u64().unwrap();
            let (physical, minimum) = (bytes("phy-sec"), bytes("min-io"));
            let granularity = physical.max(minimum);
            let alignment = device["alignment"].as_u64().unwrap();
            for offset in offsets(&checked, layer, granularity) {
                let wanted = (granularity - offset % granularity) % granularity;
                assert_eq!(
                    alignment, wanted,
                    "{name} {} on {granularity}",
                    device["name"]
                );
                compared += 1;
                not_zero += u32::from(alignment != 0);
            }
        }
    }
    assert!(
        compared > 60 && not_zero >= 5,
        "{compared} offsets, {not_zero} not zero"
    );
}

/// Where the kernel says 0 and a full stripe or optimal size is missed all the same.
#[test]
fn the_kernel_does_not_see_stripes() {
    needs!(Fixtures);
    let mut found = Vec::new();
    for name in FIXTURES {
        let (theirs, checked) = (lsblk(name), captured(name));
        for (number, device) in theirs.iter().filter(|(_, d)| d["alignment"] == 0) {
            let optimal = device["opt-io"].as_u64().unwrap();
            let Some(layer) = by_number(&checked, number).filter(|_| optimal != 0) else {
                continue;
            };
            if offsets(&checked, layer, optimal)
                .iter()
                .any(|offset| *offset != 0)
            {
                found.push(format!("{name} {}", device["name"].as_str().unwrap()));
            }
        }
    }
    // vg-data: LVM adds the kernel's alignment_offset to 1 MiB and so reaches a chunk of 64 KiB, the
    // 17th, where a stripe has two of them.
    // vg-second: 64 KiB off a stripe of 192 KiB, because the extents of 4 MiB are no multiple of it.
    // sda1: its 512 KiB optimal size counts from 3584 as well, and sector 63 is 28672 past it.
    let expected = [
        "lvm-on-63 vg-data",
        "lvm-on-raid5 vg-second",
        "topology-one-aligned sda1",
    ];
    assert_eq!(found, expected);
    let fixed = captured("lvm-on-63");
    assert_eq!(fixed.offset("vg/data", 128 << 10), Some(64 << 10));
    let raid = captured("lvm-on-raid5");
    assert_eq!(raid.offset("vg/second", 192 << 10), Some(64 << 10));
    assert_eq!(
        raid.finding("start-suboptimal", "vg/second")["severity"],
        "suboptimal"
    );
}

/// A disk that hides its topology: the kernel believes 512, and sector 63 is 0 to it. We assume what
/// nearly every disk has, say so, and the verdict differs.
#[test]
fn the_kernel_believes_virtual_disks() {
    needs!(Fixtures);
    let checked = captured("md-raid5-63");
    for (number, device) in lsblk("md-raid5-63") {
        if device["start"] == 63 {
            assert_eq!(device["alignment"], 0);
            let layer = by_number(&checked, &number).unwrap();
            assert_eq!(offsets(&checked, layer, 4096), [3584]);
        }
    }
    let grids = checked.target()["grids"].as_array().unwrap();
    let assumed = grids
        .iter()
        .find(|grid| grid["size_bytes"] == 4096)
        .unwrap();
    assert_eq!(
        (&assumed["origin"], &assumed["confidence"]),
        (&"assumed".into(), &"medium".into())
    );
}
