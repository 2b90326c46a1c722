//! Better starts, and what to type to get there.

use ioalign_core::layer::detail::{Detail, DiskDetail};
use ioalign_core::{
    ArrayLevel, Bytes, Confidence, Finding, GridClaim, GridKind, Kind, Layer, LayerId, Map, Origin,
    Role, Runs, SectorSize, Sectors, Stack, Suggestion, TableKind, Tier, rules,
};
use proptest::prelude::*;

use super::{KIB, MIB, SECTOR, block, bottom, by_rule, claim, judged, only, shift};

const DISK: LayerId = LayerId(0);

fn partition(stack: &mut Stack, start: u64, sectors: u64) -> LayerId {
    let mut layer = Layer::new(Kind::Partition, "sda1").on(DISK, shift(start));
    layer.size = Some(Bytes::new(sectors * SECTOR));
    layer.start_sectors = Sectors::new(start, SectorSize::S512);
    stack.push(layer)
}

proptest! {
    /// The nearest good starts before and after, by trying every sector.
    #[test]
    fn good_starts_are_the_nearest_there_are(
        start in 1_u64..9000, used in prop_oneof![Just(0), 0_u64..9000], is_dos in any::<bool>(), jumper in 0_u64..8,
    ) {
        let mut stack = Stack::new();
        let claims = [block().at_phase(jumper * SECTOR)];
        bottom(&mut stack, Kind::Disk, "sda", &claims);
        stack.layer_mut(DISK).table = Some(if is_dos { TableKind::Dos } else { TableKind::Gpt });
        let other = used.min(start - 1);
        if other > 0 {
            partition(&mut stack, 0, other);
        }
        let id = partition(&mut stack, start, 4096);
        let found = by_rule(&stack, rules::START_MISALIGNED);
        let finding = found.iter().find(|one| one.layer == Some(id));
        let is_good = |sector: u64| sector % 8 == jumper;
        prop_assert_eq!(finding.is_none(), is_good(start));
        let Some(finding) = finding else { return Ok(()) };
        let is_best = |sector: u64| sector % 2048 == jumper;
        let after = (start..).find(|sector| is_best(*sector)).unwrap();
        prop_assert_eq!(finding.suggest.start, Some(Bytes::new(after * SECTOR)));
        prop_assert_eq!(finding.suggest.start_sectors, Sectors::new(after, SectorSize::S512));
        // Room begins behind what lies before, and behind the boot loader's gap.
        let room = other.max(if is_dos { 63 } else { 1 });
        let best = (1..start).rev().find(|sector| is_best(*sector));
        let nearest = (0..start).rev().find(|sector| is_good(*sector));
        let before = best.and_then(|best| {
            [Some(best), nearest].into_iter().flatten().find(|sector| *sector >= room)
        });
        prop_assert_eq!(finding.suggest.start_before, before.map(|sector| Bytes::new(sector * SECTOR)));
    }
}

#[test]
fn a_gap_of_boot_loaders_is_there_on_disks_of_512_byte_sectors() {
    let before = |sector: SectorSize| {
        let mut stack = Stack::new();
        // Boundaries 512 bytes past each 4 KiB, and no mebibyte that helps.
        let claims = [claim(4096, Tier::Rmw, GridKind::PhysicalBlock).at_phase(1024)];
        bottom(&mut stack, Kind::Disk, "sda", &claims);
        stack.layer_mut(DISK).table = Some(TableKind::Dos);
        let mut layer = Layer::new(Kind::Partition, "sda1").on(DISK, shift(6));
        layer.start_sectors = Sectors::new(6 * SECTOR / u64::from(sector.get()), sector);
        stack.push(layer);
        only(&stack, rules::START_MISALIGNED).suggest.start_before
    };
    assert_eq!(before(SectorSize::S512), None);
    assert_eq!(
        before(SectorSize::new(1024).unwrap()),
        Some(Bytes::new(1024))
    );
}

#[test]
fn a_start_that_is_no_whole_sector_of_the_table_has_no_number_there() {
    let mut stack = Stack::new();
    let claims = [block().at_phase(512)];
    bottom(&mut stack, Kind::Disk, "sda", &claims);
    let mut layer = Layer::new(Kind::Partition, "sda1").on(DISK, shift(8));
    layer.start_sectors = Sectors::new(1, SectorSize::S4096);
    stack.push(layer);
    let finding = only(&stack, rules::START_MISALIGNED);
    assert_eq!(finding.suggest.start, Some(Bytes::new(MIB + 512)));
    assert_eq!(finding.suggest.start_sectors, None);
    assert!(
        finding.steps[0].contains("again at byte 1049088 ("),
        "{:?}",
        finding.steps
    );
}

