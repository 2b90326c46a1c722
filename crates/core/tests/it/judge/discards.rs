//! Discards through the stack. The answers were written before the rule.

use ioalign_core::discard::DiscardLimits;
use ioalign_core::layer::detail::{Detail, DiskDetail, ImageDetail};
use ioalign_core::{
    ArrayLevel, Bytes, Confidence, Finding, GridKind, ImageFormat, Kind, Layer, LayerId, Map, Runs,
    Severity, Stack, Tier, rules,
};

use super::{KIB, MIB, bottom, by_rule, claim, is_silent, judged, only, shift};

const RULE: &str = rules::DISCARD_OFF_UNIT;

fn limits(granularity: u64, alignment: u64, max: u64) -> DiscardLimits {
    DiscardLimits {
        granularity,
        alignment,
        max: Some(max),
        keeps: false,
    }
}

/// A disk of 1 GiB that frees units of this size.
fn disk(stack: &mut Stack, granularity: u64) -> LayerId {
    let id = bottom(stack, Kind::Disk, "sda", &[]);
    stack.layer_mut(id).discard = Some(limits(granularity, 0, 1 << 30));
    id
}

fn over(stack: &mut Stack, kind: Kind, name: &str, below: LayerId, map: Map) -> LayerId {
    stack.push(
        Layer::new(kind, name)
            .sized(Bytes::new(1 << 28))
            .on(below, map),
    )
}

/// A file system with blocks of this size.
fn blocks(stack: &mut Stack, below: LayerId, block: u64) -> LayerId {
    let id = over(stack, Kind::Filesystem, "ext4", below, shift(0));
    stack.layer_mut(id).block = Some(Bytes::new(block));
    id
}

fn partition(stack: &mut Stack, below: LayerId, sector: u64) -> LayerId {
    over(stack, Kind::Partition, "sda1", below, shift(sector))
}

/// ext4 with blocks of 4 KiB on a partition at a sector of a disk that frees such units.
fn plain(granularity: u64, sector: u64) -> Stack {
    let mut stack = Stack::new();
    let disk = disk(&mut stack, granularity);
    let part = partition(&mut stack, disk, sector);
    blocks(&mut stack, part, 4 * KIB);
    stack
}

fn freed(finding: &Finding, size: u64) -> f64 {
    let sizes = &finding.discard.as_ref().unwrap().sizes;
    let row = sizes.iter().find(|row| row.discard.get() == size);
    row.unwrap().freed_ratio
}

#[test]
fn ordinary_hosts_hear_nothing() {
    for (granularity, sector) in [
        (512, 63),
        (512, 2048),
        (4 * KIB, 2048),
        (64 * KIB, 2048),
        (MIB, 2048),
        // Hyper-V and Azure: at 1 MiB, which is half a unit, with blocks that may begin on one.
        (2 * MIB, 2048),
        (0, 63),
    ] {
        let stack = plain(granularity, sector);
        let heard: Vec<_> = judged(&stack).findings;
        let heard = heard.iter().filter(|one| one.rule.starts_with("discard-"));
        assert_eq!(heard.count(), 0, "{granularity} {sector}");
    }
}

#[test]
fn a_device_without_discards_hears_nothing() {
    let mut stack = plain(64 * KIB, 63);
    assert_eq!(only(&stack, RULE).severity, Severity::Suboptimal);
    stack.layer_mut(LayerId(0)).discard = Some(limits(64 * KIB, 0, 0));
    assert!(is_silent(&stack, RULE));
    // dm-crypt without allow_discards, on the way.
    let mut stack = Stack::new();
    let disk = disk(&mut stack, 64 * KIB);
    let part = partition(&mut stack, disk, 63);
    let crypt = over(&mut stack, Kind::Crypt, "luks", part, shift(0));
    blocks(&mut stack, crypt, 4 * KIB);
    assert_eq!(only(&stack, RULE).guilty, Some(part));
    stack.layer_mut(crypt).discard = Some(limits(64 * KIB, 0, 0));
    assert!(is_silent(&stack, RULE));
}

