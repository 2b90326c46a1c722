//! Grids of a document keep how far they were believed, and what stays off the grids is said.

use std::path::Path;

use ioalign_testkit::disk::Disk;
use ioalign_testkit::mbr;
use serde_json::Value;

use super::plan;
use crate::check_image;

fn from(path: &Path, more: &[&str]) -> Value {
    let arguments = [&["--from", path.to_str().unwrap(), "--json"], more].concat();
    serde_json::from_slice(&plan(&arguments).stdout).unwrap()
}

fn partitioned(start: u32) -> Disk {
    mbr::disk("a.img", 256, &[(0x83, start, 100_000)])
}

#[test]
fn a_declared_grid_comes_before_what_nothing_states() {
    let disk = partitioned(2048);
    let checked = check_image(disk.path(), &["--no-policy", "--grid", "4096@3584"]);
    let good = &checked.findings()[0]["suggest"]["start_bytes"];
    let path = disk.folder().join("check.json");
    std::fs::write(&path, checked.json.to_string()).unwrap();
    for more in [&[][..], &["--label", "dos"]] {
        let plan = from(&path, more);
        assert_eq!(&plan["layers"][0]["start_bytes"], good, "{plan:#}");
        let kept = plan["grids"].as_array().unwrap();
        let declared = kept.iter().find(|grid| grid["kind"] == "declared").unwrap();
        assert_eq!(
            (&declared["confidence"], &declared["source"]),
            (&"high".into(), &"--grid 4096@3584".into())
        );
        let lost: Vec<_> = plan["given_up"]
            .as_array()
            .unwrap()
            .iter()
            .map(|lost| &lost["grid"]["confidence"])
            .collect();
        assert_eq!(lost, ["low", "low"], "the assumed block, and the habit");
    }
    // What is typed here is as sure as what was typed there: the finer comes first, and the other is named.
    let typed = from(&path, &["--physical", "512"]);
    assert_eq!(&typed["layers"][0]["start_bytes"], good);
    assert_eq!(typed["given_up"].as_array().unwrap().len(), 1);
}

#[test]
fn a_document_of_an_image_names_no_disk() {
    let disk = partitioned(63);
    let checked = check_image(disk.path(), &["--no-policy"]);
    let path = disk.folder().join("check.json");
    std::fs::write(&path, checked.json.to_string()).unwrap();
    let output = plan(&["--from", path.to_str().unwrap(), "--fs", "ext4", "--quiet"]);
    let script = String::from_utf8(output.stdout).unwrap();
    assert!(
        script.contains("sfdisk --wipe always /dev/sdX <<"),
        "{script}"
    );
    assert!(
        script.contains("/dev/sdX1\n") && !script.contains("/dev/sdb"),
        "{script}"
    );
}

#[test]
fn a_partition_that_stays_off_the_grids_is_no_success() {
    let output = plan(&["--partition-at", "63s", "--fs", "ext4"]);
    let said = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(
        said.contains("not on all grids: data stays at byte 32256, 3584 bytes past"),
        "{said}"
    );
    let quiet = plan(&["--partition-at", "63s", "--fs", "ext4", "--quiet"]);
    assert!(
        String::from_utf8(quiet.stderr)
            .unwrap()
            .contains("not on all grids")
    );
    assert!(
        !String::from_utf8(quiet.stdout)
            .unwrap()
            .contains("not on all")
    );
    assert_eq!(
        plan(&["--partition-at", "2048s", "--fs", "ext4"])
            .status
            .code(),
        Some(0)
    );
    // LVM makes up for it.
    let lvm = plan(&[
        "--partition-at",
        "11s",
        "--grid",
        "256k",
        "--lvm",
        "--fs",
        "ext4",
    ]);
    let said = String::from_utf8(lvm.stdout).unwrap();
    assert_eq!(lvm.status.code(), Some(0), "{said}");
    assert!(said.contains("--dataalignmentoffset 501s"), "{said}");
    assert_eq!(plan(&["--partition-at", "1000"]).status.code(), Some(1));
}

#[test]
fn blocks_below_a_unit_are_said() {
    let output = plan(&["--unit", "16k", "--fs", "xfs"]);
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(
        said.contains("block-below-rmw-unit") && said.contains("-b size=16384"),
        "{said}"
    );
    let quiet = plan(&["--unit", "16k", "--fs", "xfs", "--quiet"]);
    let said = String::from_utf8(quiet.stderr).unwrap();
    assert!(said.contains("block-below-rmw-unit"), "{said}");
    // Every start is on every grid: it is a layout without a fault of its own.
    assert_eq!(quiet.status.code(), Some(0));
    let clusters = plan(&["--unit", "16k", "--fs", "ext4", "--quiet"]);
    assert!(clusters.stderr.is_empty(), "{clusters:?}");
    assert_eq!(clusters.status.code(), Some(0));
}