#[test]
fn layers_that_are_no_partitions_move_the_least_that_helps() {
    let mut stack = Stack::new();
    bottom(&mut stack, Kind::Disk, "sda", &[block()]);
    stack.push(Layer::new(Kind::LvmPv, "pv").on(DISK, shift(385)));
    let finding = only(&stack, rules::START_MISALIGNED);
    assert_eq!(finding.suggest.start, Some(Bytes::new(392 * SECTOR)));
    assert_eq!(finding.suggest.start_before, Some(Bytes::new(384 * SECTOR)));
}

#[test]
fn what_lies_in_pieces_has_no_start_to_suggest() {
    let mut stack = Stack::new();
    bottom(&mut stack, Kind::Disk, "sda", &[block()]);
    let mut runs = Runs::new();
    runs.push(0, 512, 4096);
    stack.push(
        Layer::new(Kind::LvmLv, "lv")
            .sized(Bytes::new(4096))
            .on(DISK, Map::Linear(runs)),
    );
    let finding = only(&stack, rules::START_MISALIGNED);
    assert_eq!(finding.suggest, Suggestion::default());
    // The leg of a mirror has one.
    let mut stack = Stack::new();
    bottom(&mut stack, Kind::Disk, "sda", &[block()]);
    let start = Bytes::new(512);
    stack.push(Layer::new(Kind::Md, "md0").on(DISK, Map::Mirror { start }));
    let finding = only(&stack, rules::START_MISALIGNED);
    assert_eq!(finding.suggest.start, Some(Bytes::new(4096)));
}

#[test]
fn no_start_on_a_disk_makes_up_for_its_image_file() {
    let at = |guest: u64, start: u64| {
        let mut stack = Stack::new();
        let file = bottom(&mut stack, Kind::Image, "a.img", &[block()]);
        let disk = stack.push(Layer::new(Kind::Disk, "guest").on(file, shift(guest)));
        stack.push(Layer::new(Kind::Partition, "p1").on(disk, shift(start)));
        judged(&stack)
            .findings
            .iter()
            .filter(|one| one.rule == rules::START_MISALIGNED)
            .map(|one| (one.guilty.unwrap().0, one.suggest.start.map(Bytes::get)))
            .collect::<Vec<_>>()
    };
    // The disk itself is off: it is what could be moved.
    assert_eq!(at(1, 2048), [(1, Some(4096))]);
    assert_eq!(at(8, 2049), [(2, Some(2 * MIB))]);
    assert_eq!(at(0, 63), [(2, Some(MIB))]);
}

#[test]
fn a_loop_device_that_begins_inside_its_file_is_attached_elsewhere() {
    let at = |offset: u64, start: u64| {
        let mut stack = Stack::new();
        let phase = (4096 - offset % 4096) % 4096;
        let disk = bottom(&mut stack, Kind::Disk, "loop0", &[block().at_phase(phase)]);
        stack.layer_mut(disk).detail = Detail::Disk(DiskDetail {
            backing_file: Some("/srv/disk.img".to_owned()),
            backing_offset: offset,
            ..DiskDetail::default()
        });
        stack.push(Layer::new(Kind::Filesystem, "ext4").on(disk, shift(start)));
        let finding = only(&stack, rules::START_MISALIGNED);
        (finding.suggest, finding.steps.join(" "))
    };
    let (suggest, steps) = at(32256, 0);
    assert_eq!(suggest, Suggestion::default());
    assert!(
        steps.contains("begins at byte 32256 of /srv/disk.img"),
        "{steps}"
    );
    let (_, steps) = at(0, 1);
    assert!(steps.contains("mkfs"), "{steps}");
}

/// A layer that is off a preferred grid of this size on its disk, and what is done about it.
fn remedy(kind: Kind, size: u64, with: impl FnOnce(&mut Stack, LayerId)) -> Finding {
    let mut stack = Stack::new();
    let preferred = claim(size, Tier::Preference, GridKind::RaidChunk);
    let claims = [preferred.from(Origin::OnDisk, "md", Confidence::High)];
    bottom(&mut stack, Kind::Md, "md1", &claims);
    let layer = Layer::new(kind, "x")
        .sized(Bytes::new(MIB))
        .on(DISK, shift(1));
    let layer = stack.push(layer);
    with(&mut stack, layer);
    let found = by_rule(&stack, rules::START_SUBOPTIMAL);
    let [one] = found.as_slice() else {
        panic!("{found:?}");
    };
    one.clone()
}

