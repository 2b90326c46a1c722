//! Sizes and ends.

use ioalign_core::{
    Bytes, Finding, Kind, Layer, Role, SectorSize, Sectors, Severity, Stack, rules,
};

use super::{MIB, bottom, by_rule, is_silent, only, shift};

/// A disk with one partition of this size, changed by `with`.
fn partition(size: u64, with: impl FnOnce(&mut Layer)) -> Stack {
    let mut stack = Stack::new();
    let disk = bottom(&mut stack, Kind::Disk, "sda", &[]);
    let mut layer = Layer::new(Kind::Partition, "sda1")
        .sized(Bytes::new(size))
        .on(disk, shift(2048));
    with(&mut layer);
    stack.push(layer);
    stack
}

fn sized(size: u64, unit: u64) -> Vec<Finding> {
    let mut stack = Stack::new();
    let disk = bottom(&mut stack, Kind::Disk, "sda", &[]);
    let mut crypt = Layer::new(Kind::Crypt, "luks-a").on(disk, shift(0));
    crypt.size = Some(Bytes::new(size));
    crypt.size_unit = Some(Bytes::new(unit));
    stack.push(crypt);
    by_rule(&stack, rules::SIZE_NOT_SECTOR_MULTIPLE)
}

#[test]
fn a_size_that_is_no_multiple_of_its_own_sectors_does_not_open() {
    let found = sized(3 * 4096 + 512, 4096);
    let [finding] = found.as_slice() else {
        panic!("{found:?}");
    };
    assert_eq!(finding.severity, Severity::Broken);
    assert_eq!(finding.unit, Some(Bytes::new(4096)));
    assert_eq!(finding.offset, Some(Bytes::new(512)));
    assert_eq!(finding.suggest.size, Some(Bytes::new(3 * 4096)));
    assert_eq!(finding.fixable_in_place, Some(true));
    assert!(
        finding.why.starts_with(
            "Encrypted volume luks-a has 12800 B, 512 B more than a multiple of its 4 KiB sectors"
        ),
        "{}",
        finding.why
    );
    assert!(sized(3 * 4096, 4096).is_empty());
    assert!(sized(12800, 512).is_empty());
    assert!(sized(12800, 0).is_empty());
}

#[test]
fn a_tail_shorter_than_4_kib_is_a_note() {
    for (over, sectors) in [(512, "1 sector"), (1024, "2 sectors"), (3584, "7 sectors")] {
        let stack = partition(64 * MIB + over, |_| {});
        let finding = only(&stack, rules::SIZE_NOT_MULTIPLE);
        assert_eq!(finding.severity, Severity::Note);
        assert_eq!(finding.unit, Some(Bytes::new(4096)));
        assert_eq!(finding.offset, Some(Bytes::new(over)));
        assert_eq!(finding.suggest.size, Some(Bytes::new(64 * MIB)));
        assert_eq!(finding.fixable_in_place, Some(true));
        let step = format!("end it {sectors} earlier: size 131072 sectors");
        assert_eq!(finding.steps, [step]);
        let start = format!(
            "Partition sda1 has {} sectors, {over} B more than",
            131_072 + over / 512
        );
        assert!(finding.why.starts_with(&start), "{}", finding.why);
    }
}

#[test]
fn sectors_are_those_of_the_table() {
    let kib = SectorSize::new(1024).unwrap();
    let stack = partition(64 * MIB + 2048, |layer| {
        layer.start_sectors = Sectors::new(1024, kib);
    });
    let finding = only(&stack, rules::SIZE_NOT_MULTIPLE);
    assert_eq!(
        finding.steps,
        ["end it 2 sectors earlier: size 65536 sectors"]
    );
    assert!(finding.why.contains("has 65538 sectors"), "{}", finding.why);
}

#[test]
fn ends_that_cost_nothing_are_not_mentioned() {
    let rule = rules::SIZE_NOT_MULTIPLE;
    assert!(is_silent(&partition(64 * MIB, |_| {}), rule));
    for role in [Role::Swap, Role::BiosBoot] {
        let odd = partition(64 * MIB + 512, |layer| layer.role = role);
        assert!(is_silent(&odd, rule), "{role:?}");
    }
    let volume = partition(64 * MIB + 512, |layer| layer.kind = Kind::LvmLv);
    assert!(is_silent(&volume, rule));
}

#[test]
fn sector_2048_of_4_kib_is_more_than_was_meant() {
    let at = |sector, count, role| {
        let stack = partition(64 * MIB, |layer| {
            layer.start_sectors = Sectors::new(count, sector);
            layer.role = role;
        });
        by_rule(&stack, rules::OVER_ALIGNED)
    };
    let found = at(SectorSize::S4096, 2048, Role::Data);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].severity, Severity::Note);
    assert!(
        found[0]
            .why
            .starts_with("Partition sda1 starts at sector 2048 of 4096 B = 8 MiB"),
        "{}",
        found[0].why
    );
    assert!(at(SectorSize::S512, 2048, Role::Data).is_empty());
    assert!(at(SectorSize::S4096, 2047, Role::Data).is_empty());
    assert!(at(SectorSize::S4096, 256, Role::Data).is_empty());
    assert!(at(SectorSize::S4096, 2048, Role::BiosBoot).is_empty());
}
