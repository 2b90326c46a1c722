//! LVM backup files and the outputs of captured machines.

use ioalign_core::Bytes;
use ioalign_inspect::captures::volumes::lvm::join;
use ioalign_inspect::captures::{Text, TextEvidence, read};
use ioalign_inspect::volumes::{Detail, PhysicalVolume, SegmentKind, VolumeGroup, VolumeMember};

use super::{fixture, member, oracle, pasted, said, superblock};

pub(super) fn lvm(member: &VolumeMember) -> &PhysicalVolume {
    match &member.detail {
        Detail::Lvm(lvm) => lvm,
        other => panic!("{other:?}"),
    }
}

/// Several texts of one host.
pub(super) fn joined(texts: &[String]) -> TextEvidence {
    let mut evidence = TextEvidence::default();
    for text in texts {
        read(&Text::new(text.as_bytes()), None, &mut evidence).unwrap();
    }
    join(&mut evidence);
    evidence
}

/// A group in words, to compare.
pub(super) fn words(group: &VolumeGroup) -> String {
    format!("{:?}", group.lvs)
}

#[test]
fn a_backup_file_is_the_metadata_of_the_disk() {
    needs!(Root, Fixtures);
    for (machine, device) in [("lvm-segments", "vda"), ("lvm-on-63", "md0p1")] {
        let path = fixture(machine).join("dev").join(device);
        let bytes = superblock(&path);
        let text = oracle(machine, "vgcfg-vg");
        for text in [text.clone(), pasted("cat /etc/lvm/backup/vg", &text)] {
            let evidence = joined(&[text]);
            let group = &evidence.groups[0];
            let wanted = lvm(&bytes).group.as_ref().unwrap();
            assert_eq!(
                (&group.name, &group.id, group.extent),
                (&wanted.name, &wanted.id, wanted.extent)
            );
            assert_eq!(words(group), words(wanted));
            let found = member(&evidence, device);
            assert_eq!((&found.set, &found.name), (&bytes.set, &bytes.name));
            assert_eq!(
                (found.data_start, found.data_size),
                (bytes.data_start, bytes.data_size)
            );
            assert_eq!(lvm(found).pv, lvm(&bytes).pv);
        }
    }
}

#[test]
fn the_first_pv_carries_the_group() {
    needs!(Root, Fixtures);
    let evidence = joined(&[oracle("lvm-segments", "vgcfg-vg")]);
    let carriers: Vec<_> = evidence
        .devices
        .iter()
        .filter(|said| lvm(said.member.as_ref().unwrap()).group.is_some())
        .map(|said| said.name.as_str())
        .collect();
    assert_eq!(
        (evidence.devices.len(), carriers.as_slice()),
        (4, &["vda"][..])
    );
}

#[test]
fn of_several_archives_the_newest_counts() {
    needs!(Root, Fixtures);
    let old = oracle("lvm-on-63", "vgcfg-vg");
    let new = old
        .replace("seqno = 2", "seqno = 7")
        .replace("pe_start = 2113", "pe_start = 2048");
    let evidence = joined(&[new, old]);
    assert_eq!(evidence.groups.len(), 1);
    assert_eq!(evidence.groups[0].seqno, 7);
    assert_eq!(member(&evidence, "md0p1").data_start, Bytes::MIB);
}

#[test]
fn pvs_and_a_backup_compose() {
    needs!(Root, Fixtures);
    let backup = oracle("lvm-on-63", "vgcfg-vg");
    let pvs = oracle("lvm-on-63", "pvs.txt");
    let evidence = joined(&[backup.clone(), pvs.clone()]);
    assert_eq!(evidence.groups.len(), 1);
    let found = member(&evidence, "md0p1");
    assert_eq!(found.data_start, Bytes::new(2113 * 512));
    assert!(found.remarks.is_empty());
    // What pvs sees today counts more than a backup.
    let evidence = joined(&[pvs, backup.replace("pe_start = 2113", "pe_start = 2048")]);
    let found = member(&evidence, "md0p1");
    assert_eq!(found.data_start, Bytes::new(2113 * 512));
    assert_eq!(found.remarks[0].rule, "lvm-pe-start-differs");
    assert_eq!(evidence.groups[0].pvs[0].pe_start, Bytes::new(2113 * 512));
}