/// The experiment `misaligned-discard`: 0, 75 and 93.8 % were freed of 64 KiB, 256 KiB and 1 MiB.
#[test]
fn sector_63_of_a_thin_disk_loses_what_the_lab_counted() {
    let mut stack = Stack::new();
    let disk = disk(&mut stack, 64 * KIB);
    let part = partition(&mut stack, disk, 63);
    let finding = only(&stack, RULE);
    assert_eq!(finding.severity, Severity::Suboptimal);
    assert_eq!((finding.layer, finding.guilty), (Some(part), Some(part)));
    assert_eq!(finding.unit, Some(Bytes::new(64 * KIB)));
    assert_eq!(finding.offset, Some(Bytes::new(32256)));
    assert_eq!(
        [64 * KIB, 256 * KIB, MIB].map(|size| freed(&finding, size)),
        [0.0, 0.75, 0.9375]
    );
    let loss = finding.discard.as_ref().unwrap();
    assert_eq!(loss.own_lost_ratio, 1.0);
    // No end on a boundary: two units less one block.
    assert_eq!(loss.most, Bytes::new(124 * KIB));
    assert_eq!(finding.suggest.start, Some(Bytes::new(MIB)));
    assert!(
        finding.why.starts_with(
            "Partition sda1 starts 32256 B past a boundary of the units of 64 KiB in which sda frees what is \
             discarded (sysfs discard_granularity): of each discard up to 124 KiB"
        ),
        "{}",
        finding.why
    );
}

#[test]
fn the_phase_of_the_disk_counts() {
    // SBC: boundaries at alignment, alignment + granularity, …
    let mut stack = plain(64 * KIB, 63);
    stack.layer_mut(LayerId(0)).discard = Some(limits(64 * KIB, 32256, 1 << 30));
    assert!(is_silent(&stack, RULE));
    let mut stack = plain(64 * KIB, 2048);
    stack.layer_mut(LayerId(0)).discard = Some(limits(64 * KIB, 32256, 1 << 30));
    let finding = only(&stack, RULE);
    assert_eq!(finding.offset, Some(Bytes::new(64 * KIB - 32256)));
}

/// The kernel's first boundary in the partition is believed before the disk's.
#[test]
fn the_kernels_own_alignment_is_the_truth() {
    let mut stack = plain(64 * KIB, 63);
    let within = 64 * KIB - 32256;
    stack.layer_mut(LayerId(1)).discard = Some(limits(64 * KIB, within, 1 << 30));
    assert_eq!(only(&stack, RULE).offset, Some(Bytes::new(32256)));
    stack.layer_mut(LayerId(1)).discard = Some(limits(64 * KIB, 0, 1 << 30));
    assert!(is_silent(&stack, RULE));
}

/// A volume on the whole disk repeats the alignment of its queue; only that of a partition says where it lies.
#[test]
fn the_alignment_of_a_volume_moves_no_boundary() {
    let mut stack = Stack::new();
    let disk = disk(&mut stack, 64 * KIB);
    let volume = over(&mut stack, Kind::LvmLv, "vg/a", disk, shift(63));
    stack.layer_mut(volume).discard = Some(limits(64 * KIB, 0, 1 << 30));
    blocks(&mut stack, volume, 4 * KIB);
    assert_eq!(only(&stack, RULE).offset, Some(Bytes::new(32256)));
}

#[test]
fn a_block_of_no_bytes_is_an_unknown_block() {
    let found = |block: Option<Bytes>| {
        let mut stack = plain(64 * KIB, 63);
        stack.layer_mut(LayerId(2)).block = block;
        only(&stack, RULE)
    };
    assert_eq!(found(Some(Bytes::ZERO)), found(None));
    assert_ne!(found(Some(Bytes::new(8 * KIB))), found(None));
}

#[test]
fn small_units_are_notes() {
    let stack = plain(4 * KIB, 63);
    let finding = only(&stack, RULE);
    assert_eq!(finding.severity, Severity::Note);
    assert_eq!(finding.discard.as_ref().unwrap().most, Bytes::new(4 * KIB));
    // The start is found off the blocks of the disk already.
    let mut stack = plain(4 * KIB, 63);
    stack.grids.push(super::block().on(LayerId(0)));
    assert!(!by_rule(&stack, rules::START_MISALIGNED).is_empty());
    assert!(is_silent(&stack, RULE));
}

/// Blocks of 4 KiB at 20 KiB may begin on 64 KiB: extents lose their ends as they do at 64 KiB.
#[test]
fn blocks_that_can_begin_on_a_unit_are_a_note() {
    let stack = plain(64 * KIB, 40);
    let finding = only(&stack, RULE);
    assert_eq!(finding.severity, Severity::Note);
    assert_eq!(
        finding.discard.as_ref().unwrap().most,
        Bytes::new(120 * KIB)
    );
}

