//! Starts that are known only roughly, or not at all.

use ioalign_core::{
    Bytes, Confidence, GridClaim, GridKind, Kind, Layer, LayerId, Map, Origin, Role, Severity,
    Stack, Tier, rules,
};

use super::{KIB, MIB, SECTOR, block, bottom, by_rule, claim, is_silent, only, shift};

/// A partition at a mebibyte or up to `more` sectors further on.
fn within(claims: &[GridClaim], more: u64) -> Stack {
    let mut stack = Stack::new();
    let disk = bottom(&mut stack, Kind::Disk, "sda", claims);
    let map = Map::Within {
        low: Bytes::new(MIB),
        high: Bytes::new(MIB + more * SECTOR),
        step: Bytes::new(SECTOR),
    };
    stack.push(
        Layer::new(Kind::Partition, "sda1")
            .sized(Bytes::new(64 * MIB))
            .on(disk, map),
    );
    stack
}

fn sector() -> GridClaim {
    claim(SECTOR, Tier::Validity, GridKind::LogicalSector)
}

fn stripe(origin: Origin) -> GridClaim {
    claim(64 * KIB, Tier::Preference, GridKind::StripeUnit).from(origin, "said", Confidence::Medium)
}

#[test]
fn candidates_on_and_off_a_grid_say_nothing() {
    let stack = within(&[sector(), block()], 1);
    let finding = only(&stack, rules::START_NOT_EXACT);
    assert_eq!(
        (finding.severity, finding.layer),
        (Severity::Unknown, Some(LayerId(1)))
    );
    assert_eq!(
        finding.why,
        "The start of partition sda1 is printed rounded: it lies from byte 1048576 to 1049088, on and off the 4 KiB \
         grid (physical-block), so nothing can be said"
    );
    assert!(finding.steps[0].starts_with("print it in sectors"));
    assert!(is_silent(
        &within(&[sector(), block()], 0),
        rules::START_NOT_EXACT
    ));
}

#[test]
fn only_grids_that_matter_are_missed() {
    let rule = rules::START_NOT_EXACT;
    // An array that is reported does, one that is assumed does not.
    let found = by_rule(&within(&[stripe(Origin::Reported)], 1), rule);
    assert!(
        found[0].why.contains("on and off the 64 KiB grid"),
        "{}",
        found[0].why
    );
    let decided = claim(SECTOR, Tier::Rmw, GridKind::PhysicalBlock);
    assert!(is_silent(
        &within(&[decided.clone(), stripe(Origin::Assumed)], 1),
        rule
    ));
    let assumed = GridClaim {
        origin: Origin::Assumed,
        ..block()
    };
    assert_eq!(by_rule(&within(&[assumed], 1), rule).len(), 1);
    let mut stack = within(&[decided, block()], 1);
    stack.grids[1].distrust = Some("odd".into());
    assert!(is_silent(&stack, rule));
    let mut stack = within(&[sector(), block()], 1);
    stack.layer_mut(LayerId(1)).role = Role::BiosBoot;
    assert!(is_silent(&stack, rule));
    // The start of what lies on it is its own.
    let mut stack = within(&[block()], 1);
    stack.push(Layer::new(Kind::Filesystem, "ext4").on(LayerId(1), shift(0)));
    assert_eq!(by_rule(&stack, rule).len(), 1);
}

#[test]
fn a_block_that_nothing_proves_decides_nothing() {
    let rule = rules::START_NOT_EXACT;
    assert!(is_silent(&within(&[sector()], 1), rule));
    let open = GridClaim {
        origin: Origin::Assumed,
        ..block()
    };
    let mut stack = within(&[sector(), open], 1);
    stack.grids[1].distrust = Some("the disk has no name".into());
    let finding = only(&stack, rule);
    assert_eq!(finding.severity, Severity::Unknown);
    assert!(
        finding.why.contains("the disk has no name"),
        "{}",
        finding.why
    );
    // A limit that is reported and not believed is no question.
    stack.grids[1].claim.origin = Origin::Reported;
    assert!(is_silent(&stack, rule));
}

#[test]
fn a_layer_whose_place_nobody_knows_is_not_judged() {
    let placed = |kind, why: &str, edges: usize| {
        let mut stack = Stack::new();
        let disk = bottom(&mut stack, Kind::Disk, "sda", &[block()]);
        let map = || Map::Opaque(why.into());
        let layer = (0..edges).fold(Layer::new(kind, "x"), |layer, _| layer.on(disk, map()));
        stack.push(layer);
        by_rule(&stack, rules::START_UNKNOWN)
    };
    let found = placed(Kind::Partition, "no start is printed", 1);
    assert_eq!(found.len(), 1);
    assert_eq!(
        (found[0].severity, found[0].layer),
        (Severity::Unknown, Some(LayerId(1)))
    );
    assert_eq!(
        found[0].why,
        "Partition x cannot be judged: no start is printed"
    );
    assert!(placed(Kind::Partition, "no start is printed", 2).is_empty());
    for kind in [Kind::LvmLv, Kind::Md, Kind::Crypt] {
        assert_eq!(placed(kind, "the text is missing", 2).len(), 1, "{kind:?}");
        assert!(placed(kind, "deduplication", 1).is_empty(), "{kind:?}");
    }
    assert!(placed(Kind::Volume, "the text is missing", 1).is_empty());
}
