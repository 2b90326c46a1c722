//! Stacks from claims about devices, as texts make them.

use std::collections::BTreeMap;

use ioalign_core::judge::{JudgeOptions as Judge, judge};
use ioalign_core::{Bytes, Finding, LayerId, Severity, Stack};
use ioalign_inspect::assemble::{AssembleOptions, evidence};
use ioalign_inspect::captures::{Number, TextArray, TextEvidence};
use ioalign_inspect::filesystems::FileSystem;
use ioalign_inspect::host::hints::Claims;
use ioalign_inspect::volumes::{
    Detail, GroupLv, GroupPv, LvSegment, Md, PhysicalVolume, SegmentKind, VolumeGroup, VolumeMember,
};

fn stack(said: TextEvidence) -> (Stack, Vec<Finding>) {
    let stack = evidence(said, &AssembleOptions::default()).stack;
    let findings = judge(&stack, &Judge::default()).findings;
    (stack, findings)
}

fn find(stack: &Stack, name: &str) -> LayerId {
    stack
        .layers()
        .find(|(_, layer)| layer.name == name)
        .map(|(id, _)| id)
        .unwrap()
}

fn rules(findings: &[Finding]) -> Vec<(&'static str, Severity)> {
    findings
        .iter()
        .map(|finding| (finding.rule, finding.severity))
        .collect()
}

fn sector(count: u64) -> Option<Number> {
    Some(Number::exact(count * 512))
}

#[test]
fn two_texts_about_one_disk_are_one_stack() {
    let mut said = TextEvidence::default();
    said.device("/dev/sda").claims = Some(Claims {
        logical: Some(512),
        physical: Some(4096),
        ..Claims::default()
    });
    said.device("sda1").start = sector(63);
    said.device("/dev/sda1").start = Number::rounded("32.3", 1000);
    let (stack, findings) = stack(said);
    assert_eq!(stack.len(), 2);
    assert_eq!(
        rules(&findings),
        [("start-misaligned", Severity::Misaligned)]
    );
    assert_eq!(findings[0].offset, Some(Bytes::new(3584)));
}

#[test]
fn a_size_that_no_text_tells_is_not_known() {
    let mut said = TextEvidence::default();
    said.device("sda1").start = sector(2048);
    said.device("sda1").filesystem = Some(FileSystem {
        kind: "ext4",
        ..FileSystem::default()
    });
    let sector = Bytes::new(512);
    said.device("sdb").member = Some(member("luks2", "", 1 << 20, Detail::Crypt { sector }));
    let (stack, _) = stack(said);
    for (_, layer) in stack.layers() {
        assert_eq!(layer.size, None, "{layer:?}");
    }
    assert_eq!(stack.len(), 5);
}

#[test]
fn a_rounded_start_is_not_held_against_another_disk() {
    let mut said = TextEvidence::default();
    for (disk, physical) in [("sda", 512), ("sdb", 4096)] {
        let one = said.device(disk);
        one.claims = Some(Claims {
            logical: Some(512),
            physical: Some(physical),
            // Without a name it would not be believed that it has blocks of 512 bytes.
            model: "ST3500418AS".to_owned(),
            ..Claims::default()
        });
        said.device(&format!("{disk}1")).start = Number::rounded("1049", 1000);
    }
    let (stack, findings) = stack(said);
    let open = findings.iter().filter(|f| f.rule == "start-not-exact");
    let open: Vec<_> = open.map(|finding| finding.layer).collect();
    assert_eq!(open, [Some(find(&stack, "sdb1"))]);
}

#[test]
fn a_rounded_start_is_unknown_and_a_contradiction_is_said() {
    let mut said = TextEvidence::default();
    said.device("sda1").start = Number::rounded("1049", 1000);
    let (_, findings) = stack(said);
    assert_eq!(rules(&findings), [("start-not-exact", Severity::Unknown)]);
    let mut said = TextEvidence::default();
    said.device("sda1").start = sector(63);
    said.device("sda1").start = sector(2048);
    let (_, findings) = stack(said);
    assert!(
        findings
            .iter()
            .any(|finding| finding.rule == "captures-disagree")
    );
}