/// A guest on a qcow2 image: the virtual disk lies in its file by clusters, a partition at sector 63 off them.
fn guest(sector: u64) -> (Stack, LayerId) {
    let mut stack = Stack::new();
    let file = bottom(&mut stack, Kind::Image, "x.qcow2", &[]);
    let mut runs = Runs::new();
    runs.push(0, 320 * KIB, MIB);
    let disk = over(
        &mut stack,
        Kind::Disk,
        "virtual disk",
        file,
        Map::Linear(runs),
    );
    stack.layer_mut(disk).detail = Detail::Image(ImageDetail {
        cluster: Some(Bytes::new(64 * KIB)),
        ..ImageDetail::of_format(ImageFormat::Qcow2)
    });
    let part = partition(&mut stack, disk, sector);
    blocks(&mut stack, part, 4 * KIB);
    (stack, file)
}

#[test]
fn a_guest_off_the_clusters_of_qcow2_loses_space() {
    let (stack, _) = guest(63);
    let finding = only(&stack, RULE);
    assert_eq!(finding.severity, Severity::Suboptimal);
    assert_eq!(finding.confidence, Confidence::High);
    assert!(finding.why.contains("qcow2 cluster"), "{}", finding.why);
    assert!(is_silent(&guest(2048).0, RULE));
    // No other format is known to free clusters.
    let (mut stack, _) = guest(63);
    stack.layer_mut(LayerId(1)).detail = Detail::Image(ImageDetail {
        cluster: Some(Bytes::new(64 * KIB)),
        ..ImageDetail::of_format(ImageFormat::Vmdk)
    });
    assert!(is_silent(&stack, RULE));
}

#[test]
fn clusters_smaller_than_the_blocks_of_the_host_are_noted() {
    let (mut stack, file) = guest(2048);
    let host = claim(128 * KIB, Tier::Rmw, GridKind::HostBlock).on(file);
    stack.grids.push(host);
    let finding = only(&stack, rules::DISCARD_NOT_WHOLE_UNITS);
    assert_eq!(finding.severity, Severity::Note);
    assert_eq!(finding.layer, Some(LayerId(1)));
    assert_eq!(finding.discard.as_ref().unwrap().own_lost_ratio, 1.0);
}

/// A thin pool at `start` of a disk, and ext4 on a thin volume of it.
fn pool(granularity: u64, start: u64, chunk: u64) -> (Stack, LayerId) {
    let mut stack = Stack::new();
    let disk = disk(&mut stack, granularity);
    let pool = over(&mut stack, Kind::ThinPool, "vg/pool", disk, shift(start));
    stack.layer_mut(pool).block = Some(Bytes::new(chunk));
    stack.layer_mut(pool).role = ioalign_core::Role::Reserved;
    let map = Map::Scattered {
        start: Bytes::ZERO,
        granule: Bytes::new(chunk),
    };
    let volume = over(&mut stack, Kind::LvmLv, "vg/thin", pool, map);
    blocks(&mut stack, volume, 4 * KIB);
    (stack, pool)
}

#[test]
fn small_blocks_on_thin_chunks_are_usual() {
    let (stack, _) = pool(512, 2048, 64 * KIB);
    assert!(is_silent(&stack, RULE));
    assert!(is_silent(&stack, rules::DISCARD_NOT_WHOLE_UNITS));
}

/// Each chunk covers two halves of units: what is freed chunk by chunk is never freed below.
#[test]
fn chunks_off_the_units_below_are_never_freed() {
    let (stack, id) = pool(64 * KIB, 63, 64 * KIB);
    let finding = only(&stack, RULE);
    assert_eq!(finding.severity, Severity::Suboptimal);
    assert_eq!(finding.layer, Some(id));
    assert_eq!(finding.discard.as_ref().unwrap().own_lost_ratio, 1.0);
    // The file system lies on the chunks, whatever lies under them.
    assert_eq!(by_rule(&stack, RULE).len(), 1);
    let (stack, _) = pool(64 * KIB, 63, 2 * MIB);
    assert_eq!(only(&stack, RULE).severity, Severity::Note, "one of 32");
    let (mut stack, id) = pool(64 * KIB, 63, 64 * KIB);
    stack.layer_mut(id).discard = Some(DiscardLimits {
        keeps: true,
        ..limits(64 * KIB, 0, 1 << 30)
    });
    assert!(is_silent(&stack, RULE), "without passdown");
}

