//! Limits of devices that are not believed.

use ioalign_core::{
    Bytes, Finding, GridKind, Kind, LayerId, Origin, Remark, Severity, Stack, Tier, rules,
};

use super::{KIB, bottom, by_rule, claim};

/// A disk with grids that are not believed.
fn distrusted(grids: &[(GridKind, u64)]) -> Stack {
    let mut stack = Stack::new();
    let disk = bottom(&mut stack, Kind::Disk, "sda", &[]);
    for (kind, size) in grids {
        let claim = claim(*size, Tier::Preference, kind.clone());
        let grid = claim.on(disk).distrusted("it is odd");
        stack.grids.push(grid);
    }
    stack
}

fn found(stack: &Stack) -> Vec<Finding> {
    by_rule(stack, rules::BOGUS_HINT)
}

#[test]
fn a_limit_that_is_not_believed_is_shown() {
    for (kind, size, words, step) in [
        (
            GridKind::OptimalIo,
            33_553_920,
            "an optimal I/O size of 33553920 B",
            Some("-a none"),
        ),
        (
            GridKind::StripeUnit,
            384,
            "a minimum I/O size of 384 B",
            Some("noalign"),
        ),
        (
            GridKind::PhysicalBlock,
            16384,
            "a physical block of 16384 B",
            Some("ashift"),
        ),
        (
            GridKind::VolumeBlock,
            4096,
            "a volume block of 4096 B",
            None,
        ),
    ] {
        let stack = distrusted(&[(kind, size)]);
        let found = found(&stack);
        let [finding] = found.as_slice() else {
            panic!("{found:?}");
        };
        assert_eq!(finding.severity, Severity::Note);
        assert_eq!(
            (finding.layer, finding.grid, finding.unit),
            (Some(LayerId(0)), Some(0), Some(Bytes::new(size)))
        );
        let start = format!("Disk sda reports {words} (");
        assert!(finding.why.starts_with(&start), "{}", finding.why);
        assert!(finding.why.ends_with("which is not believed: it is odd"));
        match step {
            Some(word) => assert!(finding.steps[0].contains(word)),
            None => assert!(finding.steps.is_empty()),
        }
    }
}

#[test]
fn what_is_believed_is_not_mentioned() {
    let mut stack = Stack::new();
    bottom(
        &mut stack,
        Kind::Disk,
        "sda",
        &[claim(64 * KIB, Tier::Preference, GridKind::OptimalIo)],
    );
    assert!(found(&stack).is_empty());
}

/// What nobody reports and nothing proves is no limit that the device lies about.
#[test]
fn an_assumed_unit_is_no_hint() {
    let mut stack = distrusted(&[(GridKind::PhysicalBlock, 4096)]);
    assert_eq!(found(&stack).len(), 1);
    stack.grids[0].claim.origin = Origin::Assumed;
    assert!(found(&stack).is_empty());
}

#[test]
fn a_stripe_unit_above_its_width_is_said_once_at_the_width() {
    let (optimal, unit) = (GridKind::OptimalIo, GridKind::StripeUnit);
    for order in [
        [(optimal.clone(), 65536), (unit.clone(), 131_072)],
        [(unit.clone(), 131_072), (optimal.clone(), 65536)],
    ] {
        let stack = distrusted(&order);
        let found = found(&stack);
        assert_eq!(found.len(), 1);
        let width = order.iter().position(|(kind, _)| *kind == optimal);
        assert_eq!(found[0].grid, width);
        assert!(found[0].why.ends_with("and that is not believed either"));
    }
    // Equal ones, or a unit below the width, are two facts.
    for size in [65536, 4096] {
        let stack = distrusted(&[(optimal.clone(), 65536), (unit.clone(), size)]);
        let found = found(&stack);
        assert_eq!(found.len(), 2);
        assert!(found.iter().all(|one| one.why.ends_with("it is odd")));
    }
}

#[test]
fn the_other_half_of_a_pair_is_of_the_same_disk_and_not_believed() {
    let mut stack = distrusted(&[(GridKind::OptimalIo, 65536)]);
    let unit = claim(131_072, Tier::Preference, GridKind::StripeUnit);
    stack.grids.push(unit.clone().on(LayerId(0)));
    let other = bottom(&mut stack, Kind::Disk, "sdb", &[]);
    stack.grids.push(unit.on(other).distrusted("it is odd"));
    let found = found(&stack);
    assert_eq!(found.len(), 2);
    assert!(found.iter().all(|one| one.why.ends_with("it is odd")));
}

#[test]
fn a_stack_that_the_kernel_calls_misaligned_has_one_cause() {
    let mut stack = distrusted(&[(GridKind::OptimalIo, 33_553_920)]);
    let said = Remark::note(rules::KERNEL_MISALIGNED_STACK, "so");
    stack.layer_mut(LayerId(0)).remarks.push(said);
    assert!(found(&stack).is_empty());
}
