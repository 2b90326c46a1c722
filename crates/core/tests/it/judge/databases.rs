//! Databases: torn pages, and sectors that are too large.

use ioalign_core::atomic_write::AtomicLimits;
use ioalign_core::layer::detail::{
    DatabaseDetail, DatabaseEngine, Detail, DiskDetail, FileSystemDetail,
};
use ioalign_core::{
    Bytes, Finding, GridKind, Kind, Layer, LayerId, Map, Severity, Stack, Tier, rules,
};

use super::{bottom, by_rule, claim, is_silent, only, shift};

const DISK: LayerId = LayerId(0);
const PARTITION: LayerId = LayerId(1);
const HOLDER: LayerId = LayerId(2);
const DATABASE: LayerId = LayerId(3);

fn anywhere(granule: u64) -> Map {
    Map::Scattered {
        start: Bytes::ZERO,
        granule: Bytes::new(granule),
    }
}

/// Pages of 16 KiB without protection, in files of these granules, in a file system in a partition at this sector.
fn pages(name: &str, start: u64, granule: u64) -> Stack {
    let mut stack = Stack::new();
    let disk = bottom(&mut stack, Kind::Disk, "sda", &[]);
    let partition = Layer::new(Kind::Partition, "sda1").sized(Bytes::new(1 << 29));
    let partition = stack.push(partition.on(disk, shift(start)));
    let mut holder = Layer::new(Kind::Filesystem, "ext4").on(partition, shift(0));
    holder.block = Some(Bytes::new(4096));
    holder.size = Some(Bytes::new(1 << 29));
    let holder = stack.push(holder);
    let mut database = Layer::new(Kind::Database, name).on(holder, anywhere(granule));
    database.block = Some(Bytes::new(16384));
    database.size = Some(Bytes::new(1 << 28));
    database.detail = Detail::Database(DatabaseDetail {
        engine: DatabaseEngine::named(name),
        torn_page_protection: Some(false),
        block_source: None,
    });
    stack.push(database);
    stack
}

fn promise(stack: &mut Stack, bytes: Option<u64>) {
    stack.layer_mut(DISK).atomic = bytes.map(|unit_max| AtomicLimits {
        unit_max,
        ..AtomicLimits::default()
    });
}

fn torn(stack: &Stack) -> Finding {
    only(stack, rules::TORN_PAGE_RISK)
}

#[test]
fn pages_in_blocks_that_are_smaller_can_tear() {
    let stack = pages("innodb", 2048, 4096);
    let finding = torn(&stack);
    assert_eq!(finding.severity, Severity::DataRisk);
    assert_eq!(
        (finding.layer, finding.guilty),
        (Some(DATABASE), Some(HOLDER))
    );
    assert_eq!(
        (finding.unit, finding.offset),
        (Some(Bytes::new(16384)), None)
    );
    assert_eq!(finding.fixable_in_place, Some(true));
    assert_eq!(
        finding.why,
        "Database innodb survives no page that is written in part (innodb_doublewrite is off), and ext4 on sda1 \
         allocates blocks of 4 KiB, so that a 16 KiB page may start between two 16 KiB boundaries of sda: a page \
         can be written in two parts, and a crash between them loses it"
    );
    assert_eq!(finding.steps[0], "turn innodb_doublewrite on again");
    assert!(finding.steps[1].contains("bigalloc -C 16384"));
    // A promise of the disk does not help pages that lie on two of its blocks.
    let mut stack = stack;
    promise(&mut stack, Some(1 << 20));
    assert_eq!(torn(&stack).severity, Severity::DataRisk);
}

#[test]
fn the_lowest_layer_off_the_pages_is_guilty() {
    let stack = pages("postgresql", 63, 16384);
    let finding = torn(&stack);
    assert_eq!(finding.guilty, Some(PARTITION));
    assert_eq!(finding.offset, Some(Bytes::new(63 * 512 % 16384)));
    assert!(
        finding.why.contains("(full_page_writes is off), and partition sda1 starts 15872 B past a 16 KiB boundary of sda"),
        "{}",
        finding.why
    );
    let mut stack = pages("other", 2048, 16384);
    stack.layer_mut(HOLDER).below[0].map = shift(1);
    let finding = torn(&stack);
    assert_eq!(finding.guilty, Some(HOLDER));
    assert_eq!(finding.offset, Some(Bytes::new(512)));
    assert!(
        finding
            .why
            .contains("(protection is off), and ext4 on sda1 starts 512 B past"),
        "{}",
        finding.why
    );
    assert_eq!(
        finding.steps[0],
        "turn the protection against torn pages on again"
    );
}

#[test]
fn a_loop_device_has_the_boundaries_of_its_file() {
    let on = |offset: u64| {
        let mut stack = pages("innodb", 2048, 16384);
        stack.layer_mut(DISK).detail = Detail::Disk(DiskDetail {
            backing_offset: offset,
            ..DiskDetail::default()
        });
        torn(&stack).severity
    };
    assert_eq!(on(63 * 512), Severity::DataRisk);
    assert_eq!(on(1 << 20), Severity::Note);
}

#[test]
fn pages_that_cannot_be_followed_can_tear() {
    let mut stack = pages("innodb", 2048, 16384);
    stack.layer_mut(HOLDER).below[0].map = Map::Opaque("dedup".into());
    let finding = torn(&stack);
    assert_eq!(finding.guilty, Some(DATABASE));
    assert!(
        finding
            .why
            .contains("where its 16 KiB pages lie on sda cannot be followed"),
        "{}",
        finding.why
    );
    let mut stack = pages("innodb", 2048, 16384);
    stack.layer_mut(DATABASE).below[0].map = Map::Opaque("dedup".into());
    assert_eq!(torn(&stack).guilty, Some(HOLDER));
}

