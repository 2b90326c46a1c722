//! `pvs` in all its forms by the real tool, and the display commands.
//!
//! LVM wants block devices: these tests need root and a free loop device, which they give back.

use std::process::Command;

use ioalign_core::Bytes;
use ioalign_inspect::volumes::{Detail, SegmentKind};
use ioalign_testkit::Loop;

use super::lvm::{joined, lvm};
use super::{command, member, only, pasted, said, sparse, superblock};
use crate::tools::run;

/// LVM sees this device only, and writes nothing outside of it.
fn on(device: &Loop, tool: &str) -> Command {
    let mut command = command(tool);
    let config = format!(
        "devices{{dir=\"/dev\" scan=[\"/dev\"] global_filter=[\"a|^{}$|\",\"r|.*|\"]}} \
         backup{{backup=0 archive=0}}",
        device.text()
    );
    command.args(["--devicesfile", "", "--config", &config]);
    command
}

/// A group of one PV whose data do not start at a round place: 1 MiB and 3584 bytes.
fn created(options: &[&str]) -> (tempfile::TempDir, std::path::PathBuf, Loop, String) {
    let (folder, path) = sparse(32 << 20);
    let device = Loop::new(&path, &[]);
    run(on(&device, "pvcreate")
        .args(["-ff", "-y"])
        .args(options)
        .arg(device.path()));
    let group = format!("ioalign_reports_{}", device.name());
    run(on(&device, "vgcreate")
        .args(["-y", "-s", "1m", &group])
        .arg(device.path()));
    (folder, path, device, group)
}

#[test]
fn pvs_tells_where_extents_start_in_every_form() {
    needs!(Packages, Root);
    let (_folder, path, device, group) = created(&["--dataalignmentoffset", "3584b"]);
    let bytes = superblock(&path);
    assert_eq!(bytes.data_start.get(), (1 << 20) + 3584);
    for options in [
        &["--units", "s"][..],
        &["--units", "b"],
        &["--units", "s", "-o", "pv_name,pe_start"],
        &[
            "--units",
            "b",
            "-o",
            "pe_start,vg_name,pv_uuid,pv_name,pv_size",
        ],
        &["--units", "b", "--reportformat", "json"],
        &["--units", "s", "--nameprefixes", "--noheadings"],
        &[
            "-a",
            "--units",
            "s",
            "-o",
            "pv_name,vg_name,pv_fmt,pe_start,pv_uuid,dev_size",
        ],
        // Rounded to 2⁻⁷ KiB or so: only one sector lies in the interval.
        &["--units", "k"],
        &["--units", "K"],
    ] {
        let text = run(on(&device, "pvs")
            .args(options)
            .args(["-o", "+pe_start"])
            .arg(device.path()));
        let evidence = said(&text);
        let found = member(&evidence, device.name());
        assert_eq!(found.data_start, bytes.data_start, "{options:?}\n{text}");
        assert!(matches!(found.detail, Detail::Lvm(_)), "{text}");
    }
    // Without suffixes the unit stands on the command line or nowhere.
    let bare = run(on(&device, "pvs")
        .args(["--units", "b", "--nosuffix", "-o", "+pe_start"])
        .arg(device.path()));
    let found = said(&pasted("pvs --units b --nosuffix -o +pe_start", &bare));
    assert_eq!(member(&found, device.name()).data_start, bytes.data_start);
    let found = said(&bare);
    assert!(matches!(
        member(&found, device.name()).detail,
        Detail::Opaque(_)
    ));
    drop(group);
}

#[test]
fn rounded_starts_stay_unknown() {
    needs!(Packages, Root);
    let (_folder, _path, device, _group) = created(&["--dataalignmentoffset", "3584b"]);
    let text = run(on(&device, "pvs")
        .args(["-o", "+pe_start"])
        .arg(device.path()));
    assert!(text.contains("1.00m"), "{text}");
    let evidence = joined(&[text]);
    let found = only(&evidence, device.name(), |said| said.member.is_some());
    let Detail::Opaque(why) = &found.member.as_ref().unwrap().detail else {
        panic!("1.00m is 2038 to 2058 sectors")
    };
    assert!(why.contains("rounded"), "{why}");
    let start = found.data_start.unwrap();
    assert!(start.low < 1 << 20 && (1 << 20) + 3584 < start.high);
}

