//! The RAID geometry that a file system believes in.

use ioalign_core::layer::RaidGeometry;
use ioalign_core::{
    ArrayLevel, Bytes, GridKind, Kind, Layer, LayerId, Remark, Severity, Stack, Tier, rules,
};

use super::{KIB, bottom, claim, is_silent, only, shift};

/// An array of this level with chunks of 64 KiB and three data disks.
fn array(stack: &mut Stack, level: &str) -> LayerId {
    let claims = [
        claim(64 * KIB, Tier::Preference, GridKind::RaidChunk),
        claim(192 * KIB, Tier::Preference, GridKind::FullStripe),
    ];
    let id = bottom(stack, Kind::Md, "md0", &claims);
    stack.layer_mut(id).level = Some(ArrayLevel::new(level));
    id
}

fn filesystem(name: &str, geometry: Option<(u64, u64)>) -> Layer {
    let mut layer = Layer::new(Kind::Filesystem, name);
    layer.geometry = geometry.map(|(unit, width)| RaidGeometry {
        unit: Bytes::new(unit),
        width: Bytes::new(width),
    });
    layer
}

fn on_array(level: &str, layer: Layer) -> Stack {
    let mut stack = Stack::new();
    let array = array(&mut stack, level);
    stack.push(layer.on(array, shift(0)));
    stack
}

#[test]
fn a_file_system_without_geometry_costs_on_parity_and_is_a_note_elsewhere() {
    let stack = on_array("raid5", filesystem("xfs", None));
    let finding = only(&stack, rules::FS_GEOMETRY_MISSING);
    assert_eq!(finding.severity, Severity::Suboptimal);
    assert_eq!(finding.unit, Some(Bytes::new(192 * KIB)));
    assert_eq!(finding.fixable_in_place, Some(true));
    assert_eq!(
        finding.why,
        "File system xfs on md0 was made without RAID geometry, the array below has 64 KiB chunks and a full \
         stripe of 192 KiB: large files are not laid out in full stripes"
    );
    assert_eq!(
        finding.steps[0],
        "mount with sunit=128,swidth=384 (512-byte units)"
    );
    let stack = on_array("raid0", filesystem("ext4", None));
    let finding = only(&stack, rules::FS_GEOMETRY_MISSING);
    assert_eq!(finding.severity, Severity::Note);
    assert!(finding.why.ends_with("a full stripe of 192 KiB"));
    // Zero is no geometry either.
    let stack = on_array("raid6", filesystem("ext4", Some((0, 0))));
    let finding = only(&stack, rules::FS_GEOMETRY_MISSING);
    assert_eq!(finding.severity, Severity::Suboptimal);
}

#[test]
fn strides_are_counted_in_blocks() {
    for (block, stride, width) in [(None, 16, 48), (Some(1024), 64, 192), (Some(8192), 8, 24)] {
        let mut layer = filesystem("ext4", None);
        layer.block = block.map(Bytes::new);
        let finding = only(&on_array("raid5", layer), rules::FS_GEOMETRY_MISSING);
        let step = format!("tune2fs -E stride={stride},stripe_width={width} DEVICE");
        assert_eq!(finding.steps, [step]);
    }
}

#[test]
fn a_geometry_that_fits_is_not_mentioned() {
    for fits in [
        (64 * KIB, 192 * KIB),
        (64 * KIB, 0),
        (128 * KIB, 192 * KIB),
        (0, 192 * KIB),
    ] {
        let stack = on_array("raid5", filesystem("ext4", Some(fits)));
        assert!(is_silent(&stack, rules::FS_GEOMETRY_MISMATCH), "{fits:?}");
        assert!(is_silent(&stack, rules::FS_GEOMETRY_MISSING), "{fits:?}");
    }
}

#[test]
fn a_geometry_of_another_array_is_a_mismatch() {
    for wrong in [
        (32 * KIB, 192 * KIB),
        (64 * KIB, 256 * KIB),
        (32 * KIB, 0),
        (0, 256 * KIB),
        (96 * KIB, 384 * KIB),
    ] {
        // Also of a file system that takes no geometry by itself.
        for name in ["ext4", "xfs", "btrfs"] {
            let stack = on_array("raid0", filesystem(name, Some(wrong)));
            let finding = only(&stack, rules::FS_GEOMETRY_MISMATCH);
            assert_eq!(finding.severity, Severity::Suboptimal);
            assert_eq!(finding.unit, Some(Bytes::new(192 * KIB)));
            assert_eq!(finding.fixable_in_place, Some(true));
            assert!(!finding.steps.is_empty());
            let (unit, width) = (Bytes::new(wrong.0), Bytes::new(wrong.1));
            let believes = format!(
                "File system {name} on md0 believes in a stripe unit of {unit} and a width of {width}, the array \
                 below has 64 KiB and 192 KiB"
            );
            assert!(finding.why.starts_with(&believes), "{}", finding.why);
            assert!(is_silent(&stack, rules::FS_GEOMETRY_MISSING));
        }
    }
}

#[test]
fn only_file_systems_that_place_by_stripe_lack_a_geometry() {
    for name in ["btrfs", "ntfs", "fat32"] {
        let stack = on_array("raid5", filesystem(name, None));
        assert!(is_silent(&stack, rules::FS_GEOMETRY_MISSING), "{name}");
    }
}

#[test]
fn an_impossible_geometry_is_said_once() {
    let bogus = Remark::note(rules::XFS_GEOMETRY_BOGUS, "so");
    for geometry in [None, Some((32 * KIB, 32 * KIB))] {
        let mut layer = filesystem("xfs", geometry);
        layer.remarks.push(bogus.clone());
        let stack = on_array("raid5", layer);
        assert!(is_silent(&stack, rules::FS_GEOMETRY_MISMATCH));
        assert!(is_silent(&stack, rules::FS_GEOMETRY_MISSING));
    }
}

#[test]
fn the_nearest_array_counts_and_both_numbers_are_of_one() {
    let mut stack = Stack::new();
    let lower = array(&mut stack, "raid5");
    let upper = stack.push(
        Layer::new(Kind::Md, "md1")
            .sized(Bytes::new(1 << 30))
            .on(lower, shift(0)),
    );
    let stripe = claim(512 * KIB, Tier::Preference, GridKind::FullStripe);
    stack.grids.push(stripe.on(upper));
    let believed = filesystem("xfs", Some((128 * KIB, 512 * KIB)));
    let top = stack.push(believed.on(upper, shift(0)));
    // The stripe of one array and the chunk of another are no geometry.
    assert!(is_silent(&stack, rules::FS_GEOMETRY_MISMATCH));
    let geometry = stack.layer_mut(top).geometry.take();
    assert!(is_silent(&stack, rules::FS_GEOMETRY_MISSING));
    stack.layer_mut(top).geometry = geometry;
    let chunk = claim(128 * KIB, Tier::Preference, GridKind::RaidChunk);
    stack.grids.push(chunk.on(upper));
    assert!(is_silent(&stack, rules::FS_GEOMETRY_MISMATCH));
    stack.layer_mut(top).geometry = Some(RaidGeometry {
        unit: Bytes::new(64 * KIB),
        width: Bytes::new(192 * KIB),
    });
    let finding = only(&stack, rules::FS_GEOMETRY_MISMATCH);
    assert!(finding.why.contains("has 128 KiB and 512 KiB"));
}
