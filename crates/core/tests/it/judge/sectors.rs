//! Tables and file systems that are written for another logical sector.

use ioalign_core::judge::{JudgeOptions, judge};
use ioalign_core::{
    Bytes, Finding, Kind, Layer, LayerId, Map, Role, SectorSize, Severity, Stack, TableKind, rules,
};

use super::{MIB, bottom, by_rule, is_silent, of_rule, only, shift};

fn bytes(size: u64) -> Option<Bytes> {
    Some(Bytes::new(size))
}

/// A disk of this logical sector.
fn disk(stack: &mut Stack, sector: u64) -> LayerId {
    let disk = bottom(stack, Kind::Disk, "sda", &[]);
    stack.layer_mut(disk).logical_sector = bytes(sector);
    disk
}

fn on_target(stack: &Stack, rule: &str, target: SectorSize) -> Vec<Finding> {
    let options = JudgeOptions {
        target_logical: Some(target),
        ..JudgeOptions::default()
    };
    of_rule(judge(stack, &options), rule)
}

#[test]
fn a_table_is_found_only_where_it_was_written_for() {
    for (table, words) in [
        (Some(TableKind::Gpt), "The GUID partition table of sda"),
        (Some(TableKind::Dos), "The DOS partition table of sda"),
        (None, "The partition table of sda"),
    ] {
        for (wanted, actual) in [(512, 4096), (4096, 512)] {
            let mut stack = Stack::new();
            let disk = disk(&mut stack, actual);
            stack.layer_mut(disk).wants_sector = bytes(wanted);
            stack.layer_mut(disk).table = table;
            let finding = only(&stack, rules::TABLE_SECTOR_MISMATCH);
            assert_eq!(finding.severity, Severity::Broken);
            assert_eq!(finding.layer, Some(disk));
            assert_eq!(finding.unit, bytes(actual));
            assert_eq!(finding.fixable_in_place, Some(false));
            let (wants, has) = (Bytes::new(wanted), Bytes::new(actual));
            let why = format!(
                "{words} is written for {wants} sectors and is not found on a disk with {has} logical sectors"
            );
            assert_eq!(finding.why, why);
            let step = format!("write a new table for {actual} B sectors");
            assert!(finding.steps[0].starts_with(&step), "{:?}", finding.steps);
            // A second table for that disk is found.
            stack.layer_mut(disk).also_serves = vec![has];
            assert!(is_silent(&stack, rules::TABLE_SECTOR_MISMATCH));
            stack.layer_mut(disk).also_serves = vec![Bytes::new(8192)];
            assert_eq!(by_rule(&stack, rules::TABLE_SECTOR_MISMATCH).len(), 1);
        }
    }
    let mut stack = Stack::new();
    let disk = disk(&mut stack, 4096);
    stack.layer_mut(disk).wants_sector = bytes(4096);
    assert!(is_silent(&stack, rules::TABLE_SECTOR_MISMATCH));
}

#[test]
fn a_file_system_mounts_on_sectors_up_to_its_own() {
    for (name, wanted, actual, step) in [
        (
            "fat32",
            512,
            4096,
            Some("create it again with mkfs.fat -S 4096 and copy the files"),
        ),
        (
            "ntfs",
            512,
            4096,
            Some("create the file system again with 4096 B sectors"),
        ),
        ("ntfs", 4096, 4096, None),
        ("ntfs", 4096, 512, None),
    ] {
        let mut stack = Stack::new();
        let disk = disk(&mut stack, actual);
        let partition = stack.push(Layer::new(Kind::Partition, "sda1").on(disk, shift(2048)));
        let mut layer = Layer::new(Kind::Filesystem, name).on(partition, shift(0));
        layer.wants_sector = bytes(wanted);
        let filesystem = stack.push(layer);
        let found = by_rule(&stack, rules::FS_SECTOR_MISMATCH);
        let steps: Vec<_> = found.iter().flat_map(|one| one.steps.clone()).collect();
        assert_eq!(
            steps,
            step.into_iter().collect::<Vec<_>>(),
            "{name} {wanted} {actual}"
        );
        for finding in found {
            assert_eq!(
                (finding.severity, finding.layer),
                (Severity::Broken, Some(filesystem))
            );
            let start = format!(
                "File system {name} on sda1 is written for 512 B sectors and cannot be mounted"
            );
            assert!(finding.why.starts_with(&start), "{}", finding.why);
        }
    }
}