#[test]
fn a_partition_without_a_start_is_not_ok() {
    let mut said = TextEvidence::default();
    said.device("sda1").kind = Some(ioalign_core::layer::Kind::Partition);
    let (_, findings) = stack(said);
    assert!(
        findings
            .iter()
            .any(|finding| finding.severity == Severity::Unknown),
        "{findings:#?}"
    );
}

fn member(kind: &'static str, set: &str, data_start: u64, detail: Detail) -> VolumeMember {
    VolumeMember {
        kind,
        set: set.to_owned(),
        name: String::new(),
        pv_uuid: None,
        data_start: Bytes::new(data_start),
        data_size: None,
        detail,
        facts: BTreeMap::new(),
        remarks: Vec::new(),
    }
}

#[test]
fn an_array_a_group_on_it_and_a_file_system_on_that() {
    let mut said = TextEvidence::default();
    for (slot, name) in (0_u32..).zip(["sdb", "sdc", "sdd", "sde"]) {
        let md = Md {
            version: "1.2",
            level: 5,
            layout: 2,
            chunk: Bytes::new(65536),
            raid_disks: 4,
            slot: Some(slot),
            array_size: None,
            new_data_start: None,
            events: 1,
        };
        said.device(name).member = Some(member("md", "uuid", 1 << 20, Detail::Md(md)));
    }
    let members = ["sdb", "sdc", "sdd", "sde"];
    let members = members
        .iter()
        .map(|name| ((*name).to_owned(), None))
        .collect();
    let chunk = Some(Bytes::new(65536));
    let array = TextArray {
        level: 5,
        layout: None,
        chunk,
        raid_disks: 4,
        members,
        metadata: None,
        ..TextArray::default()
    };
    said.device("md0").array = Some(array);
    let pv = PhysicalVolume {
        pv: "pv-id".to_owned(),
        group: None,
    };
    said.device("md0").member = Some(member("lvm2", "", 1152 << 10, Detail::Lvm(pv)));
    let lv = |name: &str, extent| GroupLv {
        name: name.to_owned(),
        visible: true,
        segments: vec![LvSegment {
            start_extent: 0,
            extents: 16,
            kind: SegmentKind::Striped {
                stripe: Bytes::ZERO,
                targets: vec![("pv0".to_owned(), extent)],
            },
        }],
    };
    said.groups.push(VolumeGroup {
        name: "vg".to_owned(),
        id: "vg-id".to_owned(),
        seqno: 1,
        extent: Bytes::new(4 << 20),
        pvs: vec![GroupPv {
            name: "pv0".to_owned(),
            id: "pv-id".to_owned(),
            device: "/dev/md0".to_owned(),
            pe_start: Bytes::new(1152 << 10),
            pe_count: 100,
        }],
        lvs: vec![lv("first", 0), lv("second", 16)],
    });
    let xfs = ioalign_inspect::filesystems::FileSystem {
        kind: "xfs",
        block: Some(Bytes::new(4096)),
        ..Default::default()
    };
    said.device("mapper/vg-second").filesystem = Some(xfs);
    let (stack, findings) = stack(said);
    let second = find(&stack, "vg/second");
    let off = findings
        .iter()
        .find(|finding| finding.rule == "start-suboptimal")
        .unwrap();
    assert_eq!(
        (off.guilty, off.unit),
        (Some(second), Some(Bytes::new(192 << 10)))
    );
    assert_eq!(off.offset, Some(Bytes::new(64 << 10)));
    assert_eq!(stack.layer(find(&stack, "xfs")).below[0].below, second);
}

#[test]
fn a_disk_that_is_named_by_a_path_is_placed() {
    let mut said = TextEvidence::default();
    said.device("/tmp/disk.img").size = sector(2048);
    said.device("/tmp/disk.img1").start = sector(63);
    said.devices[1].parents = vec!["/tmp/disk.img".to_owned()];
    let (stack, findings) = stack(said);
    assert_eq!(stack.len(), 2);
    assert_eq!(rules(&findings)[0].0, "start-misaligned");
}

#[test]
fn circles_and_orphans_end() {
    let mut said = TextEvidence::default();
    said.device("a").parents = vec!["b".to_owned()];
    said.device("b").parents = vec!["a".to_owned()];
    said.device("c").parents = vec!["nowhere".to_owned()];
    let (stack, _) = stack(said);
    assert_eq!(stack.len(), 4);
}
