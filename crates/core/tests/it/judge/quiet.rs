//! Starts off a grid that cost nothing, and those that only seem to.

use ioalign_core::{Bytes, GridKind, Kind, Layer, Role, Severity, Stack, Tier, rules};

use super::starts::disk;
use super::{SECTOR, block, bottom, by_rule, claim, is_silent, judged, only, shift};

#[test]
fn partitions_without_data_may_start_anywhere() {
    for (role, words) in [
        (Role::BiosBoot, "boot loader area"),
        (Role::Msr, "Microsoft reserved"),
        (Role::Reserved, "reserved, holds no data"),
    ] {
        let (stack, partition) = disk(&[block()], 34, role);
        let finding = only(&stack, rules::START_HARMLESS);
        assert_eq!(
            (finding.severity, finding.layer),
            (Severity::Note, Some(partition))
        );
        assert_eq!(
            (finding.grid, finding.unit),
            (Some(0), Some(Bytes::new(4096)))
        );
        assert_eq!(finding.offset, Some(Bytes::new(34 * SECTOR % 4096)));
        assert!(
            finding
                .why
                .starts_with("Partition sda1 starts at byte 17408, 1 KiB past a 4 KiB")
        );
        assert!(
            finding
                .why
                .contains(&format!(", which does not matter: {words}")),
            "{}",
            finding.why
        );
        assert!(judged(&stack).missed.is_empty());
        let (stack, _) = disk(&[block()], 40, role);
        assert!(is_silent(&stack, rules::START_HARMLESS));
        let (stack, _) = disk(
            &[claim(65536, Tier::Preference, GridKind::RaidChunk)],
            34,
            role,
        );
        assert!(is_silent(&stack, rules::START_HARMLESS));
        let (mut stack, partition) = disk(&[block()], 34, role);
        stack.layer_mut(partition).kind = Kind::LvmLv;
        assert!(is_silent(&stack, rules::START_HARMLESS));
    }
    for role in [Role::Extended, Role::WholeDisk, Role::Data] {
        let (stack, _) = disk(&[block()], 34, role);
        assert!(is_silent(&stack, rules::START_HARMLESS));
    }
}

#[test]
fn a_partition_that_is_repaired_above_is_said_to_be_right() {
    let rule = rules::START_REPAIRED_ABOVE;
    let (mut stack, partition) = disk(&[block()], 63, Role::Data);
    let pv = stack.push(Layer::new(Kind::LvmPv, "pv").on(partition, shift(2113)));
    let finding = only(&stack, rule);
    assert_eq!(
        (finding.severity, finding.layer),
        (Severity::Note, Some(partition))
    );
    assert_eq!(
        (finding.grid, finding.offset),
        (Some(0), Some(Bytes::new(3584)))
    );
    assert!(
        finding.why.contains("3584 B past a 4 KiB boundary")
            && finding.why.ends_with("nothing is lost")
    );
    // All that lies on it has to be right.
    let right = Layer::new(Kind::LvmLv, "right").on(pv, shift(8));
    stack.push(right);
    assert_eq!(by_rule(&stack, rule).len(), 1);
    stack.push(Layer::new(Kind::LvmLv, "wrong").on(pv, shift(9)));
    assert!(is_silent(&stack, rule));
    assert_eq!(by_rule(&stack, rules::START_MISALIGNED).len(), 1);
    // What only holds other layers repairs nothing.
    let (mut stack, partition) = disk(&[block()], 63, Role::Data);
    let mut reserved = Layer::new(Kind::Partition, "inner").on(partition, shift(1));
    reserved.role = Role::Reserved;
    stack.push(reserved);
    assert!(is_silent(&stack, rule));
    assert_eq!(by_rule(&stack, rules::START_MISALIGNED).len(), 1);
    // On its grid it needs no repair.
    let (mut stack, partition) = disk(&[block()], 64, Role::Data);
    stack.push(Layer::new(Kind::LvmPv, "pv").on(partition, shift(2112)));
    assert!(is_silent(&stack, rule));
}

#[test]
fn what_an_image_format_puts_off_its_file_stays_off() {
    let mut stack = Stack::new();
    let file = bottom(&mut stack, Kind::Image, "a.vdi", &[block()]);
    let disk = stack.push(Layer::new(Kind::Disk, "guest").on(file, shift(1)));
    stack.push(Layer::new(Kind::Partition, "p1").on(disk, shift(7)));
    // The partition makes up for it, and the disk is off nevertheless.
    let finding = only(&stack, rules::START_MISALIGNED);
    assert_eq!((finding.layer, finding.guilty), (Some(disk), Some(disk)));
    // A partition that shows it says it for the disk.
    let mut stack = Stack::new();
    let file = bottom(&mut stack, Kind::Image, "a.vdi", &[block()]);
    let disk = stack.push(Layer::new(Kind::Disk, "guest").on(file, shift(1)));
    let partition = stack.push(Layer::new(Kind::Partition, "p1").on(disk, shift(2048)));
    let finding = only(&stack, rules::START_MISALIGNED);
    assert_eq!(
        (finding.layer, finding.guilty),
        (Some(partition), Some(disk))
    );
}

#[test]
fn an_image_is_off_its_file_whatever_else_is_wrong() {
    let mut stack = Stack::new();
    let file = bottom(&mut stack, Kind::Image, "a.vdi", &[block()]);
    let guest = stack.push(Layer::new(Kind::Disk, "guest").on(file, shift(1)));
    stack.push(Layer::new(Kind::Partition, "p1").on(guest, shift(7)));
    let other = bottom(&mut stack, Kind::Disk, "sdb", &[block()]);
    let partition = stack.push(Layer::new(Kind::Partition, "sdb1").on(other, shift(63)));
    let found = by_rule(&stack, rules::START_MISALIGNED);
    let guilty: Vec<_> = found.iter().filter_map(|one| one.guilty).collect();
    assert_eq!(guilty, [guest, partition]);
}