#[test]
fn displays_and_reports_of_a_new_group_agree_with_its_metadata() {
    needs!(Packages, Root);
    let (_folder, path, device, group) = created(&[]);
    let bytes = superblock(&path);
    let wanted = lvm(&bytes).group.as_ref().unwrap();
    let pvs = run(on(&device, "pvs")
        .args(["--units", "s", "-o", "+pe_start,pv_uuid"])
        .arg(device.path()));
    for (tool, options) in [
        ("vgs", &["-o", "+vg_extent_size,vg_uuid"][..]),
        (
            "vgs",
            &[
                "--reportformat",
                "json",
                "-o",
                "vg_name,vg_extent_size,vg_uuid",
            ],
        ),
        ("vgdisplay", &[]),
        ("vgdisplay", &["--units", "s"]),
    ] {
        let text = run(on(&device, tool).args(options).arg(&group));
        let evidence = joined(&[pvs.clone(), text.clone()]);
        let found = &evidence.groups[0];
        assert_eq!(
            (&found.id, found.extent),
            (&wanted.id, wanted.extent),
            "{text}"
        );
        let found = member(&evidence, device.name());
        assert_eq!(
            (&found.set, lvm(found).pv.as_str()),
            (&wanted.id, wanted.pvs[0].id.as_str())
        );
    }
    let text = run(on(&device, "pvdisplay").arg(device.path()));
    let evidence = said(&text);
    assert_eq!(evidence.groups[0].extent, wanted.extent);
    assert!(
        matches!(member(&evidence, device.name()).detail, Detail::Opaque(_)),
        "{text}"
    );
}

/// LVM of RHEL 5: capital letters for binary units, `Logical extent`, full paths.
const OLD: &str = "
  --- Volume group ---
  VG Name               VolGroup00
  PE Size               32.00 MB

  --- Logical volume ---
  LV Name                /dev/VolGroup00/LogVol00
  VG Name                VolGroup00
  LV Size                1.00 GB

  --- Segments ---
  Logical extent 0 to 31:
    Type\t\tstriped
    Stripes\t\t2
    Stripe size\t\t64 KB
    Stripe 0:
      Physical volume\t/dev/sda2
      Physical extents\t0 to 15
    Stripe 1:
      Physical volume\t/dev/sdb1
      Physical extents\t100 to 115

  --- Physical volume ---
  PV Name               /dev/sda2
  VG Name               VolGroup00
  PE Size (KByte)       32768
  Total PE              500
";

#[test]
fn displays_of_old_are_read() {
    let pvs = "  PV         VG         Fmt  Attr PSize   PFree 1st PE \n  \
               /dev/sda2  VolGroup00 lvm2 a-    15.62G    0  192.00K\n  \
               /dev/sdb1  VolGroup00 lvm2 a-    15.62G    0  192.00K\n";
    let evidence = joined(&[OLD.to_owned(), pvs.to_owned()]);
    let group = &evidence.groups[0];
    assert_eq!(group.extent, Bytes::new(32 << 20));
    assert_eq!(member(&evidence, "sda2").data_start, Bytes::new(192 << 10));
    let lv = group.lvs.iter().find(|lv| lv.name == "LogVol00").unwrap();
    let SegmentKind::Striped { stripe, targets } = &lv.segments[0].kind else {
        panic!()
    };
    assert_eq!(stripe.get(), 65536);
    assert_eq!(targets, &[("sda2".to_owned(), 0), ("sdb1".to_owned(), 100)]);
    assert_eq!(lv.segments[0].extents, 32);
}

#[test]
fn json_of_lvs_has_a_row_for_every_segment() {
    let text = r#"{"report": [{"seg": [
        {"lv_name":"data","vg_name":"vg","segtype":"linear","seg_pe_ranges":"/dev/sda2:0-9","stripes":"1","stripe_size":"0 "},
        {"lv_name":"data","vg_name":"vg","segtype":"striped","seg_pe_ranges":"/dev/sda2:10-14 /dev/sdb1:0-4","stripe_size":"64.00k"}
        ]}], "log": []}"#;
    let evidence = said(&pasted("lvs --segments --reportformat json", text));
    let lv = &evidence.groups[0].lvs[0];
    let shape: Vec<_> = lv
        .segments
        .iter()
        .map(|s| (s.start_extent, s.extents))
        .collect();
    assert_eq!(shape, [(0, 10), (10, 10)]);
    // The same report twice adds nothing.
    let twice = said(&format!("{text}\n{text}"));
    assert_eq!(twice.groups[0].lvs[0].segments.len(), 2);
}
