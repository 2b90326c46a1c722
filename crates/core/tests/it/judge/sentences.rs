//! What findings about starts carry and say.

use ioalign_core::{
    Bytes, Confidence, GridKind, Kind, Layer, Map, Origin, Role, Runs, SectorSize, Sectors,
    Severity, Stack, Tier, cost, rules,
};

use super::starts::disk;
use super::{block, bottom, by_rule, claim, judged, only, shift, start_findings};

#[test]
fn a_finding_carries_its_arithmetic() {
    let (mut stack, partition) = disk(&[block()], 63, Role::Data);
    let array = stack.push(Layer::new(Kind::Md, "md0").on(partition, shift(2048)));
    let judgement = judged(&stack);
    let finding = &judgement.findings[0];
    assert_eq!(
        (finding.layer, finding.guilty),
        (Some(array), Some(partition))
    );
    assert_eq!(
        (finding.grid, finding.unit),
        (Some(0), Some(Bytes::new(4096)))
    );
    assert_eq!(finding.offset, Some(Bytes::new(3584)));
    assert_eq!(
        finding.cost,
        cost::table(Bytes::new(4096), &judgement.missed[1].phases)
    );
    assert_eq!(
        finding.why,
        "Partition sda1 starts at byte 32256, 3584 B past a 4 KiB boundary of sda (physical-block, ); array md0 \
         inherits it"
    );
    stack.layer_mut(partition).start_sectors = Sectors::new(63, SectorSize::S512);
    let why = &judged(&stack).findings[0].why;
    assert!(
        why.starts_with("Partition sda1 starts at sector 63 = 32256 B, 3584 B past"),
        "{why}"
    );
}

#[test]
fn what_is_invalid_says_what_fails() {
    for (kind, words) in [
        (
            GridKind::Zone,
            ": such a zone can only be written from its start",
        ),
        (
            GridKind::LogicalSector,
            ": I/O that is not in whole sectors fails",
        ),
    ] {
        let (stack, _) = disk(&[claim(4096, Tier::Validity, kind)], 63, Role::Data);
        let why = &judged(&stack).findings[0].why;
        assert!(why.ends_with(words), "{why}");
    }
    let (stack, _) = disk(&[block()], 63, Role::Data);
    assert!(!judged(&stack).findings[0].why.contains("fails"));
}

#[test]
fn parts_off_a_grid_are_given_as_a_share() {
    for (pieces, words) in [
        (
            &[0, 4096 + 512][..],
            "50 % of logical volume lv lies off every 4 KiB boundary of sda (physical-block, ), at one offset",
        ),
        (
            &[0, 4096 + 512, 8192 + 1024, 12288],
            "50 % of logical volume lv lies off every 4 KiB boundary of sda (physical-block, ), at 2 different offsets",
        ),
        (
            &[512, 4096 + 1024],
            "100 % of logical volume lv lies off every 4 KiB boundary of sda (physical-block, ), at 2 different offsets",
        ),
    ] {
        let mut stack = Stack::new();
        let disk = bottom(&mut stack, Kind::Disk, "sda", &[block()]);
        let mut runs = Runs::new();
        for (index, to) in (0..).zip(pieces) {
            // Far apart, so that they stay pieces.
            runs.push(index * 4096, to + index * 65536, 4096);
        }
        let lv = Layer::new(Kind::LvmLv, "lv").sized(Bytes::new(4096 * pieces.len() as u64));
        stack.push(lv.on(disk, Map::Linear(runs)));
        let why = only(&stack, rules::START_MISALIGNED).why;
        assert!(why.starts_with(words), "{why}");
    }
}

