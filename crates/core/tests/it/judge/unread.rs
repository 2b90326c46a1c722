//! Devices whose bytes could not be read, and stacks in which nothing could be judged.

use ioalign_core::layer::detail::{Detail, FileSystemDetail};
use ioalign_core::{
    Confidence, DeviceNumber, Finding, GridClaim, GridKind, Kind, Layer, LayerId, Map,
    MoveInFlight, Origin, Remark, Role, Severity, Stack, Tier, rules,
};

use super::{KIB, block, bottom, by_rule, claim, is_silent, judged, only, shift};

const DISK: LayerId = LayerId(0);
const PARTITION: LayerId = LayerId(1);

/// A disk with these claims and a partition that nobody may read.
fn unread(claims: &[GridClaim], severity: Severity) -> Stack {
    let mut stack = Stack::new();
    let disk = bottom(&mut stack, Kind::Disk, "sda", claims);
    stack.push(Layer::new(Kind::Partition, "sda1").on(disk, shift(2048)));
    refuse(&mut stack, PARTITION, severity);
    stack
}

fn refuse(stack: &mut Stack, layer: LayerId, severity: Severity) {
    let remark = Remark::new(rules::NOT_READABLE, severity, "permission denied").advise("be root");
    stack.layer_mut(layer).remarks.push(remark);
}

fn found(stack: &Stack) -> Finding {
    only(stack, rules::NOT_READABLE)
}

#[test]
fn what_is_on_a_partition_stays_as_unknown_as_its_reader_says() {
    for severity in [Severity::Note, Severity::Unknown] {
        let stack = unread(&[block()], severity);
        let finding = found(&stack);
        assert_eq!(
            (finding.severity, finding.layer),
            (severity, Some(PARTITION))
        );
        assert_eq!(
            finding.why,
            "Partition sda1 cannot be read (permission denied): what is on it stays unknown; where it starts is judged \
             all the same"
        );
        assert_eq!(finding.steps, ["be root"]);
        assert!(is_silent(&stack, rules::NOTHING_JUDGED));
    }
}

#[test]
fn without_a_grid_nothing_at_all_is_judged() {
    let stack = unread(&[], Severity::Note);
    let finding = found(&stack);
    assert_eq!(finding.severity, Severity::Unknown);
    assert!(
        finding.why.ends_with("what is on it stays unknown"),
        "{}",
        finding.why
    );
    // That is said, and not said twice.
    assert!(is_silent(&stack, rules::NOTHING_JUDGED));
}

#[test]
fn an_unread_disk_hides_its_table() {
    let mut stack = Stack::new();
    bottom(&mut stack, Kind::Disk, "sda", &[]);
    refuse(&mut stack, DISK, Severity::Note);
    let finding = found(&stack);
    assert_eq!(finding.severity, Severity::Unknown);
    assert!(
        finding.why.starts_with(
            "Disk sda cannot be read (permission denied): whether there is a partition table"
        ),
        "{}",
        finding.why
    );
    assert!(is_silent(&stack, rules::NOTHING_RECOGNISED));
}

#[test]
fn swap_hides_nothing_and_reserved_space_is_not_asked() {
    let mut stack = unread(&[block()], Severity::Unknown);
    stack.layer_mut(PARTITION).role = Role::Swap;
    assert_eq!(found(&stack).severity, Severity::Note);
    // Unless nothing at all is judged.
    let mut bare = unread(&[], Severity::Note);
    bare.layer_mut(PARTITION).role = Role::Swap;
    assert_eq!(found(&bare).severity, Severity::Unknown);
    stack.layer_mut(PARTITION).role = Role::BiosBoot;
    assert!(is_silent(&stack, rules::NOT_READABLE));
}

/// The same, with a mounted file system that only the mount table knows.
fn mounted(claims: &[GridClaim]) -> Stack {
    let mut stack = unread(claims, Severity::Unknown);
    let mut filesystem = Layer::new(Kind::Filesystem, "xfs");
    filesystem.detail = Detail::FileSystem(FileSystemDetail {
        from_mount_table: true,
        ..FileSystemDetail::named("xfs")
    });
    stack.push(filesystem.on(PARTITION, shift(0)));
    stack
}

#[test]
fn a_mounted_file_system_hides_only_its_stripe_geometry() {
    let stack = mounted(&[block()]);
    let finding = found(&stack);
    assert_eq!(finding.severity, Severity::Note);
    assert_eq!(
        finding.why,
        "Partition sda1 cannot be read (permission denied): the mount table says that it holds xfs, whose stripe \
         geometry stays unknown"
    );
    let stripe = |origin| {
        claim(64 * KIB, Tier::Preference, GridKind::StripeUnit).from(
            origin,
            "x",
            Confidence::Medium,
        )
    };
    // With a stripe below that may be all, and the reader decides.
    let stack = mounted(&[block(), stripe(Origin::Reported)]);
    assert_eq!(found(&stack).severity, Severity::Unknown);
    let mut stack = mounted(&[block(), stripe(Origin::Reported)]);
    stack.grids[1].distrust = Some("odd".into());
    assert_eq!(found(&stack).severity, Severity::Note);
    let stack = mounted(&[block(), stripe(Origin::Assumed)]);
    assert_eq!(found(&stack).severity, Severity::Note);
    // The stripe may also be of the device itself.
    let mut stack = mounted(&[block()]);
    stack.grids.push(stripe(Origin::Reported).on(PARTITION));
    assert_eq!(found(&stack).severity, Severity::Unknown);
    // No grid leads to it, but something else is judged.
    let mut stack = mounted(&[]);
    let other = bottom(&mut stack, Kind::Disk, "sdb", &[block()]);
    stack.push(Layer::new(Kind::Partition, "sdb1").on(other, shift(2048)));
    assert_eq!(found(&stack).severity, Severity::Unknown);
}

