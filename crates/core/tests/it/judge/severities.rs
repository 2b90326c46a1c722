//! How bad a missed grid is, by tier, origin, kind and what lies there.

use ioalign_core::{
    Bytes, Confidence, GridClaim, GridKind, Kind, Layer, Map, Origin, Role, Severity, Stack, Tier,
    rules,
};

use super::starts::disk;
use super::{block, bottom, claim, judged, only, shift, start_findings};

#[test]
fn rule_and_severity_follow_from_tier_and_origin() {
    use Severity::{Broken, Misaligned, Note, Suboptimal};
    let from =
        |tier, kind, origin| claim(64 << 10, tier, kind).from(origin, "drawn", Confidence::Medium);
    let chunk = GridKind::RaidChunk;
    for (claim, role, expected) in [
        (
            from(Tier::Validity, chunk.clone(), Origin::OnDisk),
            Role::Data,
            (rules::START_INVALID, Broken),
        ),
        (
            from(Tier::Validity, chunk.clone(), Origin::OnDisk),
            Role::Swap,
            (rules::START_INVALID, Broken),
        ),
        (
            from(Tier::Rmw, chunk.clone(), Origin::Assumed),
            Role::Data,
            (rules::START_MISALIGNED, Misaligned),
        ),
        (
            from(Tier::Rmw, chunk.clone(), Origin::Reported),
            Role::Swap,
            (rules::START_MISALIGNED, Suboptimal),
        ),
        (
            from(Tier::Preference, chunk.clone(), Origin::Assumed),
            Role::Data,
            (rules::START_OFF_ASSUMED_GRID, Note),
        ),
        (
            from(Tier::Preference, chunk.clone(), Origin::OnDisk),
            Role::Data,
            (rules::START_SUBOPTIMAL, Suboptimal),
        ),
        (
            from(Tier::Preference, chunk, Origin::OnDisk),
            Role::Swap,
            (rules::START_OFF_CONVENIENT_GRID, Note),
        ),
        (
            from(Tier::Preference, GridKind::FullStripe, Origin::OnDisk),
            Role::Data,
            (rules::START_OFF_CONVENIENT_GRID, Note),
        ),
        (
            from(Tier::Preference, GridKind::FullStripe, Origin::Declared),
            Role::Data,
            (rules::START_SUBOPTIMAL, Suboptimal),
        ),
        (
            from(Tier::Preference, GridKind::OptimalIo, Origin::Reported),
            Role::Data,
            (rules::START_OFF_CONVENIENT_GRID, Note),
        ),
    ] {
        let (stack, _) = disk(std::slice::from_ref(&claim), 63, role);
        assert_eq!(start_findings(&stack), [expected], "{claim:?} {role:?}");
        let finding = only(&stack, expected.0);
        // A note asks for nothing to be done.
        assert_eq!(finding.steps.is_empty(), finding.severity == Note);
        assert_eq!(finding.fixable_in_place.is_none(), finding.severity == Note);
    }
    let (mut stack, partition) = disk(&[block()], 63, Role::Data);
    let swap = stack.push(Layer::new(Kind::Swap, "swap").on(partition, shift(0)));
    let missed = judged(&stack).missed;
    let found: Vec<_> = missed.iter().map(|one| (one.layer, one.severity)).collect();
    assert_eq!(found, [(partition, Misaligned), (swap, Suboptimal)]);
}

#[test]
fn what_no_start_could_help_is_a_note() {
    let noted = |with: &dyn Fn(&mut Layer), above: Option<Layer>| {
        let (mut stack, partition) = disk(&[block()], 63, Role::Data);
        with(stack.layer_mut(partition));
        if let Some(layer) = above {
            stack.push(layer.on(partition, shift(2049)));
        }
        let missed = judged(&stack).missed;
        missed.last().map(|one| one.severity)
    };
    let sized = |bytes: u64| move |layer: &mut Layer| layer.size = Some(Bytes::new(bytes));
    // A placeholder smaller than a block cannot fill one.
    assert_eq!(noted(&sized(2048), None), Some(Severity::Note));
    assert_eq!(noted(&sized(4096), None), Some(Severity::Misaligned));
    let volume = |layer: &mut Layer| {
        layer.kind = Kind::LvmLv;
        layer.size = Some(Bytes::new(2048));
    };
    assert_eq!(noted(&volume, None), Some(Severity::Misaligned));
    // Clusters of FAT, if smaller than a block, and a disc that is read only.
    let filesystem = |name: &str, block: u64, kind| {
        let mut layer = Layer::new(kind, name);
        layer.block = Some(Bytes::new(block));
        layer.size = Some(Bytes::new(1 << 20));
        layer
    };
    let at_2048 = |above: Layer| {
        let (mut stack, partition) = disk(&[block()], 2048, Role::Data);
        stack.push(above.on(partition, shift(1)));
        judged(&stack).missed.last().map(|one| one.severity)
    };
    let of = |name, block| at_2048(filesystem(name, block, Kind::Filesystem));
    assert_eq!(of("fat32", 512), Some(Severity::Note));
    assert_eq!(of("fat32", 4096), Some(Severity::Misaligned));
    assert_eq!(of("ext4", 1024), Some(Severity::Misaligned));
    assert_eq!(of("iso9660", 2048), Some(Severity::Note));
    assert_eq!(
        at_2048(filesystem("fat32", 512, Kind::File)),
        Some(Severity::Misaligned)
    );
    // A FAT that is off because its partition is could be moved onto the blocks.
    let above = filesystem("fat32", 512, Kind::Filesystem);
    let (mut stack, partition) = disk(&[block()], 63, Role::Data);
    stack.push(above.clone().on(partition, shift(0)));
    let severity = |stack: &Stack| judged(stack).missed.last().map(|one| one.severity);
    assert_eq!(severity(&stack), Some(Severity::Misaligned));
    // Other tiers ask nothing of this.
    let validity = claim(4096, Tier::Validity, GridKind::LogicalSector);
    let (mut stack, partition) = disk(&[validity], 2048, Role::Data);
    stack.push(above.on(partition, shift(1)));
    assert_eq!(severity(&stack), Some(Severity::Broken));
}

#[test]
fn thin_volumes_off_the_stripe_are_their_pools_matter() {
    let stripe = |tier| claim(192 << 10, tier, GridKind::RaidChunk);
    let volume = |claim: GridClaim, kind, map: Map| {
        let mut stack = Stack::new();
        let array = bottom(&mut stack, Kind::Md, "md0", &[claim]);
        let pool = stack.push(
            Layer::new(kind, "pool")
                .sized(Bytes::new(1 << 29))
                .on(array, shift(0)),
        );
        stack.push(
            Layer::new(Kind::LvmLv, "thin")
                .sized(Bytes::new(1 << 28))
                .on(pool, map),
        );
        start_findings(&stack).len()
    };
    let scattered = Map::Scattered {
        start: Bytes::ZERO,
        granule: Bytes::new(65536),
    };
    assert_eq!(
        volume(stripe(Tier::Preference), Kind::ThinPool, scattered.clone()),
        0
    );
    assert_eq!(
        volume(stripe(Tier::Rmw), Kind::ThinPool, scattered.clone()),
        1
    );
    assert_eq!(volume(stripe(Tier::Preference), Kind::Volume, scattered), 1);
    assert_eq!(
        volume(stripe(Tier::Preference), Kind::ThinPool, shift(128)),
        1
    );
}