#[test]
fn every_kind_of_layer_has_its_remedy() {
    for (kind, fixable, words) in [
        (
            Kind::Partition,
            Some(true),
            "back up, create partition x again at byte 1048576 (",
        ),
        (Kind::LvmPv, Some(false), "made with --dataalignment 64k"),
        (Kind::LvmLv, Some(false), "vgcreate -s"),
        (Kind::Md, Some(false), "mdadm --create (--data-offset)"),
        (
            Kind::Crypt,
            Some(false),
            "luksFormat (--offset in 512-byte sectors)",
        ),
        (
            Kind::Filesystem,
            Some(false),
            "the data region is fixed by mkfs",
        ),
        (Kind::Disk, Some(false), "qemu-img convert"),
        (Kind::File, Some(true), "--reflink=never"),
    ] {
        let finding = remedy(kind, 64 * KIB, |_, _| {});
        assert_eq!(finding.fixable_in_place, fixable, "{kind:?}");
        assert_eq!(finding.steps.len(), 1);
        assert!(
            finding.steps[0].contains(words),
            "{kind:?}: {:?}",
            finding.steps
        );
    }
    let other = remedy(Kind::Volume, 64 * KIB, |_, _| {});
    assert_eq!((other.fixable_in_place, other.steps.len()), (None, 0));
    let odd = remedy(Kind::LvmPv, 1536, |_, _| {});
    assert!(
        odd.steps[0].ends_with("--dataalignment 1536b"),
        "{:?}",
        odd.steps
    );
}

#[test]
fn swap_is_made_again_and_members_are_rebuilt() {
    // Swap off a preference is a note without steps: here it is off a block.
    let swap = |role, kind| {
        let mut stack = Stack::new();
        bottom(&mut stack, Kind::Disk, "sda", &[block()]);
        let id = partition(&mut stack, 63, 4096);
        stack.layer_mut(id).role = role;
        if kind != Kind::Partition {
            stack.push(Layer::new(kind, "swap").on(id, shift(0)));
        }
        only_step(&stack)
    };
    let made =
        "swapoff, create partition sda1 again at sector 2048, mkswap, swapon: swap holds no data";
    assert_eq!(swap(Role::Swap, Kind::Partition), made);
    let data = "back up, create partition sda1 again at sector 2048 (";
    assert!(swap(Role::Data, Kind::Partition).starts_with(data));
    let member = |level: &str, kind| {
        let mut stack = Stack::new();
        bottom(&mut stack, Kind::Disk, "sda", &[block()]);
        let id = partition(&mut stack, 63, 4096);
        let array = stack.push(Layer::new(kind, "md0").on(id, shift(2048)));
        stack.layer_mut(array).level = Some(ArrayLevel::new(level));
        only_step(&stack)
    };
    let rebuilt = "one member at a time: mdadm --fail and --remove sda1";
    for level in ["raid1", "raid5", "raid10"] {
        assert!(member(level, Kind::Md).starts_with(rebuilt), "{level}");
    }
    assert!(member("raid0", Kind::Md).starts_with(data));
    assert!(member("raid1", Kind::LvmLv).starts_with(data));
}

fn only_step(stack: &Stack) -> String {
    let found = judged(stack);
    let finding = found.findings.iter().find(|one| !one.steps.is_empty());
    finding.unwrap().steps[0].clone()
}

#[test]
fn what_begins_within_a_partition_moves_with_it() {
    for kind in [Kind::LvmPv, Kind::Crypt, Kind::Filesystem] {
        let mut stack = Stack::new();
        bottom(&mut stack, Kind::Disk, "sda", &[block()]);
        let id = partition(&mut stack, 2048, 4096);
        let inner = stack.push(Layer::new(kind, "x").on(id, shift(1)));
        let finding = only(&stack, rules::START_MISALIGNED);
        assert_eq!(
            (finding.guilty, finding.fixable_in_place),
            (Some(inner), Some(true))
        );
        assert!(
            finding.steps[0].starts_with("move the partition below"),
            "{kind:?}"
        );
        // What begins in two partitions does not move with one.
        let mut stack = Stack::new();
        bottom(&mut stack, Kind::Disk, "sda", &[block()]);
        let ids = [2048, 8192].map(|start| partition(&mut stack, start, 4096));
        let [first, second] = ids;
        stack.push(
            Layer::new(kind, "x")
                .on(first, shift(1))
                .on(second, shift(1)),
        );
        let finding = only(&stack, rules::START_MISALIGNED);
        assert_eq!(finding.fixable_in_place, Some(false), "{kind:?}");
    }
}

#[test]
fn a_given_up_claim_has_no_start_to_suggest() {
    // Blocks at sector 7 of 8, and a stripe that knows nothing of it.
    let jumper: GridClaim =
        block()
            .at_phase(7 * SECTOR)
            .from(Origin::Declared, "--grid", Confidence::High);
    let stripe = claim(64 * KIB, Tier::Preference, GridKind::RaidChunk);
    let mut stack = Stack::new();
    bottom(&mut stack, Kind::Disk, "sda", &[jumper, stripe]);
    partition(&mut stack, 7, 4096);
    let finding = only(&stack, rules::START_SUBOPTIMAL);
    assert_eq!(finding.suggest, Suggestion::default());
    assert!(
        finding.steps[0].contains("create partition sda1 again ("),
        "{:?}",
        finding.steps
    );
}