#[test]
fn what_a_database_lies_on_is_known_from_the_operator() {
    let mut stack = unread(&[block()], Severity::Unknown);
    stack.push(Layer::new(Kind::Database, "innodb").on(PARTITION, shift(0)));
    assert!(is_silent(&stack, rules::NOT_READABLE));
}

/// An unread disk whose partition the kernel lists.
fn listed(with: impl FnOnce(&mut Layer)) -> Stack {
    let mut stack = Stack::new();
    let disk = bottom(&mut stack, Kind::Disk, "sda", &[block()]);
    refuse(&mut stack, disk, Severity::Unknown);
    let mut layer = Layer::new(Kind::Partition, "sda1").on(disk, shift(2048));
    layer.device_number = Some(DeviceNumber { major: 8, minor: 1 });
    with(&mut layer);
    stack.push(layer);
    stack
}

#[test]
fn partitions_that_the_kernel_lists_are_judged_and_only_their_use_is_unknown() {
    let stack = listed(|_| {});
    let finding = found(&stack);
    assert_eq!(
        (finding.severity, finding.layer),
        (Severity::Note, Some(DISK))
    );
    assert!(
        finding.why.starts_with(
            "The partition table of sda cannot be read (permission denied): what its partitions"
        ),
        "{}",
        finding.why
    );
    // Their use is known from elsewhere, or does not matter.
    let typed = listed(|layer| {
        layer.set_partition_type("83".into());
    });
    assert!(is_silent(&typed, rules::NOT_READABLE));
    for role in [Role::Swap, Role::BiosBoot] {
        let used = listed(|layer| layer.role = role);
        assert!(is_silent(&used, rules::NOT_READABLE), "{role:?}");
    }
    let volume = listed(|layer| layer.kind = Kind::LvmPv);
    assert!(is_silent(&volume, rules::NOT_READABLE));
    let mut holds = listed(|_| {});
    holds.push(Layer::new(Kind::Filesystem, "ext4").on(PARTITION, shift(0)));
    assert!(is_silent(&holds, rules::NOT_READABLE));
    // One of two is not known to the kernel: the rest of the table says more.
    let mut both = listed(|_| {});
    let other = Layer::new(Kind::Partition, "sda2").fact("type", "83");
    both.push(other.on(DISK, shift(4096)));
    assert!(found(&both).why.starts_with("The partition table of sda"));
    // What is no disk has no table.
    let mut array = listed(|_| {});
    array.layer_mut(DISK).kind = Kind::Md;
    assert!(is_silent(&array, rules::NOT_READABLE));
}

#[test]
fn data_that_lead_to_no_grid_are_never_ok() {
    let mut stack = Stack::new();
    let disk = bottom(&mut stack, Kind::Disk, "sda", &[block()]);
    stack.push(Layer::new(Kind::Volume, "vdo").on(disk, Map::Opaque("dedup".into())));
    let finding = only(&stack, rules::NOTHING_JUDGED);
    assert_eq!(
        (finding.severity, finding.layer),
        (Severity::Unknown, Some(LayerId(1)))
    );
    assert_eq!(
        finding.why,
        "Nothing could be judged: where volume vdo lies on the devices below is not known"
    );
    assert_eq!(judged(&stack).verdict, Severity::Unknown);
    // A move says it for itself; so does another unknown.
    let mut moving = stack.clone();
    let remark = Remark::note(rules::MOVE_IN_FLIGHT, "so");
    moving.layer_mut(disk).remarks.push(remark);
    assert!(is_silent(&moving, rules::NOTHING_JUDGED));
    let mut unknown = stack.clone();
    let remark = Remark::new(rules::TEXT_NOT_RECOGNISED, Severity::Unknown, "so");
    unknown.layer_mut(disk).remarks.push(remark);
    assert!(is_silent(&unknown, rules::NOTHING_JUDGED));
    let mut noted = stack.clone();
    noted
        .layer_mut(disk)
        .remarks
        .push(Remark::note(rules::TEXT_NOT_RECOGNISED, "so"));
    assert_eq!(by_rule(&noted, rules::NOTHING_JUDGED).len(), 1);
    // A database on a grid is judged, too.
    let mut judged = stack;
    judged.push(Layer::new(Kind::Database, "innodb").on(disk, shift(0)));
    assert!(is_silent(&judged, rules::NOTHING_JUDGED));
}

#[test]
fn nothing_on_a_disk_that_is_being_moved_is_a_fact() {
    let mut stack = Stack::new();
    let disk = bottom(&mut stack, Kind::Disk, "sda", &[block()]);
    let partition = stack.push(Layer::new(Kind::Partition, "sda1").on(disk, shift(63)));
    let filesystem = stack.push(Layer::new(Kind::Filesystem, "ext4").on(partition, shift(0)));
    assert_eq!(judged(&stack).missed.len(), 2);
    for moving in [disk, partition, filesystem] {
        let mut stack = stack.clone();
        stack.layer_mut(moving).moving = Some(MoveInFlight::Run(1));
        let judgement = judged(&stack);
        assert!(
            judgement.missed.iter().all(|one| one.layer < moving),
            "{moving:?}"
        );
        assert!(is_silent(&stack, rules::START_MISALIGNED));
        let found = ioalign_core::judge::moves::in_flight(&stack).collect::<Vec<_>>();
        assert_eq!(found, [moving]);
    }
    // Another disk is judged.
    let other = bottom(&mut stack, Kind::Disk, "sdb", &[block()]);
    stack.layer_mut(other).moving = Some(MoveInFlight::Unknown);
    assert_eq!(judged(&stack).missed.len(), 2);
}
