//! Linux: every tool gets its numbers explicitly, because each rounds in its own way when it does not.

use ioalign_core::Bytes;

use super::{Names, Step};
use crate::planner::array::{Level, Maker};
use crate::planner::filesystems::{self, BLOCK, Stripe};
use crate::planner::want::{Database, Filesystem, Label, PartRole, Volume};
use crate::planner::{Lvm, Plan, Seat};

/// mdadm keeps so much free before the data, for a later reshape, on members from [`MD_LARGE`] on.
const MD_DATA: Bytes = Bytes::new(128 << 20);
const MD_LARGE: Bytes = Bytes::new(64 << 30);

/// All steps, lowest layer first.
pub fn steps(plan: &Plan, names: &Names) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut at = names.disks.first().cloned().unwrap_or_default();
    if let Some(step) = array(plan, names) {
        steps.push(step);
        "/dev/md0".clone_into(&mut at);
    }
    let parts: Vec<_> = plan.seats.iter().take(partition_count(plan)).collect();
    if plan.want.given_start.is_none() && !parts.is_empty() {
        steps.push(table(plan, &parts, &at));
    }
    if let Some(last) = parts.len().checked_sub(1) {
        steps.extend(small(plan, &at));
        at = partition(&at, last + 1);
    }
    for (volume, seat) in plan
        .want
        .volumes
        .iter()
        .zip(plan.seats.iter().skip(parts.len()))
    {
        let (step, above) = self::volume(plan, *volume, seat, &at);
        steps.extend(step);
        at = above;
    }
    steps.extend(plan.want.filesystem.map(|fs| filesystem(plan, fs, &at)));
    steps.extend(plan.want.database.map(database));
    steps
}

fn partition_count(plan: &Plan) -> usize {
    match (plan.want.label, plan.want.given_start) {
        (Label::Whole, _) => 0,
        (_, Some(_)) => 1,
        _ => plan.want.partitions.len(),
    }
}

/// `/dev/sdb` → `/dev/sdb1`, `/dev/md0` → `/dev/md0p1`.
fn partition(disk: &str, number: usize) -> String {
    let digit = disk
        .chars()
        .last()
        .is_some_and(|last| last.is_ascii_digit());
    let p = if digit { "p" } else { "" };
    format!("{disk}{p}{number}")
}

fn array(plan: &Plan, names: &Names) -> Option<Step> {
    let array = plan.want.array.filter(|array| array.maker == Maker::Md)?;
    let chunk = match array.level {
        Level::Raid1 => String::new(),
        _ => format!(" --chunk={}K", array.element.get() >> 10),
    };
    let offset = member_offset(plan);
    let line = format!(
        "mdadm --create /dev/md0 --level={} --raid-devices={}{chunk} --data-offset={}K {}",
        array.level.name(),
        array.disks,
        offset.get() >> 10,
        names.disks.join(" ")
    );
    let step = Step::new("Join the disks", vec![line]).destroys();
    let step = step.fixed("--data-offset").note(format!(
        "every member's data begin {} bytes into it: a multiple of the members' blocks",
        offset.get()
    ));
    Some(if array.level == Level::Raid1 {
        step
    } else {
        step.fixed("--chunk, but for a reshape of days")
    })
}

/// Where data begin on a member: a multiple of every block of a member, with room for a reshape.
fn member_offset(plan: &Plan) -> Bytes {
    let blocks = [
        Some(plan.want.logical),
        Some(plan.want.physical),
        plan.want.indirection_unit,
        Some(Bytes::MIB),
    ];
    let sizes = blocks.into_iter().flatten().map(Bytes::get);
    let unit = sizes.fold(1, |all, size| {
        ioalign_core::units::lcm(all, size).unwrap_or(all)
    });
    let array = plan.want.array;
    let member = plan
        .want
        .size
        .zip(array)
        .map(|(size, array)| size.get() / u64::from(array.bearing().max(1)));
    let room = match member {
        Some(member) if member < MD_LARGE.get() => Bytes::MIB,
        _ => MD_DATA,
    };
    Bytes::new(room.get().next_multiple_of(unit))
}