#[test]
fn the_smallest_missed_grid_speaks_for_the_others() {
    let reported =
        |size, tier, kind| claim(size, tier, kind).from(Origin::Reported, "r", Confidence::High);
    let stripe = |size| reported(size, Tier::Preference, GridKind::StripeUnit);
    let guess = claim(1 << 20, Tier::Preference, GridKind::Habit).from(
        Origin::Assumed,
        "a",
        Confidence::Low,
    );
    let claims = [
        stripe(65536),
        guess.clone(),
        reported(16384, Tier::Rmw, GridKind::IndirectionUnit),
        reported(4096, Tier::Rmw, GridKind::PhysicalBlock),
        stripe(65536),
    ];
    let (stack, _) = disk(&claims, 63, Role::Data);
    assert_eq!(
        start_findings(&stack),
        [(rules::START_MISALIGNED, Severity::Misaligned)]
    );
    let finding = only(&stack, rules::START_MISALIGNED);
    assert_eq!(finding.grid, Some(3));
    assert!(
        finding.why.ends_with(
            "; also off 16 KiB (indirection-unit) by 15872 B, 64 KiB (stripe-unit) by 32256 B"
        ),
        "{}",
        finding.why
    );
    // On the blocks and off the stripe.
    let (stack, _) = disk(&claims, 32, Role::Data);
    assert_eq!(
        start_findings(&stack),
        [(rules::START_SUBOPTIMAL, Severity::Suboptimal)]
    );
    assert_eq!(only(&stack, rules::START_SUBOPTIMAL).grid, Some(0));
    // A guess is given only where no geometry is known.
    let (stack, _) = disk(&claims, 128, Role::Data);
    assert!(start_findings(&stack).is_empty());
    let (stack, _) = disk(&[claims[3].clone(), guess.clone()], 128, Role::Data);
    assert_eq!(
        start_findings(&stack),
        [(rules::START_OFF_ASSUMED_GRID, Severity::Note)]
    );
    let (stack, _) = disk(&[claims[3].clone(), guess], 63, Role::Data);
    assert_eq!(
        start_findings(&stack),
        [(rules::START_MISALIGNED, Severity::Misaligned)]
    );
}

#[test]
fn each_cause_has_its_finding() {
    // The partition is off the stripe, and the extents within it are off the blocks as well.
    let stripe = claim(65536, Tier::Preference, GridKind::RaidChunk);
    let (mut stack, partition) = disk(&[block(), stripe], 8, Role::Data);
    let pv = stack.push(Layer::new(Kind::LvmPv, "pv").on(partition, shift(1)));
    let found: Vec<_> = judged(&stack)
        .findings
        .iter()
        .filter(|one| one.rule.starts_with("start-"))
        .map(|one| (one.rule, one.layer, one.guilty))
        .collect();
    assert_eq!(
        found,
        [
            (rules::START_MISALIGNED, Some(pv), Some(pv)),
            (rules::START_SUBOPTIMAL, Some(pv), Some(partition)),
        ]
    );
}

#[test]
fn volumes_on_one_bad_partition_are_one_defect() {
    for (volumes, end) in [
        (1, "; logical volume lv0 inherits it"),
        (
            2,
            "; logical volume lv0 inherits it; so do logical volume lv1",
        ),
        (
            5,
            "lv1, logical volume lv2, logical volume lv3, logical volume lv4",
        ),
        (
            7,
            "lv1, logical volume lv2, logical volume lv3, logical volume lv4 and 2 more",
        ),
    ] {
        let (mut stack, partition) = disk(&[block()], 63, Role::Data);
        let pv = stack.push(Layer::new(Kind::LvmPv, "pv").on(partition, shift(2048)));
        for n in 0..volumes {
            stack.push(Layer::new(Kind::LvmLv, format!("lv{n}")).on(pv, shift(8192 * n)));
        }
        let why = only(&stack, rules::START_MISALIGNED).why;
        assert!(why.ends_with(end), "{why}");
    }
    // Each that is off by itself is a defect of its own.
    let mut stack = Stack::new();
    let disk = bottom(&mut stack, Kind::Disk, "sda", &[block()]);
    for start in [63, 8192 + 63] {
        stack.push(Layer::new(Kind::Partition, "p").on(disk, shift(start)));
    }
    assert_eq!(by_rule(&stack, rules::START_MISALIGNED).len(), 2);
}

#[test]
fn a_guess_is_given_beside_notes_and_not_beside_defects() {
    // On the blocks and off the mebibyte; what lies a sector further on is off the blocks by itself.
    let habit = claim(1 << 20, Tier::Preference, GridKind::Habit);
    let habit = habit.from(Origin::Assumed, "a", Confidence::Low);
    let within = |kind, name: &str| {
        let (mut stack, partition) = disk(&[block(), habit.clone()], 8, Role::Data);
        stack.push(Layer::new(kind, name).on(partition, shift(1)));
        start_findings(&stack)
    };
    let misaligned = (rules::START_MISALIGNED, Severity::Misaligned);
    assert_eq!(within(Kind::LvmPv, "pv"), [misaligned]);
    let noted = [rules::START_MISALIGNED, rules::START_OFF_ASSUMED_GRID];
    let noted = noted.map(|rule| (rule, Severity::Note));
    assert_eq!(within(Kind::Filesystem, "iso9660"), noted);
}
