//! The judge: what is off a grid, how bad that is, and what it asks of a start.

use ioalign_core::judge::StartDemands;
use ioalign_core::severity::verdict;
use ioalign_core::{
    Boundaries, Bytes, Confidence, GridClaim, GridKind, Kind, Layer, LayerId, Origin, Role,
    Severity, Stack, Tier,
};

use super::{SECTOR, block, claim, judged, shift};

/// A disk with these claims, and a partition on it.
pub(super) fn disk(claims: &[GridClaim], start: u64, role: Role) -> (Stack, LayerId) {
    let mut stack = Stack::new();
    let disk = stack.push(Layer::new(Kind::Disk, "sda").sized(Bytes::new(1 << 30)));
    stack
        .grids
        .extend(claims.iter().map(|claim| claim.clone().on(disk)));
    let mut partition = Layer::new(Kind::Partition, "sda1").on(disk, shift(start));
    partition.size = Some(Bytes::new(64 << 20));
    partition.role = role;
    let partition = stack.push(partition);
    (stack, partition)
}

#[test]
fn unknown_outranks_ok_and_a_note_but_no_defect() {
    use Severity::{Broken, Note, Ok, Suboptimal, Unknown};
    assert_eq!(verdict([]), Ok);
    assert_eq!(verdict([Note, Ok]), Ok);
    assert_eq!(verdict([Unknown]), Unknown);
    assert_eq!(verdict([Note, Unknown, Ok]), Unknown);
    assert_eq!(verdict([Unknown, Suboptimal]), Suboptimal);
    assert_eq!(verdict([Broken, Unknown]), Broken);
}

#[test]
fn an_empty_disk_is_unknown_and_never_ok() {
    let mut stack = Stack::new();
    stack.push(Layer::new(Kind::Disk, "sda").sized(Bytes::new(1 << 30)));
    assert_eq!(judged(&stack).verdict, Severity::Unknown);
}

#[test]
fn starts_in_an_array_make_up_for_where_the_array_begins() {
    let (mut stack, lower) = disk(&[block()], 63, Role::Data);
    let array = stack.push(Layer::new(Kind::Md, "md0").on(lower, shift(0)));
    let upper = stack.push(Layer::new(Kind::Partition, "md0p1").on(array, shift(8)));
    // 63 sectors and one more are whole blocks; 63 and 7 are not.
    let asked = StartDemands::of(&stack).on(array, Some(upper));
    assert_eq!(
        asked,
        Boundaries {
            period: 4096,
            phase: 512
        }
    );
    assert!(asked.holds(9 * SECTOR) && !asked.holds(15 * SECTOR));
}

#[test]
fn data_ahead_in_a_partition_are_made_up_for() {
    let (mut stack, partition) = disk(&[block()], 2048, Role::Data);
    stack.push(Layer::new(Kind::LvmPv, "pv").on(partition, shift(3)));
    let judgement = judged(&stack);
    let finding = &judgement.findings[0];
    assert_eq!(finding.rule, "start-misaligned");
    let asked = StartDemands::of(&stack).on(LayerId(0), Some(partition));
    assert_eq!(
        asked,
        Boundaries {
            period: 4096,
            phase: 5 * SECTOR
        }
    );
}

#[test]
fn the_surest_claim_decides_where_a_start_is_good() {
    let jumper = GridClaim {
        phase: Bytes::new(7 * SECTOR),
        ..block().from(Origin::Declared, "--grid 4096@3584", Confidence::High)
    };
    let guess = block().from(Origin::Assumed, "assumed", Confidence::Medium);
    for claims in [[jumper.clone(), guess.clone()], [guess, jumper]] {
        let (stack, partition) = disk(&claims, 2048, Role::Data);
        let judgement = judged(&stack);
        let finding = &judgement.findings[0];
        assert_eq!(finding.suggest.start, Some(Bytes::new(2055 * SECTOR)));
        let demands = StartDemands::of(&stack);
        assert!(demands.on(LayerId(0), Some(partition)).holds(2055 * SECTOR));
        // There the other claim is off, and no start is named for what cannot be had.
        let (stack, _) = disk(&claims, 2055, Role::Data);
        let judgement = judged(&stack);
        assert_eq!(judgement.findings[0].suggest.start, None);
    }
}

/// All that decides how bad a missed grid is.
fn claims() -> impl Iterator<Item = GridClaim> {
    let tiers = [Tier::Validity, Tier::Rmw, Tier::Preference];
    let kinds = [
        GridKind::PhysicalBlock,
        GridKind::FullStripe,
        GridKind::OptimalIo,
        GridKind::RaidChunk,
    ];
    let origins = [Origin::Assumed, Origin::Declared, Origin::Reported];
    tiers.into_iter().flat_map(move |tier| {
        let kinds = kinds.clone();
        kinds.into_iter().flat_map(move |kind| {
            origins.map(|origin| {
                claim(64 << 10, tier, kind.clone()).from(origin, "drawn", Confidence::Medium)
            })
        })
    })
}

#[test]
fn what_is_merely_noted_asks_for_no_other_start() {
    let mut noted = 0;
    for claim in claims() {
        for role in [Role::Data, Role::Swap] {
            let (stack, partition) = disk(std::slice::from_ref(&claim), 63, role);
            let judgement = judged(&stack);
            let [missed] = judgement.missed.as_slice() else {
                panic!("{claim:?}: {:?}", judgement.missed);
            };
            let finding = judgement.findings.iter().find(|one| one.grid == Some(0));
            assert_eq!(finding.map(|one| one.severity), Some(missed.severity));
            assert_eq!((missed.layer, missed.guilty), (partition, partition));
            let asked = StartDemands::of(&stack).on(LayerId(0), Some(partition));
            let is_asked = !asked.holds(63 * SECTOR);
            assert_eq!(is_asked, missed.severity > Severity::Note, "{claim:?}");
            noted += u32::from(!is_asked);
        }
    }
    assert!(noted > 0);
}

#[test]
fn a_partition_that_is_repaired_above_is_a_note() {
    let (mut stack, partition) = disk(&[block()], 63, Role::Data);
    stack.push(Layer::new(Kind::LvmPv, "pv").on(partition, shift(2113)));
    let judgement = judged(&stack);
    assert_eq!(judgement.verdict, Severity::Ok);
    let missed: Vec<_> = judgement
        .missed
        .iter()
        .map(|one| (one.layer, one.severity))
        .collect();
    assert_eq!(missed, [(partition, Severity::Note)]);
}

/// A volume is off 4 KiB by its own start and off 64 KiB by that of its partition: each finding names its grids only.
#[test]
fn what_another_layer_puts_off_is_not_named_again() {
    let chunk = claim(64 << 10, Tier::Preference, GridKind::RaidChunk);
    let (mut stack, partition) = disk(&[block(), chunk], 64, Role::Data);
    let volume = stack.push(Layer::new(Kind::LvmPv, "pv").on(partition, shift(1)));
    let findings = judged(&stack).findings;
    let of = |guilty| {
        let mut all = findings.iter().filter(|one| one.guilty == Some(guilty));
        all.find(|one| one.rule.starts_with("start-")).unwrap()
    };
    for layer in [partition, volume] {
        let why = &of(layer).why;
        assert!(!why.contains("also off"), "{why}");
    }
}
