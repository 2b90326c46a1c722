//! Remarks of the readers, bottoms on which nothing is recognised, and the order of findings.

use ioalign_core::layer::detail::MappedDevice;
use ioalign_core::{Kind, Layer, LayerId, MoveInFlight, Remark, Severity, Stack, rules};

use super::{block, bottom, by_rule, is_silent, judged, only, shift};

const RULE: &str = rules::NOTHING_RECOGNISED;

/// A disk on which something is judged.
fn judged_disk(stack: &mut Stack) {
    let disk = bottom(stack, Kind::Disk, "good", &[block()]);
    stack.push(Layer::new(Kind::Partition, "good1").on(disk, shift(2048)));
}

#[test]
fn an_empty_bottom_is_unknown_and_a_note_beside_others_that_are_judged() {
    for kind in [Kind::Disk, Kind::Image, Kind::Md, Kind::LvmPv] {
        let mut stack = Stack::new();
        let empty = bottom(&mut stack, kind, "spare", &[block()]);
        for searched in [false, true] {
            stack.layer_mut(empty).searched = searched;
            let finding = only(&stack, RULE);
            assert_eq!(
                (finding.severity, finding.layer),
                (Severity::Unknown, Some(empty))
            );
            assert!(finding.why.starts_with("Nothing is recognised on spare"));
        }
    }
    for (searched, severity) in [(true, Severity::Note), (false, Severity::Unknown)] {
        let mut stack = Stack::new();
        judged_disk(&mut stack);
        let spare = bottom(&mut stack, Kind::Disk, "spare", &[]);
        stack.layer_mut(spare).searched = searched;
        assert_eq!(only(&stack, RULE).severity, severity);
    }
}

#[test]
fn a_disk_in_an_image_is_a_bottom_and_a_partition_is_none() {
    let mut stack = Stack::new();
    let file = bottom(&mut stack, Kind::Image, "a.img", &[]);
    assert_eq!(only(&stack, RULE).layer, Some(file));
    let disk = stack.push(Layer::new(Kind::Disk, "guest").on(file, shift(0)));
    assert_eq!(only(&stack, RULE).layer, Some(disk));
    stack.push(Layer::new(Kind::Partition, "p1").on(disk, shift(2048)));
    assert!(is_silent(&stack, RULE));
}

#[test]
fn another_reason_says_it_better() {
    let with = |change: &dyn Fn(&mut Layer)| {
        let mut stack = Stack::new();
        let disk = bottom(&mut stack, Kind::Disk, "sda", &[]);
        change(stack.layer_mut(disk));
        by_rule(&stack, RULE).len()
    };
    let remark = |rule| Remark::note(rule, "so");
    assert_eq!(with(&|_| {}), 1);
    assert_eq!(with(&|disk| disk.moving = Some(MoveInFlight::Unknown)), 0);
    assert_eq!(
        with(&|disk| disk.remarks.push(remark(rules::NOT_READABLE))),
        0
    );
    assert_eq!(
        with(&|disk| disk.remarks.push(remark(rules::TEXT_NOT_RECOGNISED))),
        0
    );
    assert_eq!(
        with(&|disk| disk.remarks.push(remark(rules::GPT_MISSING))),
        1
    );
    let empty = |disk: &mut Layer| {
        disk.table_is_empty = true;
    };
    assert_eq!(with(&empty), 0);
}

/// A map of a multipath target, or of another, over two disks.
fn map(target: &str) -> Stack {
    let mut stack = Stack::new();
    let paths = ["sda", "sdb"].map(|name| bottom(&mut stack, Kind::Disk, name, &[]));
    let mut layer = Layer::new(Kind::Volume, "mpatha");
    layer.mapped = Some(MappedDevice {
        target: Some(target.to_owned()),
        ..MappedDevice::default()
    });
    let [a, b] = paths;
    stack.push(layer.on(a, shift(0)).on(b, shift(0)));
    stack
}

#[test]
fn a_multipath_map_is_a_disk_when_nothing_else_lies_on_its_paths() {
    assert_eq!(only(&map("multipath"), RULE).layer, Some(LayerId(2)));
    assert!(is_silent(&map("linear"), RULE));
    for path in [LayerId(0), LayerId(1)] {
        let mut stack = map("multipath");
        stack.push(Layer::new(Kind::Partition, "p").on(path, shift(2048)));
        assert!(is_silent(&stack, RULE));
    }
}

#[test]
fn the_same_note_is_given_once_for_all_disks() {
    let mut stack = Stack::new();
    for name in ["sda", "sdb", "sdc"] {
        let disk = bottom(&mut stack, Kind::Disk, name, &[]);
        let layer = stack.layer_mut(disk);
        layer
            .remarks
            .push(Remark::note(rules::GPT_MISSING, "It is so").advise("do it"));
        let broken = Remark::new(rules::GPT_ENTRIES_CRC, Severity::Broken, "It is bad");
        layer.remarks.push(broken.at(512, "crc"));
    }
    let other = Remark::note(rules::GPT_MISSING, "It is otherwise");
    stack.layer_mut(LayerId(1)).remarks.push(other);
    let notes = by_rule(&stack, rules::GPT_MISSING);
    let why: Vec<_> = notes
        .iter()
        .map(|note| (note.layer, note.why.as_str()))
        .collect();
    assert_eq!(
        why,
        [
            (Some(LayerId(0)), "It is so; the same holds for sdb, sdc"),
            (Some(LayerId(1)), "It is otherwise"),
        ]
    );
    assert_eq!(notes[0].steps, ["do it"]);
    let broken = by_rule(&stack, rules::GPT_ENTRIES_CRC);
    assert_eq!(broken.len(), 3);
    assert!(
        broken
            .iter()
            .all(|one| one.why == "It is bad (field crc at byte 512)")
    );
}

#[test]
fn a_refusal_of_mkfs_counts_only_where_nothing_is() {
    let mut stack = Stack::new();
    let disk = bottom(&mut stack, Kind::Disk, "sda", &[]);
    let refuses = Remark::note(rules::MKFS_XFS_REFUSES, "so");
    stack.layer_mut(disk).remarks.push(refuses);
    assert_eq!(by_rule(&stack, rules::MKFS_XFS_REFUSES).len(), 1);
    stack.push(Layer::new(Kind::Filesystem, "ext4").on(disk, shift(0)));
    assert!(is_silent(&stack, rules::MKFS_XFS_REFUSES));
}

#[test]
fn the_worst_comes_first_and_then_the_lowest_layer() {
    let mut stack = Stack::new();
    for severity in [
        Severity::Note,
        Severity::Broken,
        Severity::Suboptimal,
        Severity::Broken,
    ] {
        let disk = bottom(&mut stack, Kind::Disk, "sda", &[]);
        let why = format!("{severity:?} {disk:?}");
        let layer = stack.layer_mut(disk);
        layer.table_is_empty = true;
        layer
            .remarks
            .push(Remark::new(rules::GPT_MISSING, severity, why));
    }
    let order: Vec<_> = judged(&stack)
        .findings
        .iter()
        .map(|one| one.layer.unwrap().0)
        .collect();
    assert_eq!(order, [1, 3, 2, 0]);
}