#[test]
fn whole_pages_need_a_promise_of_the_disk() {
    for (most, safe) in [
        (None, false),
        (Some(8192), false),
        (Some(16383), false),
        (Some(16384), true),
        (Some(65536), true),
    ] {
        let mut stack = pages("innodb", 2048, 16384);
        promise(&mut stack, most);
        if safe {
            assert!(is_silent(&stack, rules::TORN_PAGE_RISK), "{most:?}");
            continue;
        }
        let finding = torn(&stack);
        assert_eq!(finding.severity, Severity::Note, "{most:?}");
        assert_eq!(
            (finding.layer, finding.unit),
            (Some(DATABASE), Some(Bytes::new(16384)))
        );
        assert!(
            finding.why.contains(
                "every 16 KiB page lies on its own boundary of sda, but sda does not say"
            ),
            "{}",
            finding.why
        );
        assert_eq!(finding.steps, ["turn innodb_doublewrite on again"]);
    }
    // A file is no disk, and promises nothing that could be asked for.
    let mut stack = pages("innodb", 2048, 16384);
    stack.layer_mut(DISK).kind = Kind::Image;
    assert!(is_silent(&stack, rules::TORN_PAGE_RISK));
}

#[test]
fn protected_pages_and_zfs_are_safe() {
    for protection in [None, Some(true)] {
        let mut stack = pages("innodb", 63, 4096);
        stack.layer_mut(DATABASE).detail = Detail::Database(DatabaseDetail {
            engine: Some(DatabaseEngine::InnoDb),
            torn_page_protection: protection,
            block_source: None,
        });
        assert!(is_silent(&stack, rules::TORN_PAGE_RISK), "{protection:?}");
    }
    let mut stack = pages("innodb", 63, 4096);
    stack.layer_mut(HOLDER).detail = Detail::FileSystem(FileSystemDetail::named("zfs"));
    assert!(is_silent(&stack, rules::TORN_PAGE_RISK));
}

/// SQL Server on disks that report these physical sectors.
fn sql_server(physical: &[Option<u64>]) -> Stack {
    let mut stack = Stack::new();
    let disks: Vec<_> = physical
        .iter()
        .enumerate()
        .map(|(index, physical)| {
            let disk = bottom(&mut stack, Kind::Disk, &format!("disk{index}"), &[]);
            stack.layer_mut(disk).detail = Detail::Disk(DiskDetail {
                physical: *physical,
                ..DiskDetail::default()
            });
            disk
        })
        .collect();
    let start = Bytes::ZERO;
    let database = disks
        .iter()
        .fold(Layer::new(Kind::Database, "sqlserver"), |layer, disk| {
            layer.on(*disk, Map::Mirror { start })
        });
    stack.push(database);
    stack
}

#[test]
fn sql_server_starts_on_sectors_up_to_4_kib() {
    let rule = rules::SQLSERVER_SECTOR_TOO_LARGE;
    for fits in [None, Some(512), Some(4096)] {
        assert!(is_silent(&sql_server(&[fits]), rule), "{fits:?}");
    }
    let stack = sql_server(&[Some(512), Some(8192), Some(16384), Some(4096)]);
    let finding = only(&stack, rule);
    assert_eq!(finding.severity, Severity::Broken);
    assert_eq!(
        (finding.layer, finding.guilty),
        (Some(LayerId(4)), Some(LayerId(2)))
    );
    assert_eq!(finding.unit, Some(Bytes::new(16384)));
    assert_eq!(finding.fixable_in_place, Some(true));
    assert!(
        finding.why.contains("and disk2 reports 16 KiB"),
        "{}",
        finding.why
    );
    assert!(finding.steps[0].contains("* 4095"));
    let mut stack = sql_server(&[Some(16384)]);
    stack.layer_mut(LayerId(1)).detail = Detail::Database(DatabaseDetail {
        engine: Some(DatabaseEngine::InnoDb),
        ..DatabaseDetail::default()
    });
    assert!(is_silent(&stack, rule));
}

#[test]
fn declared_sectors_count_for_sql_server_too() {
    let rule = rules::SQLSERVER_SECTOR_TOO_LARGE;
    for (kind, counts) in [
        (GridKind::PhysicalBlock, true),
        (GridKind::VolumeBlock, true),
        (GridKind::IndirectionUnit, false),
    ] {
        let mut stack = sql_server(&[None, Some(4096)]);
        stack
            .grids
            .push(claim(16384, Tier::Rmw, kind.clone()).on(DISK));
        let found = by_rule(&stack, rule);
        assert_eq!(found.len(), usize::from(counts), "{kind}");
        assert!(found.iter().all(|one| one.guilty == Some(DISK)));
        // Not where it is not believed, nor that of another disk.
        stack.grids[0].distrust = Some("odd".into());
        assert!(is_silent(&stack, rule));
        stack.grids[0].distrust = None;
        let other = bottom(&mut stack, Kind::Disk, "sdz", &[]);
        stack.grids[0].layer = other;
        assert!(is_silent(&stack, rule));
    }
    // The larger of both.
    let mut stack = sql_server(&[Some(8192)]);
    stack
        .grids
        .push(claim(16384, Tier::Rmw, GridKind::PhysicalBlock).on(DISK));
    assert_eq!(only(&stack, rule).unit, Some(Bytes::new(16384)));
}