fn table(plan: &Plan, parts: &[&Seat], disk: &str) -> Step {
    let logical = plan.want.logical.get();
    let label = match plan.want.label {
        Label::Dos => "dos",
        _ => "gpt",
    };
    let mut lines = vec![
        format!("sfdisk --wipe always {disk} <<'EOF'"),
        format!("label: {label}"),
        "unit: sectors".to_owned(),
    ];
    // sfdisk keeps the first mebibyte free where nobody says that it need not.
    let first = parts.first().map_or(Bytes::MIB, |seat| seat.start);
    if plan.want.label == Label::Gpt && first < Bytes::MIB {
        let free = plan.want.label.first_free(plan.want.logical);
        lines.push(format!("first-lba: {}", free.get() / logical));
    }
    for (seat, part) in parts.iter().zip(&plan.want.partitions) {
        let size = seat
            .size
            .map(|size| format!(", size={}", size.get() / logical));
        lines.push(format!(
            "start={}{}, type={}",
            seat.start.get() / logical,
            size.unwrap_or_default(),
            type_of(plan, part.role)
        ));
    }
    lines.push("EOF".to_owned());
    let step = Step::new("Write the partition table", lines).destroys();
    let step = step.note(format!(
        "starts and sizes are in sectors of {logical} bytes"
    ));
    if parts.iter().any(|seat| seat.size.is_none()) {
        step.note("the disk's size is not known: say --size, and the last end is on the grids too")
    } else {
        step
    }
}

fn type_of(plan: &Plan, role: PartRole) -> &'static str {
    let lvm = plan
        .want
        .volumes
        .first()
        .is_some_and(|v| matches!(v, Volume::Lvm { .. }));
    match (role, plan.want.label) {
        (PartRole::Esp, Label::Dos) => "ef",
        (PartRole::Esp, _) => "uefi",
        (PartRole::Swap, _) => "swap",
        (PartRole::Data, _) if lvm => "lvm",
        (PartRole::Boot | PartRole::Data, _) => "linux",
    }
}

/// What goes onto partitions other than the last.
fn small(plan: &Plan, disk: &str) -> Vec<Step> {
    let all = plan.want.partitions.iter().enumerate();
    let others = all.take(plan.want.partitions.len().saturating_sub(1));
    others
        .filter_map(|(index, part)| {
            let at = partition(disk, index + 1);
            let (title, line) = match part.role {
                PartRole::Esp => (
                    "Make the EFI system partition",
                    format!("mkfs.vfat -F 32 {at}"),
                ),
                PartRole::Boot => ("Make /boot", format!("mke2fs -t ext4 {at}")),
                PartRole::Swap => ("Make paging space", format!("mkswap {at}")),
                PartRole::Data => return None,
            };
            Some(Step::new(title, vec![line]).destroys())
        })
        .collect()
}

fn volume(plan: &Plan, volume: Volume, seat: &Seat, at: &str) -> (Vec<Step>, String) {
    match volume {
        Volume::Luks { version } => (
            vec![luks(plan, version, seat, at)],
            "/dev/mapper/crypt0".to_owned(),
        ),
        Volume::Bcache => (vec![bcache(seat, at)], "/dev/bcache0".to_owned()),
        Volume::Lvm { thin, stripes } => {
            let lvm = plan
                .lvm
                .map(|lvm| self::lvm(plan, &lvm, (thin, stripes), at));
            (lvm.unwrap_or_default(), "/dev/vg0/data".to_owned())
        }
    }
}

/// cryptsetup counts offsets in 512-byte sectors, whatever the disk's are.
fn luks(plan: &Plan, version: u8, seat: &Seat, at: &str) -> Step {
    let sectors = seat.offset.get() / 512;
    let line = if version == 1 {
        format!("cryptsetup luksFormat --type luks1 --align-payload {sectors} {at}")
    } else {
        let sector = plan.want.physical.get().clamp(512, 4096);
        format!("cryptsetup luksFormat --type luks2 --sector-size {sector} --offset {sectors} {at}")
    };
    let open = format!("cryptsetup open {at} crypt0");
    let step = Step::new("Encrypt", vec![line, open]).destroys();
    step.fixed("the payload's offset")
        .fixed("the sector size, but for reencryption")
}

fn bcache(seat: &Seat, at: &str) -> Step {
    let line = format!(
        "make-bcache -B --data-offset {} {at}",
        seat.offset.get() / 512
    );
    Step::new("Make the backing device", vec![line])
        .destroys()
        .fixed("--data-offset, in sectors")
}

fn lvm(plan: &Plan, lvm: &Lvm, shape: (bool, u32), at: &str) -> Vec<Step> {
    let (thin, stripes) = shape;
    let mut create = format!("pvcreate --dataalignment {}", lvm_size(lvm.alignment));
    if !lvm.alignment_offset.is_zero() {
        let sectors = lvm.alignment_offset.get() / 512;
        create = format!("{create} --dataalignmentoffset {sectors}s");
    }
    let group = format!(
        "vgcreate --physicalextentsize {} vg0 {at}",
        lvm_size(lvm.extent)
    );
    let check = format!("pvs -o +pe_start --units s {at}");
    let pv = Step::new(
        "Make the physical volume and the group",
        vec![format!("{create} {at}"), group, check],
    )
    .destroys()
    .fixed("the first extent")
    .note("the extent size is a multiple of the grids: every volume starts on them");
    let striped = match (stripes, Stripe::of(&plan.want)) {
        (0 | 1, _) => String::new(),
        (n, stripe) => {
            let unit = stripe.map_or(Bytes::new(65536), |stripe| stripe.unit);
            format!(" --stripes {n} --stripesize {}", lvm_size(unit))
        }
    };
    let lines = match lvm.chunk.filter(|_| thin) {
        Some(chunk) => vec![
            format!(
                "lvcreate --type thin-pool --extents 95%FREE --chunksize {}{striped} --name pool vg0",
                lvm_size(chunk)
            ),
            "lvcreate --thin --virtualsize SIZE --name data vg0/pool".to_owned(),
        ],
        None => vec![format!(
            "lvcreate --extents 100%FREE{striped} --name data vg0"
        )],
    };
    let lv = Step::new("Make the volume", lines);
    let lv = if thin { lv.fixed("--chunksize") } else { lv };
    vec![pv, lv]
}

