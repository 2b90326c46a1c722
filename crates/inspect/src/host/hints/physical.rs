//! `physical_block_size` and `minimum_io_size`: what a partial write makes the device re-read.

use ioalign_core::{Bytes, Confidence, GridKind, Origin, Remark, Tier, rules};

use super::{Claims, HintJudge, Transport, Voice, doubt, drives, known};

/// Above this an NVMe physical block is the power-fail atomic unit (AWUPF) or an inflated NPWG.
const MOST_NVME_PHYSICAL: u64 = 64 << 10;
/// A "physical block" from here up, equal to both I/O sizes, is a volume block (zvol, RBD).
const LEAST_VOLUME_BLOCK: u64 = 64 << 10;
/// Minimum I/O sizes up to this are block sizes of arrays; larger ones are stripe units.
const MOST_ARRAY_BLOCK: u64 = 16 << 10;

const PHYSICAL: &str = "physical_block_size";
const MINIMUM: &str = "minimum_io_size";

pub(super) fn judge(bench: &mut HintJudge<'_>) {
    physical(bench);
    minimum(bench);
    table(bench);
    assumed(bench);
}

fn physical(bench: &mut HintJudge<'_>) {
    let (logical, physical) = (
        bench.claims.logical_or_512(),
        bench.claims.physical_or_logical(),
    );
    if physical == logical {
        return;
    }
    let tier = Tier::Rmw;
    if !physical.is_multiple_of(logical) || !physical.is_power_of_two() {
        let why =
            format!("{physical} is not a power-of-two multiple of the logical sector ({logical})");
        return bench.distrust(
            physical,
            tier,
            GridKind::PhysicalBlock,
            &bench.claims.attribute(PHYSICAL),
            why,
        );
    }
    if bench.claims.transport == Transport::Nvme && physical > MOST_NVME_PHYSICAL {
        return nvme_physical(bench, physical);
    }
    if is_volume_block(bench, physical) {
        let voice = Voice::reported("physical = minimum = optimal I/O size", Confidence::Medium);
        return bench.grid(physical, tier, GridKind::VolumeBlock, voice);
    }
    let voice = Voice::reported(&bench.claims.attribute(PHYSICAL), bench.usual());
    bench.grid(physical, tier, GridKind::PhysicalBlock, voice);
}

/// Linux sets physical = min(NPWG, AWUPF): 128 and 256 KiB are seen on ordinary 4 KiB drives
/// (zfs#13917, zfs#14409), and believing them made ZFS choose ashift 15.
fn nvme_physical(bench: &mut HintJudge<'_>, physical: u64) {
    let granularity = bench
        .claims
        .nvme
        .as_ref()
        .and_then(|ns| ns.write_granularity());
    if granularity == Some(physical) {
        let voice = Voice::reported("NPWG (Identify Namespace)", Confidence::Medium);
        return bench.grid(physical, Tier::Rmw, GridKind::IndirectionUnit, voice);
    }
    let why = format!(
        "{} is over {}: AWUPF-limited or inflated (drivers/nvme/host/core.c takes the smaller of \
         NPWG and AWUPF)",
        Bytes::new(physical),
        Bytes::new(MOST_NVME_PHYSICAL)
    );
    bench.distrust(
        physical,
        Tier::Rmw,
        GridKind::PhysicalBlock,
        &bench.claims.attribute(PHYSICAL),
        why,
    );
    let source = format!("{}, as a preference", bench.claims.attribute(PHYSICAL));
    let voice = Voice::reported(&source, Confidence::Low);
    bench.grid(physical, Tier::Preference, GridKind::PreferredWrite, voice);
}

fn is_volume_block(bench: &HintJudge<'_>, physical: u64) -> bool {
    let claims = bench.claims;
    let same = claims.minimum == Some(physical) && claims.optimal == Some(physical);
    let large = physical >= LEAST_VOLUME_BLOCK || claims.transport == Transport::Zvol;
    same && large && claims.transport != Transport::Nvme
}