/// A file system that wants 512-byte sectors, on what `below` puts on disks of these sectors.
fn over(sectors: &[u64], below: impl FnOnce(&mut Stack, &[LayerId]) -> LayerId) -> Option<Bytes> {
    let mut stack = Stack::new();
    let disks: Vec<_> = sectors
        .iter()
        .map(|sector| disk(&mut stack, *sector))
        .collect();
    let below = below(&mut stack, &disks);
    let mut layer = Layer::new(Kind::Filesystem, "ntfs").on(below, shift(0));
    layer.wants_sector = bytes(512);
    stack.push(layer);
    let found = by_rule(&stack, rules::FS_SECTOR_MISMATCH);
    found.first().and_then(|finding| finding.unit)
}

#[test]
fn the_largest_sector_of_all_disks_below_is_what_is_found() {
    let mirror = |stack: &mut Stack, disks: &[LayerId]| {
        let start = Bytes::ZERO;
        let layer = disks
            .iter()
            .fold(Layer::new(Kind::Md, "md0"), |layer, disk| {
                layer.on(*disk, Map::Mirror { start })
            });
        stack.push(layer)
    };
    assert_eq!(over(&[512, 4096], mirror), bytes(4096));
    assert_eq!(over(&[4096, 512], mirror), bytes(4096));
    assert_eq!(over(&[512, 512], mirror), None);
    // A layer that says what it shows hides what is below it.
    let hidden = |stack: &mut Stack, disks: &[LayerId]| {
        let mut crypt = Layer::new(Kind::Crypt, "c").on(disks[0], shift(0));
        crypt.logical_sector = bytes(512);
        stack.push(crypt)
    };
    assert_eq!(over(&[4096], hidden), None);
    let shown = |stack: &mut Stack, disks: &[LayerId]| {
        let mut crypt = Layer::new(Kind::Crypt, "c").on(disks[0], shift(0));
        crypt.logical_sector = bytes(4096);
        let crypt = stack.push(crypt);
        stack.push(Layer::new(Kind::LvmPv, "pv").on(crypt, shift(2048)))
    };
    assert_eq!(over(&[512], shown), bytes(4096));
}

#[test]
fn a_mirror_of_mirrors_is_looked_through_once() {
    let mut stack = Stack::new();
    let mut below = disk(&mut stack, 4096);
    for _ in 0..60 {
        let start = Bytes::ZERO;
        let twice = Layer::new(Kind::Md, "m")
            .on(below, Map::Mirror { start })
            .on(below, Map::Opaque("other leg".into()));
        below = stack.push(twice);
    }
    let mut layer = Layer::new(Kind::Filesystem, "ntfs").on(below, shift(0));
    layer.wants_sector = bytes(512);
    stack.push(layer);
    assert_eq!(only(&stack, rules::FS_SECTOR_MISMATCH).unit, bytes(4096));
}

#[test]
fn an_esp_with_larger_sectors_than_its_disk_is_noted() {
    let esp = |name: &str, wanted, role| {
        let mut stack = Stack::new();
        let disk = disk(&mut stack, 512);
        let partition = stack.push(Layer::new(Kind::Partition, "sda1").on(disk, shift(2048)));
        let mut layer = Layer::new(Kind::Filesystem, name).on(partition, shift(0));
        layer.wants_sector = bytes(wanted);
        layer.role = role;
        stack.push(layer);
        by_rule(&stack, rules::ESP_SECTOR_MISMATCH)
    };
    let found = esp("fat32", 4096, Role::Esp);
    assert_eq!(found.len(), 1);
    assert_eq!(
        (found[0].severity, found[0].unit),
        (Severity::Note, bytes(512))
    );
    assert!(
        found[0]
            .why
            .starts_with("File system fat32 on sda1 has 4 KiB sectors")
    );
    assert!(found[0].steps[0].contains("mkfs.fat -S 512"));
    assert!(esp("fat32", 512, Role::Esp).is_empty());
    assert!(esp("fat32", 256, Role::Esp).is_empty());
    assert!(esp("fat32", 4096, Role::Data).is_empty());
    assert!(esp("ntfs", 4096, Role::Esp).is_empty());
}