#[test]
fn chunks_that_are_no_whole_units_are_noted() {
    let (stack, id) = pool(128 * KIB, 2048, 64 * KIB);
    let finding = only(&stack, rules::DISCARD_NOT_WHOLE_UNITS);
    assert_eq!(
        (finding.severity, finding.layer),
        (Severity::Note, Some(id))
    );
    assert_eq!(finding.discard.as_ref().unwrap().own_lost_ratio, 1.0);
    let (stack, _) = pool(64 * KIB, 2048, 192 * KIB);
    assert!(is_silent(&stack, rules::DISCARD_NOT_WHOLE_UNITS));
}

/// RAID 5 over three disks with chunks of 64 KiB.
fn raid(discard: Option<DiscardLimits>, sector: u64, stripe: u64) -> Stack {
    let mut stack = Stack::new();
    let disk = disk(&mut stack, 512);
    let map = Map::Striped {
        start: Bytes::new(MIB),
        chunk: Bytes::new(64 * KIB),
        data: stripe / (64 * KIB),
        column: None,
    };
    let array = over(&mut stack, Kind::Md, "md0", disk, map);
    stack.layer_mut(array).level = Some(ArrayLevel::new("raid5"));
    stack.layer_mut(array).discard = discard;
    let grid = claim(stripe, Tier::Preference, GridKind::FullStripe).on(array);
    stack.grids.push(grid);
    let part = partition(&mut stack, array, sector);
    blocks(&mut stack, part, 4 * KIB);
    stack
}

#[test]
fn parity_is_freed_by_whole_stripes() {
    let takes = Some(limits(128 * KIB, 0, 1 << 30));
    let finding = only(&raid(takes, 63, 128 * KIB), RULE);
    assert_eq!(finding.unit, Some(Bytes::new(128 * KIB)));
    assert!(finding.why.contains("md0 frees"), "{}", finding.why);
    // What the kernel derives from the disks of the array moves no stripe.
    let mut derived = raid(takes, 63, 128 * KIB);
    derived.layer_mut(LayerId(2)).discard = Some(limits(128 * KIB, 0, 1 << 30));
    assert_eq!(only(&derived, RULE).offset, Some(Bytes::new(32256)));
    assert!(is_silent(&raid(takes, 2048, 128 * KIB), RULE));
    // md refuses them by default, and of an image nobody knows.
    assert!(is_silent(
        &raid(Some(limits(128 * KIB, 0, 0)), 63, 128 * KIB),
        RULE
    ));
    assert!(is_silent(&raid(None, 63, 128 * KIB), RULE));
    // What the kernel cuts by 256 KiB and md by 192 KiB is not computed here.
    assert!(is_silent(
        &raid(Some(limits(256 * KIB, 0, 1 << 30)), 63, 192 * KIB),
        RULE
    ));
}

#[test]
fn a_volume_passes_on_what_it_gets() {
    let mut stack = Stack::new();
    let disk = disk(&mut stack, 64 * KIB);
    let part = partition(&mut stack, disk, 63);
    let volumes = ["vg/a", "vg/b"].map(|name| {
        let volume = over(&mut stack, Kind::LvmLv, name, part, shift(2048));
        stack.layer_mut(volume).discard = Some(limits(64 * KIB, 33280, 1 << 30));
        blocks(&mut stack, volume, 4 * KIB);
        volume
    });
    let finding = only(&stack, RULE);
    assert_eq!(finding.guilty, Some(part));
    assert!(volumes.iter().all(|id| finding.layer != Some(*id)));
    assert!(
        finding.why.ends_with("; so do ext4 on vg/b"),
        "{}",
        finding.why
    );
}

#[test]
fn units_that_are_hardly_true_are_notes_at_most() {
    let finding = only(&plain(192 * KIB, 63), RULE);
    assert_eq!(
        (finding.severity, finding.confidence),
        (Severity::Note, Confidence::Low)
    );
    let mut stack = plain(4 * MIB, 63);
    assert_eq!(only(&stack, RULE).severity, Severity::Suboptimal);
    stack.layer_mut(LayerId(0)).detail = Detail::Disk(DiskDetail {
        transport: "mmc",
        ..DiskDetail::default()
    });
    assert!(is_silent(&stack, RULE), "what a card erases fast");
    let mut stack = plain(64 * KIB, 63);
    stack.layer_mut(LayerId(2)).kind = Kind::Swap;
    assert_eq!(only(&stack, RULE).severity, Severity::Note);
    let mut stack = plain(64 * KIB, 63);
    stack.layer_mut(LayerId(1)).below[0].map = Map::Opaque("lost".to_owned());
    assert!(is_silent(&stack, RULE));
}
