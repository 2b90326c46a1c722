//! Blocks smaller than the unit below.

use ioalign_core::layer::detail::{DatabaseDetail, Detail, FileSystemDetail};
use ioalign_core::phase::phases;
use ioalign_core::{
    Bytes, Confidence, Finding, GridClaim, GridKind, Kind, Layer, LayerId, Origin, Remark,
    Severity, Stack, Tier, cost, rules,
};

use super::{KIB, block, bottom, by_rule, claim, is_silent, only, shift};

const PARTITION: LayerId = LayerId(1);
const TOP: LayerId = LayerId(2);

fn reported(size: u64, kind: GridKind) -> GridClaim {
    claim(size, Tier::Rmw, kind).from(Origin::Reported, "sysfs", Confidence::Medium)
}

fn unit(size: u64) -> GridClaim {
    reported(size, GridKind::PhysicalBlock)
}

/// A layer with these blocks in a partition of a disk with these units.
fn blocks(claims: &[GridClaim], kind: Kind, name: &str, block: u64) -> Stack {
    let mut stack = Stack::new();
    let disk = bottom(&mut stack, Kind::Disk, "sda", claims);
    let partition = stack.push(Layer::new(Kind::Partition, "sda1").on(disk, shift(2048)));
    let mut layer = Layer::new(kind, name).on(partition, shift(0));
    layer.block = Some(Bytes::new(block));
    stack.push(layer);
    stack
}

fn small(stack: &Stack) -> Finding {
    only(stack, rules::BLOCK_BELOW_RMW_UNIT)
}

#[test]
fn a_block_below_the_unit_is_suboptimal() {
    let stack = blocks(&[unit(4096)], Kind::Filesystem, "ext4", 1024);
    let finding = small(&stack);
    assert_eq!(finding.severity, Severity::Suboptimal);
    assert_eq!((finding.layer, finding.grid), (Some(TOP), Some(0)));
    assert_eq!(finding.unit, Some(Bytes::new(4096)));
    assert_eq!(finding.confidence, Confidence::Medium);
    assert_eq!(finding.fixable_in_place, Some(false));
    let at = phases(&stack, TOP, &stack.grids[0]);
    assert_eq!(finding.cost, cost::table(Bytes::new(4096), &at));
    assert_eq!(
        finding.why,
        "File system ext4 on sda1 writes blocks of 1 KiB, but sda changes 4 KiB at a time (physical-block, sysfs): \
         a random write of one block costs up to 4 times its size"
    );
}

#[test]
fn a_block_of_the_unit_or_more_is_not_mentioned() {
    for block in [4096, 8192] {
        let stack = blocks(&[unit(4096)], Kind::Filesystem, "ext4", block);
        assert!(is_silent(&stack, rules::BLOCK_BELOW_RMW_UNIT));
    }
    // A preference is read by nobody, and a claim that is not believed judges nothing.
    let preference = claim(16384, Tier::Preference, GridKind::OptimalIo);
    let stack = blocks(&[preference], Kind::Filesystem, "ext4", 4096);
    assert!(is_silent(&stack, rules::BLOCK_BELOW_RMW_UNIT));
    let mut stack = blocks(&[unit(16384)], Kind::Filesystem, "ext4", 4096);
    stack.grids[0].distrust = Some("odd".into());
    assert!(is_silent(&stack, rules::BLOCK_BELOW_RMW_UNIT));
    // Pages are the kernel's own.
    let stack = blocks(&[unit(16384)], Kind::Swap, "swap", 4096);
    assert!(is_silent(&stack, rules::BLOCK_BELOW_RMW_UNIT));
}

#[test]
fn whole_clusters_share_no_unit() {
    for (cluster, silent) in [(16384, true), (65536, true), (8192, false), (1024, false)] {
        let mut stack = blocks(&[unit(16384)], Kind::Filesystem, "ext4", 4096);
        stack.layer_mut(TOP).cluster = Some(Bytes::new(cluster));
        assert_eq!(
            is_silent(&stack, rules::BLOCK_BELOW_RMW_UNIT),
            silent,
            "{cluster}"
        );
    }
    let mut stack = blocks(&[unit(16384)], Kind::Filesystem, "ext4", 4096);
    stack.layer_mut(TOP).cluster = Some(Bytes::new(1024));
    assert!(small(&stack).why.contains("blocks of 4 KiB"));
}

#[test]
fn the_coarsest_unit_is_named() {
    let claims = [
        unit(8192),
        reported(16384, GridKind::IndirectionUnit),
        unit(4096),
        claim(1 << 20, Tier::Preference, GridKind::OptimalIo),
    ];
    let stack = blocks(&claims, Kind::Filesystem, "ext4", 3072);
    let finding = small(&stack);
    assert_eq!(finding.grid, Some(1));
    assert!(
        finding.why.ends_with("up to 6 times its size"),
        "{}",
        finding.why
    );
}

