//! LVM2 volumes of the real pvcreate and vgcreate. They want a block device, so these tests need
//! root and a free loop device, which they give back.

use std::process::Command;

use super::lvm::{group, header_field, headers, lvm, rules};
use super::{probe, scratch};
use crate::tools::run;

/// A loop device over a file, gone when dropped. Needs root.
struct Loop(String);

impl Loop {
    fn new(path: &std::path::Path) -> Self {
        let told = run(Command::new("losetup").args(["--find", "--show"]).arg(path));
        Self(told.trim().to_owned())
    }
}

impl Drop for Loop {
    fn drop(&mut self) {
        let _ = Command::new("losetup").args(["--detach", &self.0]).status();
    }
}

/// A device that pvcreate and vgcreate made with `options`.
fn created(options: &[&str], size: usize) -> (tempfile::TempDir, std::path::PathBuf) {
    let (folder, path) = scratch(&vec![0; size]);
    let device = Loop::new(&path);
    let quiet = [
        "--devicesfile",
        "",
        "--config",
        "devices{scan=[\"/dev\"] dir=\"/dev\"} backup{backup=0 archive=0}",
    ];
    run(Command::new("pvcreate")
        .args(quiet)
        .args(["-ff", "-y"])
        .args(options)
        .arg(&device.0));
    let name = format!("ioalign_test_{}", std::process::id());
    run(Command::new("vgcreate")
        .args(quiet)
        .args(["-y", &name])
        .arg(&device.0));
    drop(device);
    (folder, path)
}

#[test]
fn volumes_of_pvcreate_start_where_pvck_says() {
    for (options, start) in [
        (vec![], 1 << 20),
        (
            vec!["--dataalignment", "192k", "--metadatasize", "100k"],
            192 << 10,
        ),
        (vec!["--dataalignment", "192k"], 1152 << 10),
        (vec!["--dataalignmentoffset", "3584b"], (1 << 20) + 3584),
        (vec!["--metadatacopies", "2"], 1 << 20),
    ] {
        let (_folder, path) = created(&options, 16 << 20);
        let bytes = std::fs::read(&path).unwrap();
        let told = headers(&path);
        let member = probe(&bytes).unwrap();
        assert_eq!(rules(&member), Vec::<&str>::new(), "{told}");
        assert_eq!(member.data_start.get(), start, "{told}");
        assert_eq!(
            start.to_string(),
            header_field(&told, "pv_header.disk_locn[0].offset")
        );
        assert_eq!(
            lvm(&member).pv.replace('-', ""),
            header_field(&told, "pv_header.pv_uuid")
        );
        let copies = told.matches("# metadata area").count();
        assert_eq!(member.facts["metadata-areas"], copies.to_string(), "{told}");
        let group = group(&member);
        assert_eq!(
            (group.seqno, group.extent.get(), group.lvs.len()),
            (1, 4 << 20, 0)
        );
    }
}