fn minimum(bench: &mut HintJudge<'_>) {
    let physical = bench.claims.physical_or_logical();
    let granularity = bench
        .claims
        .nvme
        .as_ref()
        .and_then(|ns| ns.write_granularity());
    let Some(minimum) = known(bench.claims.minimum)
        .max(granularity)
        .filter(|minimum| *minimum > physical)
    else {
        return;
    };
    if !minimum.is_multiple_of(physical) {
        let why = format!(
            "{minimum} = {} × {physical} + {}: not a multiple of the physical block",
            minimum / physical,
            minimum % physical
        );
        return bench.distrust(
            minimum,
            Tier::Preference,
            GridKind::StripeUnit,
            &bench.claims.attribute(MINIMUM),
            why,
        );
    }
    let optimal = known(bench.claims.optimal).filter(|optimal| *optimal < minimum);
    let array_block = physical == 512 || bench.claims.is_virtual();
    let (tier, kind, voice) = if bench.claims.transport == Transport::Nvme {
        indirection_unit(bench.claims, minimum)
    } else if array_block && minimum <= MOST_ARRAY_BLOCK {
        // NetApp LUNs say 512/512/4096/65536: the 4 KiB WAFL block is the unit that counts.
        let voice = Voice::reported(
            &bench.claims.attribute(MINIMUM),
            cap(bench, Confidence::Medium),
        );
        (Tier::Rmw, GridKind::MinimumIo, voice)
    } else if let Some(optimal) = optimal {
        // A stripe that is narrower than its unit: nothing says which of the two is wrong.
        let why = format!("{minimum} is more than the optimal I/O size ({optimal})");
        return bench.distrust(
            minimum,
            Tier::Preference,
            GridKind::StripeUnit,
            &bench.claims.attribute(MINIMUM),
            why,
        );
    } else {
        let voice = Voice::reported(
            &bench.claims.attribute(MINIMUM),
            cap(bench, Confidence::Medium),
        );
        (Tier::Preference, GridKind::StripeUnit, voice)
    };
    bench.grid(minimum, tier, kind, voice);
}

/// Linux takes `minimum_io_size` of NVMe from NPWG, which is the indirection unit on QLC drives.
fn indirection_unit(claims: &Claims, minimum: u64) -> (Tier, GridKind, Voice) {
    let confidence = if minimum <= MOST_NVME_PHYSICAL {
        Confidence::High
    } else {
        Confidence::Medium
    };
    let voice = Voice::reported(&format!("NPWG ({})", claims.attribute(MINIMUM)), confidence);
    (Tier::Rmw, GridKind::IndirectionUnit, voice)
}

fn cap(bench: &HintJudge<'_>, most: Confidence) -> Confidence {
    bench.usual().min(most)
}

/// A known drive that reports less than its unit.
fn table(bench: &mut HintJudge<'_>) {
    let Some(drive) = drives::find(&bench.claims.model) else {
        return;
    };
    if bench.rmw().is_some_and(|found| found >= drive.unit) {
        return;
    }
    let voice = Voice {
        origin: Origin::Table,
        confidence: drive.confidence,
        source: drive.source.to_owned(),
    };
    bench.grid(drive.unit, Tier::Rmw, GridKind::IndirectionUnit, voice);
}

/// 4 KiB where a device reports 512 and is not believed.
fn assumed(bench: &mut HintJudge<'_>) {
    if bench.claims.logical_or_512() >= 4096 || bench.rmw().is_some() {
        return;
    }
    let Some(doubt) = doubt::of(bench) else {
        return;
    };
    if doubt.open {
        return bench.ask(4096, doubt.why);
    }
    if bench.claims.is_virtual() {
        bench.remark(unknown_topology());
    }
    let voice = Voice {
        origin: Origin::Assumed,
        confidence: doubt.confidence,
        source: doubt.why.to_owned(),
    };
    bench.grid(4096, Tier::Rmw, GridKind::PhysicalBlock, voice);
}

fn unknown_topology() -> Remark {
    Remark::note(
        rules::VIRTUAL_DISK_TOPOLOGY,
        "The virtual disk reports 512-byte blocks, which says nothing about the storage below \
         it; 4 KiB is assumed",
    )
    .advise("Name the real unit with --grid or --profile-grid, or set the hypervisor's blockio")
}
