//! Granules of volume managers against the stripe.

use ioalign_core::{
    ArrayLevel, Bytes, GridClaim, GridKind, Kind, Layer, LayerId, Origin, Runs, Severity, Stack,
    Tier, rules,
};
use ioalign_core::{Confidence, Map};

use super::{KIB, MIB, bottom, by_rule, claim, is_silent, only, shift};

fn stripe(size: u64, kind: GridKind) -> GridClaim {
    claim(size, Tier::Preference, kind)
}

/// What has a granule, on an array of RAID 5 with these claims.
fn granules(kind: Kind, granule: u64, claims: &[GridClaim]) -> (Stack, LayerId) {
    let mut stack = Stack::new();
    let array = bottom(&mut stack, Kind::Md, "md0", claims);
    stack.layer_mut(array).level = Some(ArrayLevel::new("raid5"));
    let mut layer = Layer::new(kind, "vg")
        .sized(Bytes::new(1 << 29))
        .on(array, shift(0));
    layer.block = Some(Bytes::new(granule));
    let id = stack.push(layer);
    (stack, id)
}

fn full_stripe() -> GridClaim {
    stripe(192 * KIB, GridKind::FullStripe).from(Origin::OnDisk, "md", Confidence::Medium)
}

#[test]
fn chunks_that_are_no_whole_stripes_are_suboptimal() {
    let (stack, pool) = granules(Kind::ThinPool, 256 * KIB, &[full_stripe()]);
    let finding = only(&stack, rules::THIN_CHUNK_NOT_STRIPE_MULTIPLE);
    assert_eq!(finding.severity, Severity::Suboptimal);
    assert_eq!(finding.layer, Some(pool));
    assert_eq!(finding.unit, Some(Bytes::new(192 * KIB)));
    assert_eq!(finding.offset, Some(Bytes::new(64 * KIB)));
    assert_eq!(finding.confidence, Confidence::Medium);
    assert_eq!(finding.fixable_in_place, Some(false));
    assert!(
        finding.steps[0].ends_with("--chunksize 192k"),
        "{:?}",
        finding.steps
    );
    assert!(
        finding
            .why
            .starts_with("Thin pool vg allocates chunks of 256 KiB")
    );
    let (stack, _) = granules(Kind::ThinPool, 384 * KIB, &[full_stripe()]);
    assert!(is_silent(&stack, rules::THIN_CHUNK_NOT_STRIPE_MULTIPLE));
}

#[test]
fn chunks_above_2_mib_are_noted() {
    let (stack, _) = granules(Kind::ThinPool, 2 * MIB, &[]);
    assert!(is_silent(&stack, rules::THIN_CHUNK_LARGE));
    let (stack, pool) = granules(Kind::ThinPool, 2 * MIB + 64 * KIB, &[]);
    let finding = only(&stack, rules::THIN_CHUNK_LARGE);
    assert_eq!(
        (finding.severity, finding.layer),
        (Severity::Note, Some(pool))
    );
    let (stack, _) = granules(Kind::LvmPv, 4 * MIB, &[]);
    assert!(is_silent(&stack, rules::THIN_CHUNK_LARGE));
}

#[test]
fn only_a_stripe_that_costs_something_counts() {
    let rule = rules::THIN_CHUNK_NOT_STRIPE_MULTIPLE;
    // An optimal I/O size is a stripe beside a stripe unit only.
    let optimal =
        stripe(192 * KIB, GridKind::OptimalIo).from(Origin::Reported, "sysfs", Confidence::Medium);
    let unit = stripe(64 * KIB, GridKind::StripeUnit);
    let (stack, _) = granules(Kind::ThinPool, 256 * KIB, std::slice::from_ref(&optimal));
    assert!(is_silent(&stack, rule));
    let (stack, _) = granules(Kind::ThinPool, 256 * KIB, &[optimal, unit.clone()]);
    assert_eq!(only(&stack, rule).unit, Some(Bytes::new(192 * KIB)));
    // A stripe unit alone is no stripe, and a stripe without parity costs little.
    let (stack, _) = granules(Kind::ThinPool, 96 * KIB, &[unit]);
    assert!(is_silent(&stack, rule));
    let (mut stack, _) = granules(Kind::ThinPool, 256 * KIB, &[full_stripe()]);
    stack.layer_mut(LayerId(0)).level = Some(ArrayLevel::new("raid0"));
    assert!(is_silent(&stack, rule));
}

#[test]
fn the_nearest_stripe_counts() {
    let mut stack = Stack::new();
    let parity = Some(ArrayLevel::new("raid5"));
    let lower = bottom(
        &mut stack,
        Kind::Md,
        "md0",
        &[stripe(320 * KIB, GridKind::FullStripe)],
    );
    let upper = stack.push(
        Layer::new(Kind::Md, "md1")
            .sized(Bytes::new(1 << 30))
            .on(lower, shift(0)),
    );
    stack.grids.push(full_stripe().on(upper));
    for array in [lower, upper] {
        stack.layer_mut(array).level.clone_from(&parity);
    }
    let mut pool = Layer::new(Kind::ThinPool, "pool")
        .sized(Bytes::new(1 << 29))
        .on(upper, shift(0));
    pool.block = Some(Bytes::new(384 * KIB));
    stack.push(pool);
    assert!(is_silent(&stack, rules::THIN_CHUNK_NOT_STRIPE_MULTIPLE));
}

#[test]
fn extents_that_are_no_whole_stripes_are_noted() {
    let (stack, pv) = granules(Kind::LvmPv, 4 * MIB, &[full_stripe()]);
    let finding = only(&stack, rules::EXTENT_NOT_STRIPE_MULTIPLE);
    assert_eq!(
        (finding.severity, finding.layer),
        (Severity::Note, Some(pv))
    );
    assert_eq!(finding.unit, Some(Bytes::new(192 * KIB)));
    assert_eq!(finding.offset, Some(Bytes::new(4 * MIB % (192 * KIB))));
    assert_eq!(finding.fixable_in_place, Some(false));
    assert!(finding.why.starts_with("Extents of vg are 4 MiB"));
    let (stack, _) = granules(Kind::LvmPv, 3 * MIB, &[full_stripe()]);
    assert!(is_silent(&stack, rules::EXTENT_NOT_STRIPE_MULTIPLE));
}

#[test]
fn volumes_off_the_stripe_say_it_for_their_extents() {
    let rule = rules::EXTENT_NOT_STRIPE_MULTIPLE;
    let volume = |at: u64| {
        let (mut stack, pv) = granules(Kind::LvmPv, 4 * MIB, &[full_stripe()]);
        let mut runs = Runs::new();
        runs.push(0, at, 4 * MIB);
        stack.push(
            Layer::new(Kind::LvmLv, "vg/lv")
                .sized(Bytes::new(4 * MIB))
                .on(pv, Map::Linear(runs)),
        );
        stack
    };
    let off = volume(4 * MIB);
    assert_eq!(by_rule(&off, rules::START_SUBOPTIMAL).len(), 1);
    assert!(is_silent(&off, rule));
    // On the stripe it says nothing, and a partition off the stripe speaks of itself.
    assert_eq!(by_rule(&volume(0), rule).len(), 1);
    let (mut stack, _) = granules(Kind::LvmPv, 4 * MIB, &[full_stripe()]);
    let beside = Layer::new(Kind::Partition, "md0p1")
        .sized(Bytes::new(MIB))
        .on(LayerId(0), shift(8));
    stack.push(beside);
    assert_eq!(by_rule(&stack, rules::START_SUBOPTIMAL).len(), 1);
    assert_eq!(by_rule(&stack, rule).len(), 1);
}
