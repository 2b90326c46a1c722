//! Starts off a unit that nothing proves.

use ioalign_core::{Bytes, Kind, Layer, Origin, Role, Severity, rules};

use super::starts::disk;
use super::{block, is_silent, only, shift};

#[test]
fn data_off_a_unit_that_nothing_proves_are_an_open_question() {
    let at = |start, origin| {
        let (mut stack, partition) = disk(&[block()], start, Role::Data);
        stack.grids[0].claim.origin = origin;
        stack.grids[0].distrust = Some("its model is not known".into());
        stack.push(Layer::new(Kind::Filesystem, "ext4").on(partition, shift(0)));
        stack
    };
    let rule = rules::BLOCK_SIZE_UNPROVEN;
    let finding = only(&at(63, Origin::Assumed), rule);
    assert_eq!(finding.severity, Severity::Unknown);
    assert_eq!(
        (finding.grid, finding.unit, finding.offset),
        (Some(0), Some(Bytes::new(4096)), Some(Bytes::new(3584)))
    );
    assert!(
        finding.why.ends_with(
            "which is right for blocks of 512 B and wrong for blocks of 4 KiB: its model is not known"
        ),
        "{}",
        finding.why
    );
    assert!(is_silent(&at(64, Origin::Assumed), rule));
    assert!(
        is_silent(&at(63, Origin::Reported), rule),
        "a limit that is not believed"
    );
}