/// A partition of this many bytes at a sector, with a file system of this size in it, or none.
fn partition(start: u64, size: u64, filesystem: Option<(u64, u64)>) -> Stack {
    let mut stack = Stack::new();
    let disk = disk(&mut stack, 512);
    let layer = Layer::new(Kind::Partition, "sda1").sized(Bytes::new(size));
    let partition = stack.push(layer.on(disk, shift(start)));
    if let Some((ahead, size)) = filesystem {
        let layer = Layer::new(Kind::Filesystem, "ext4").sized(Bytes::new(size));
        stack.push(layer.on(partition, shift(ahead)));
    }
    stack
}

#[test]
fn a_start_between_two_sectors_of_the_target_cannot_be_expressed() {
    let rule = rules::START_NOT_ON_TARGET_SECTOR;
    let stack = partition(63, MIB, None);
    let found = on_target(&stack, rule, SectorSize::S4096);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].severity, Severity::Broken);
    assert_eq!(
        (found[0].unit, found[0].offset),
        (bytes(4096), bytes(63 * 512 % 4096))
    );
    assert!(
        found[0]
            .why
            .starts_with("partition sda1 starts at byte 32256, between two 4 KiB sectors")
    );
    // Nothing is said of its end then, or of a start that fits, or without a target.
    let ends_off = partition(63, MIB + 1536, None);
    let end = rules::END_NOT_ON_TARGET_SECTOR;
    assert!(on_target(&ends_off, end, SectorSize::S4096).is_empty());
    assert!(on_target(&partition(64, MIB, None), rule, SectorSize::S4096).is_empty());
    assert!(on_target(&stack, rule, SectorSize::S512).is_empty());
    assert!(is_silent(&stack, rule));
    // A file system off the target is not the table's matter.
    let inside = partition(64, MIB, Some((1, 4096)));
    assert!(on_target(&inside, rule, SectorSize::S4096).is_empty());
}

#[test]
fn an_end_between_two_sectors_of_the_target_loses_what_lies_there() {
    let rule = rules::END_NOT_ON_TARGET_SECTOR;
    let size = MIB + 1536;
    for (filesystem, severity, words) in [
        (None, Severity::Note, "nothing that is known lies there"),
        (
            Some((0, MIB)),
            Severity::Note,
            "nothing that is known lies there",
        ),
        (
            Some((0, MIB + 512)),
            Severity::DataRisk,
            "ext4 on sda1 needs them",
        ),
        (
            Some((1, MIB)),
            Severity::DataRisk,
            "ext4 on sda1 needs them",
        ),
    ] {
        let stack = partition(64, size, filesystem);
        let found = on_target(&stack, rule, SectorSize::S4096);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].severity, severity, "{filesystem:?}");
        assert_eq!((found[0].unit, found[0].offset), (bytes(4096), bytes(1536)));
        assert_eq!(found[0].suggest.size, bytes(MIB));
        assert_eq!(
            found[0].steps,
            ["end it at a multiple of 4 KiB: size 1048576 B"]
        );
        let start = "Partition sda1 ends 1536 B past a 4 KiB sector";
        assert!(found[0].why.starts_with(start), "{}", found[0].why);
        assert!(found[0].why.ends_with(words), "{}", found[0].why);
    }
    assert!(on_target(&partition(64, MIB, None), rule, SectorSize::S4096).is_empty());
    assert!(is_silent(&partition(64, size, None), rule));
}

#[test]
fn the_target_is_asked_and_not_the_disk() {
    let mut stack = Stack::new();
    let disk = disk(&mut stack, 512);
    stack.layer_mut(disk).wants_sector = bytes(512);
    let rule = rules::TABLE_SECTOR_MISMATCH;
    assert!(is_silent(&stack, rule));
    assert_eq!(on_target(&stack, rule, SectorSize::S4096).len(), 1);
}