/// A size for LVM: whole sectors, in the largest unit that holds it.
fn lvm_size(size: Bytes) -> String {
    let bytes = size.get();
    for (shift, unit) in [(20, "m"), (10, "k")] {
        if bytes.is_multiple_of(1 << shift) {
            return format!("{}{unit}", bytes >> shift);
        }
    }
    format!("{}s", bytes / 512)
}

fn filesystem(plan: &Plan, filesystem: Filesystem, at: &str) -> Step {
    let want = &plan.want;
    let stripe = Stripe::of(want);
    let (line, fixed) = match filesystem {
        Filesystem::Xfs => (xfs(stripe, at), "su, sw"),
        Filesystem::Ext4 => (ext4(plan, stripe, at), "the cluster size"),
        Filesystem::Btrfs => (
            format!("mkfs.btrfs --sectorsize 4096 --nodesize 16384 {at}"),
            "the sector size",
        ),
        Filesystem::Zfs => (
            format!(
                "zpool create -o ashift={} tank {at}",
                filesystems::ashift(want)
            ),
            "ashift",
        ),
        Filesystem::Ntfs => (
            format!(
                "mkfs.ntfs --fast --cluster-size {} {at}",
                filesystems::allocation_unit(want).get()
            ),
            "the cluster size",
        ),
        Filesystem::Ufs => (format!("mkfs.ufs -O2 {at}"), "the block size"),
        Filesystem::Vmfs => (
            "# VMFS is made on ESXi: vmkfstools -C vmfs6".to_owned(),
            "the block size",
        ),
        Filesystem::Swap => (format!("mkswap {at}"), ""),
    };
    let step = Step::new("Make the file system", vec![line]).destroys();
    if fixed.is_empty() {
        step
    } else {
        step.fixed(fixed)
    }
}

fn xfs(stripe: Option<Stripe>, at: &str) -> String {
    let Some(stripe) = stripe else {
        return format!("mkfs.xfs -b size=4k {at}");
    };
    let kib = |size: Bytes| size.get() >> 10;
    // A log stripe unit above 256 KiB is refused; the log then takes 32 KiB, as mkfs itself does.
    let log = if stripe.unit > filesystems::XFS_LOG_MOST {
        " -l su=32k"
    } else {
        ""
    };
    format!(
        "mkfs.xfs -b size=4k -d su={}k,sw={}{log} {at}",
        kib(stripe.unit),
        stripe.width
    )
}

fn ext4(plan: &Plan, stripe: Option<Stripe>, at: &str) -> String {
    let cluster = filesystems::cluster(&plan.want).map_or_else(String::new, |cluster| {
        format!(" -O bigalloc -C {}", cluster.get())
    });
    let stripe = stripe.map_or_else(String::new, |stripe| {
        format!(
            " -E stride={},stripe-width={}",
            stripe.stride(),
            stripe.blocks()
        )
    });
    format!("mke2fs -t ext4 -b {}{cluster}{stripe} {at}", BLOCK.get())
}

fn database(database: Database) -> Step {
    let page = database.page().get();
    let (title, lines) = match database {
        Database::InnoDb { .. } => (
            "Set InnoDB's page, before the first start",
            vec![
                "[mysqld]".to_owned(),
                format!("innodb_page_size = {page}"),
                "innodb_flush_method = O_DIRECT".to_owned(),
            ],
        ),
        Database::Postgres => (
            "PostgreSQL's page is fixed when it is built",
            vec![format!("postgres -C block_size   # {page}")],
        ),
        Database::SqlServer => (
            "SQL Server writes 8 KiB pages in extents of 64 KiB",
            vec![
                "# physical blocks above 4 KiB are refused: see the disk's block first".to_owned(),
            ],
        ),
        Database::Oracle { .. } => (
            "Set Oracle's block, before the database is made",
            vec![format!("db_block_size={page}")],
        ),
    };
    Step::new(title, lines).fixed("the page size")
}