#[test]
fn reports_alone_make_a_group() {
    needs!(Fixtures);
    let vgs = "  VG #PV #LV #SN Attr   VSize   VFree  Ext\n  vg   4   7   1 wz--n- 624.00m 432.00m 4.00m\n";
    let texts = [
        oracle("lvm-segments", "lvs.txt"),
        vgs.to_owned(),
        oracle("lvm-segments", "pvs.txt"),
    ];
    let evidence = joined(&texts);
    let bytes = superblock(&fixture("lvm-segments").join("dev/vda"));
    let wanted = lvm(&bytes).group.as_ref().unwrap();
    let group = &evidence.groups[0];
    assert_eq!(group.extent, wanted.extent);
    let lv = |group: &'_ VolumeGroup, name: &str| {
        let found = group.lvs.iter().find(|lv| lv.name == name);
        found.unwrap_or_else(|| panic!("no {name}")).clone()
    };
    let segment = |name| lv(group, name).segments[0].clone();
    let SegmentKind::Striped { stripe, targets } = segment("striped").kind else {
        panic!()
    };
    assert_eq!((stripe.get(), targets.len()), (65536, 3));
    assert_eq!(targets[2], ("vdc".to_owned(), 0));
    assert_eq!(segment("striped").extents, 12);
    let SegmentKind::ThinPool { data, chunk, .. } = segment("pool").kind else {
        panic!()
    };
    assert_eq!((data.as_str(), chunk.get()), ("pool_tdata", 65536));
    let SegmentKind::Thin { pool } = segment("thin").kind else {
        panic!()
    };
    assert_eq!((pool.as_str(), segment("thin").extents), ("pool", 32));
    let SegmentKind::Raid { level, images, .. } = segment("mirrored").kind else {
        panic!()
    };
    assert_eq!((level.as_str(), images.len()), ("raid1", 2));
    assert!(!lv(group, "pool_tdata").visible && lv(group, "thin").visible);
    // Every volume whose data can be followed begins where the metadata say.
    for name in ["mirrored_rimage_0", "pool_tdata", "pool_tmeta"] {
        let first = |group: &VolumeGroup| match &lv(group, name).segments[0].kind {
            SegmentKind::Striped { targets, .. } => targets[0].1,
            other => panic!("{other:?}"),
        };
        assert_eq!(first(group), first(wanted), "{name}");
    }
    assert_eq!(member(&evidence, "vdd").data_start, Bytes::MIB);
    assert_eq!(member(&evidence, "vdd").set, group.id);
}

#[test]
fn sizes_and_extents_tell_how_long_an_extent_is() {
    needs!(Fixtures);
    let evidence = said(&oracle("lvm-segments", "lvs.txt"));
    assert_eq!(evidence.groups[0].extent.get(), 4 << 20);
}

#[test]
fn volumes_of_unknown_place_are_said_to_be_unknown() {
    needs!(Fixtures);
    let evidence = joined(&[oracle("lvm-on-63", "lvs.txt")]);
    assert!(evidence.groups[0].lvs.is_empty());
    assert_eq!(evidence.remarks[0].rule, "lvm-report-incomplete");
}

#[test]
fn damaged_backups_are_remarked() {
    needs!(Root, Fixtures);
    let text =
        oracle("lvm-on-63", "vgcfg-vg").replace("pe_count = 79", "pe_count = 99999999999999999999");
    let evidence = said(&text);
    assert!(evidence.groups.is_empty());
    assert_eq!(evidence.remarks[0].rule, "lvm-backup-damaged");
}

#[test]
fn a_whole_ticket_composes() {
    needs!(Root, Fixtures);
    let machine = "lvm-on-63";
    let mut text = String::from("Hi, this is our box, all of it:\n");
    for (command, file) in [
        ("mdadm -E /dev/vda", "mdadm-E-vda.txt"),
        ("mdadm -E /dev/vdb", "mdadm-E-vdb.txt"),
        ("mdadm -D /dev/md0", "mdadm-D-md0.txt"),
        ("pvs --units s -o +pe_start", "pvs.txt"),
        ("lvs -a --units b -o +seg_pe_ranges", "lvs.txt"),
        ("dmsetup table", "dmsetup-table.txt"),
        ("cat /etc/lvm/backup/vg", "vgcfg-vg"),
        ("lsblk -t", "lsblk-t.txt"),
    ] {
        text.push_str(&pasted(command, &oracle(machine, file)));
    }
    let evidence = joined(&[text]);
    for format in [
        "mdadm -E",
        "mdadm -D",
        "pvs",
        "lvs",
        "dmsetup table",
        "vgcfgbackup",
    ] {
        assert!(
            evidence.read.contains(&format),
            "{format} among {:?}",
            evidence.read
        );
    }
    for name in ["vda", "vdb"] {
        assert_eq!(member(&evidence, name).data_start, Bytes::MIB);
    }
    assert_eq!(
        member(&evidence, "md0p1").data_start,
        Bytes::new(2113 * 512)
    );
    assert_eq!(
        (evidence.groups.len(), evidence.groups[0].lvs.len()),
        (1, 1)
    );
    assert_eq!(evidence.dm_table, oracle(machine, "dmsetup-table.txt"));
    assert!(evidence.remarks.is_empty(), "{:?}", evidence.remarks);
}