#[test]
fn assumed_units_and_fat_are_notes() {
    let assumed = GridClaim {
        origin: Origin::Assumed,
        ..block()
    };
    let stack = blocks(&[assumed], Kind::Filesystem, "ext4", 1024);
    assert_eq!(small(&stack).severity, Severity::Note);
    let stack = blocks(&[unit(4096)], Kind::Filesystem, "fat32", 512);
    assert_eq!(small(&stack).severity, Severity::Note);
}

#[test]
fn a_pool_is_misaligned_by_its_ashift_and_says_so_once() {
    let mut stack = blocks(&[unit(4096)], Kind::Filesystem, "zfs", 512);
    let pool = stack.layer_mut(TOP);
    pool.detail = Detail::FileSystem(FileSystemDetail {
        ashift: Some(9),
        ..FileSystemDetail::named("zfs")
    });
    let finding = only(&stack, rules::ASHIFT_BELOW_PHYSICAL_BLOCK);
    assert_eq!(finding.severity, Severity::Misaligned);
    assert!(finding.steps[0].contains("ashift=12"));
    assert!(is_silent(&stack, rules::BLOCK_BELOW_RMW_UNIT));
    let said = Remark::note(rules::ASHIFT_BELOW_PHYSICAL_BLOCK, "so");
    stack.layer_mut(PARTITION).remarks.push(said);
    // The text's own remark remains.
    assert_eq!(
        only(&stack, rules::ASHIFT_BELOW_PHYSICAL_BLOCK).severity,
        Severity::Note
    );
    let mut stack = blocks(&[unit(4096)], Kind::Filesystem, "ext4", 1024);
    let other = Remark::note(rules::ZFS_ASHIFT_UNKNOWN, "so");
    stack.layer_mut(PARTITION).remarks.push(other);
    assert_eq!(by_rule(&stack, rules::BLOCK_BELOW_RMW_UNIT).len(), 1);
}

#[test]
fn under_a_database_the_page_is_what_is_written() {
    let mut stack = blocks(&[unit(16384)], Kind::Filesystem, "ext4", 4096);
    let mut page = Layer::new(Kind::Database, "postgresql").on(TOP, shift(0));
    page.block = Some(Bytes::new(8192));
    page.detail = Detail::Database(DatabaseDetail {
        block_source: Some("by default".into()),
        ..DatabaseDetail::default()
    });
    let database = stack.push(page);
    let finding = small(&stack);
    assert_eq!(finding.layer, Some(database));
    assert!(
        finding
            .why
            .contains("writes blocks of 8 KiB (by default), but"),
        "{}",
        finding.why
    );
    // A database elsewhere changes nothing for a file system.
    let mut stack = blocks(&[unit(16384)], Kind::Filesystem, "ext4", 4096);
    let other = bottom(&mut stack, Kind::Disk, "sdb", &[]);
    stack.push(Layer::new(Kind::Database, "innodb").on(other, shift(0)));
    assert_eq!(small(&stack).layer, Some(TOP));
}

#[test]
fn each_layer_has_its_remedy() {
    let volume = reported(64 * KIB, GridKind::VolumeBlock);
    for (claim, kind, name, words) in [
        (unit(4096), Kind::Filesystem, "ext4", "(mkfs.ext4 -b 4096)"),
        (
            unit(16384),
            Kind::Filesystem,
            "ext4",
            "(mkfs.ext4 -O bigalloc -C 16384)",
        ),
        (
            unit(4096),
            Kind::Filesystem,
            "xfs",
            "use blocks or clusters of 4 KiB where",
        ),
        (
            unit(16384),
            Kind::Database,
            "bluestore",
            "bluestore_min_alloc_size 16384",
        ),
        (
            unit(16384),
            Kind::Database,
            "sqlserver",
            "use a device with smaller units",
        ),
        (
            unit(16384),
            Kind::Database,
            "innodb",
            "innodb_page_size 16384",
        ),
        (
            unit(16384),
            Kind::Database,
            "postgresql",
            "use pages of 16 KiB or",
        ),
        (volume, Kind::Filesystem, "ext4", "volblocksize=16K"),
    ] {
        let finding = small(&blocks(&[claim], kind, name, 1024));
        assert_eq!(finding.steps.len(), 1);
        assert!(
            finding.steps[0].contains(words),
            "{name}: {:?}",
            finding.steps
        );
    }
}
