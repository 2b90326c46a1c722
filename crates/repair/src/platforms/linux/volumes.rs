//! Volumes between a partition and a file system.

use ioalign_core::Bytes;

use super::super::PlanStep;
use crate::planner::filesystems::MkfsStripe;
use crate::planner::want::PlannedVolume;
use crate::planner::{DiskPlan, LvmPlan, Seat};

/// Makes it on `at`, a word of the shell; the device that it becomes.
pub fn make(
    plan: &DiskPlan,
    volume: PlannedVolume,
    seat: &Seat,
    at: &str,
) -> (Vec<PlanStep>, String) {
    match volume {
        PlannedVolume::Luks { version } => (
            vec![luks(plan, version, seat, at)],
            "/dev/mapper/crypt0".to_owned(),
        ),
        PlannedVolume::Bcache => (vec![bcache(seat, at)], "/dev/bcache0".to_owned()),
        PlannedVolume::Lvm { thin, stripes } => {
            let lvm = plan
                .lvm
                .map(|lvm| self::lvm(plan, &lvm, (thin, stripes), at));
            (lvm.unwrap_or_default(), "/dev/vg0/data".to_owned())
        }
    }
}

/// cryptsetup counts offsets in 512-byte sectors on any disk.
fn luks(plan: &DiskPlan, version: u8, seat: &Seat, at: &str) -> PlanStep {
    let sectors = seat.offset.get() / 512;
    let line = if version == 1 {
        format!("cryptsetup luksFormat --type luks1 --align-payload {sectors} {at}")
    } else {
        let sector = plan.want.physical.size.get().clamp(512, 4096);
        format!("cryptsetup luksFormat --type luks2 --sector-size {sector} --offset {sectors} {at}")
    };
    let open = format!("cryptsetup open {at} crypt0");
    let step = PlanStep::new("Encrypt", vec![line, open]).destroys();
    step.fixed("the payload's offset")
        .fixed("the sector size, but for reencryption")
}

fn bcache(seat: &Seat, at: &str) -> PlanStep {
    let line = format!(
        "make-bcache -B --data-offset {} {at}",
        seat.offset.get() / 512
    );
    PlanStep::new("Make the backing device", vec![line])
        .destroys()
        .fixed("--data-offset, in sectors")
}

fn lvm(plan: &DiskPlan, lvm: &LvmPlan, shape: (bool, u32), at: &str) -> Vec<PlanStep> {
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
    let pv = PlanStep::new(
        "Make the physical volume and the group",
        vec![format!("{create} {at}"), group, check],
    )
    .destroys()
    .fixed("the first extent")
    .note("the extent size is a multiple of the grids: every volume starts on them");
    let striped = match (stripes, MkfsStripe::of(&plan.want)) {
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
    let lv = PlanStep::new("Make the volume", lines);
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
