//! The program on a live kernel with md, device-mapper, dm-crypt and NVMe, in a microVM.

use std::path::Path;

use ioalign_testkit::run::{text, tool};
use ioalign_testkit::{CheckRun, check};
use serde_json::Value;

use super::{PROGRAM, capture, guest};

fn answer(folder: &Path, name: &str) -> CheckRun {
    let text = std::fs::read_to_string(folder.join("answers").join(name)).unwrap();
    CheckRun {
        json: serde_json::from_str(&text).unwrap(),
        code: 0,
    }
}

/// What both readers must agree on: each layer's place and each grid.
fn shape(checked: &CheckRun) -> Vec<String> {
    let word = |value: &Value| value.to_string();
    let layers = checked.target()["layers"].as_array().unwrap();
    let mut lines: Vec<_> = layers
        .iter()
        .map(|layer| {
            let below: Vec<_> = layer["below"]
                .as_array()
                .unwrap()
                .iter()
                .map(word)
                .collect();
            format!(
                "{} {} {below:?}",
                layer["id"], layer["logical_sector_bytes"]
            )
        })
        .collect();
    let grids = checked.target()["grids"].as_array().unwrap();
    lines.extend(
        grids
            .iter()
            .map(|grid| format!("{} {}", grid["id"], grid["phase_bytes"])),
    );
    lines.sort();
    lines
}

#[test]
fn a_live_kernel_is_read_by_ioctl_and_sysfs() {
    needs!(Packages, Guest);
    let folder = tempfile::tempdir().unwrap();
    guest::run("lab/live/host.sh", folder.path());
    let folder = folder.path().join("live");
    let live = answer(&folder, "host.json");

    // Tables by ioctl: the second volume is 64 KiB off the stripe of three.
    let off = live.of_rule("start-suboptimal");
    let second = off
        .iter()
        .find(|finding| finding["unit_bytes"] == 192 << 10);
    assert!(
        second.is_some_and(|f| f["guilty_layer"].as_str().unwrap().contains("second")),
        "{off:#?}"
    );
    assert_eq!(
        live.offset("crypt:secret", 4096),
        Some(0),
        "cryptsetup made up for sector 63"
    );

    // Identify by ioctl: the LBA formats stand nowhere else.
    let nvme = answer(&folder, "nvme.json");
    let drive = nvme.layer("disk:nvme0n1");
    assert!(
        drive["facts"]["lba-formats"]
            .as_str()
            .unwrap()
            .contains("in use"),
        "{drive:#}"
    );
    let grids = nvme.target()["grids"].as_array().unwrap();
    let unit = grids
        .iter()
        .find(|grid| grid["kind"] == "indirection-unit")
        .unwrap();
    assert_eq!(unit["size_bytes"], 262_144);

    // One device: it, and what lies below and above, nothing else.
    let one = answer(&folder, "second.json");
    let names: Vec<_> = one.target()["layers"]
        .as_array()
        .unwrap()
        .iter()
        .map(|l| &l["name"])
        .collect();
    assert!(
        names.iter().any(|name| *name == "md0") && !names.iter().any(|name| *name == "nvme0n1")
    );

    // FIEMAP through XFS, LVM and md.
    let file = answer(&folder, "file.json");
    assert_eq!(file.layer("file:file")["below"][0]["map"], "linear");

    // Without root the stack is the same, and what could not be read is listed.
    let nobody = answer(&folder, "nobody.json");
    assert!(!nobody.of_rule("not-readable").is_empty());
    assert_eq!(nobody.layer("md:md0")["kind"], "md");

    // The captured tree of the same machine gives the same stack.
    let captured = check(PROGRAM, ["--sysroot".as_ref(), folder.as_os_str()]);
    let without_nvme = |lines: Vec<String>| -> Vec<String> {
        // Identify was not captured: those grids come from the live device only.
        lines
            .into_iter()
            .filter(|line| !line.contains("nvme0n1"))
            .collect()
    };
    assert_eq!(without_nvme(shape(&captured)), without_nvme(shape(&live)));

    // Bundles made in the guest give the guest's answers: by ioctl, of one device, without root.
    for name in ["host", "second", "nobody"] {
        same_as_bundle(&folder, name);
    }
}

fn same_as_bundle(folder: &Path, name: &str) {
    let live = capture::answer(&answer(folder, &format!("{name}.json")), Path::new("\0"));
    let bundle = folder.join(format!("answers/{name}.tar.gz"));
    let tarball = check(PROGRAM, [&bundle]);
    capture::assert_same(&live, &capture::answer(&tarball, &bundle), name);
    let into = tempfile::tempdir_in(folder).unwrap();
    tool("tar", &["-xzf", text(&bundle), "-C", text(into.path())]);
    let top = into.path().join("ioalign-host");
    let unpacked = capture::check_tree(&top, &[]);
    capture::assert_same(&live, &capture::answer(&unpacked, &top), name);
}
