//! Containers: `qemu-img info` on the same files.

use std::path::Path;

use ioalign_testkit::mbr;
use ioalign_testkit::run::{text, tool};
use serde_json::Value;

use super::of_kind;
use crate::check_image;

/// A size as it is displayed, in bytes: `64 KiB`, `1 MiB`, `512 B`.
fn bytes(shown: &str) -> u64 {
    let (number, unit) = shown.split_once(' ').unwrap();
    let shift = match unit {
        "B" => 0,
        "KiB" => 10,
        "MiB" => 20,
        "GiB" => 30,
        _ => panic!("{shown}"),
    };
    number.parse::<u64>().unwrap() << shift
}

fn info(image: &Path, format: &[&str]) -> Value {
    let arguments = [&["info", "--output=json"], format, &[text(image)]].concat();
    serde_json::from_str(&tool("qemu-img", &arguments)).unwrap()
}

/// A fixed VHD has its only header at the end; QEMU looks at the start, and says `raw` with the
/// footer as the last sector of the disk.
#[test]
fn qemu_does_not_recognise_a_fixed_vhd() {
    needs!(Packages);
    let raw = mbr::disk("a.raw", 64, &[(0x83, 2048, 100_000)]);
    let image = raw.folder().join("fixed.vhd");
    let options = ["-o", "subformat=fixed,force_size=on"];
    let convert = ["convert", "-O", "vpc", text(raw.path()), text(&image)];
    tool("qemu-img", &[&convert[..], &options].concat());
    let theirs = info(&image, &[]);
    assert_eq!(
        (&theirs["format"], &theirs["virtual-size"]),
        (&"raw".into(), &((64 << 20) + 512).into())
    );
    let checked = check_image(&image, &[]);
    let disk = of_kind(&checked, "disk")[0];
    assert_eq!(
        (&disk["facts"]["format"], &disk["size_bytes"]),
        (&"vhd".into(), &(64 << 20).into())
    );
}

#[test]
fn every_container_is_what_qemu_img_says() {
    needs!(Packages);
    let raw = mbr::disk("a.raw", 64, &[(0x83, 2048, 100_000)]);
    raw.write(2 << 20, &[1; 65536]);
    for (format, options) in [
        ("qcow2", ""),
        ("qcow2", "compat=0.10"),
        ("qcow2", "cluster_size=512"),
        ("qcow2", "cluster_size=2M"),
        ("qcow2", "extended_l2=on,cluster_size=32k"),
        ("qcow2", "preallocation=metadata"),
        ("vdi", ""),
        ("vdi", "static=on"),
        ("vpc", ""),
        ("vpc", "force_size=on"),
        ("vpc", "subformat=fixed,force_size=on"),
        ("vhdx", ""),
        ("vhdx", "block_size=1M"),
        ("vhdx", "subformat=fixed"),
        ("vmdk", ""),
        ("vmdk", "subformat=streamOptimized"),
        ("vmdk", "subformat=monolithicFlat"),
        ("vmdk", "subformat=twoGbMaxExtentSparse"),
        ("vmdk", "subformat=twoGbMaxExtentFlat"),
        ("raw", ""),
    ] {
        let image = raw.folder().join(format!("image.{format}"));
        let convert = [
            "convert",
            "-f",
            "raw",
            "-O",
            format,
            text(raw.path()),
            text(&image),
        ];
        let more: &[&str] = if options.is_empty() {
            &[]
        } else {
            &["-o", options]
        };
        tool("qemu-img", &[&convert[..], more].concat());
        // Named, because of fixed VHDs.
        let theirs = info(&image, &["-f", format]);
        let checked = check_image(&image, &[]);
        let what = format!("{format} {options}: {theirs:#}");
        let disk = of_kind(&checked, "disk")[0];
        assert_eq!(disk["size_bytes"], theirs["virtual-size"], "{what}");
        let name = if format == "vpc" { "vhd" } else { format };
        assert_eq!(disk["facts"]["format"], name, "{what}");
        let cluster = disk["facts"]["cluster"].as_str().map(bytes);
        if let Some(size) = theirs["cluster-size"].as_u64() {
            assert_eq!(cluster, Some(size), "{what}");
        }
        assert_eq!(checked.layer("p1")["below"][0]["start_bytes"], 1 << 20);
    }
}

/// The backing chain and its snapshots, as QEMU counts them.
#[test]
fn backing_files_and_snapshots() {
    needs!(Packages);
    let raw = mbr::disk("base.raw", 64, &[(0x83, 63, 100_000)]);
    let top = raw.folder().join("top.qcow2");
    let create = [
        "create",
        "-q",
        "-f",
        "qcow2",
        "-b",
        "base.raw",
        "-F",
        "raw",
        text(&top),
    ];
    tool("qemu-img", &create);
    tool("qemu-img", &["snapshot", "-c", "one", text(&top)]);
    tool("qemu-img", &["snapshot", "-c", "two", text(&top)]);
    let theirs = info(&top, &[]);
    let checked = check_image(&top, &[]);
    let disk = of_kind(&checked, "disk")[0];
    assert_eq!(disk["size_bytes"], theirs["virtual-size"]);
    assert_eq!(
        disk["facts"]["backing-format"],
        theirs["backing-filename-format"]
    );
    let snapshots = theirs["snapshots"].as_array().unwrap().len();
    assert_eq!(disk["facts"]["snapshots"], snapshots.to_string());
    assert_eq!(
        checked.verdict(),
        "misaligned",
        "the table is read through the chain"
    );
}
