//! Zones, boundaries that requests must not cross, erase blocks, and what NVMe says besides.

use ioalign_core::{Confidence, GridKind, Remark, Tier, rules};

use super::{HintJudge, Transport, Voice, Zoned, known};

pub(super) fn judge(bench: &mut HintJudge<'_>) {
    chunk(bench);
    erase_block(bench);
    write_alignment(bench);
    atomic_boundary(bench);
}

/// `chunk_sectors`: the zone size on zoned disks, NOIOB or a controller's stripe on others.
fn chunk(bench: &mut HintJudge<'_>) {
    let Some(chunk) = known(bench.claims.chunk) else {
        return;
    };
    let (tier, kind, source, confidence) = match bench.claims.zoned {
        Zoned::HostManaged => (
            Tier::Validity,
            GridKind::Zone,
            "zoned host-managed",
            Confidence::High,
        ),
        Zoned::HostAware => (
            Tier::Preference,
            GridKind::Zone,
            "zoned host-aware",
            Confidence::Medium,
        ),
        Zoned::None => (
            Tier::Preference,
            GridKind::IoBoundary,
            boundary(bench),
            Confidence::Medium,
        ),
    };
    let source = format!("{}, {source}", bench.claims.attribute("chunk_sectors"));
    bench.grid(chunk, tier, kind, Voice::reported(&source, confidence));
}

const fn boundary(bench: &HintJudge<'_>) -> &'static str {
    match bench.claims.transport {
        Transport::Nvme => "NOIOB",
        _ => "requests are split there",
    }
}

/// Cards report the unit that they like to erase; many report a default.
fn erase_block(bench: &mut HintJudge<'_>) {
    let Some(erase) = known(bench.claims.erase) else {
        return;
    };
    let voice = Voice::reported(
        &bench.claims.attribute("preferred_erase_size"),
        Confidence::Low,
    );
    bench.grid(erase, Tier::Preference, GridKind::EraseBlock, voice);
}

/// NPWA: a write that starts off it is slower at any length (NVMe 5.8.2).
fn write_alignment(bench: &mut HintJudge<'_>) {
    let alignment = bench
        .claims
        .nvme
        .as_ref()
        .and_then(|ns| ns.write_alignment());
    let Some(alignment) = alignment.filter(|a| *a > bench.claims.logical_or_512()) else {
        return;
    };
    if bench
        .rmw()
        .is_some_and(|unit| unit.is_multiple_of(alignment))
    {
        return;
    }
    let voice = Voice::reported("NPWA (Identify Namespace)", Confidence::Medium);
    bench.grid(alignment, Tier::Preference, GridKind::PreferredWrite, voice);
}

/// A write that crosses NABSPF (from NABO on) is not atomic on power failure.
fn atomic_boundary(bench: &mut HintJudge<'_>) {
    let Some(ns) = bench.claims.nvme.as_ref() else {
        return;
    };
    if let Some((boundary, offset)) = ns.atomic_boundary().filter(|(_, offset)| *offset != 0) {
        bench.remark(Remark::note(
            rules::NVME_ATOMIC_OFFSET,
            format!(
                "Power-fail atomic writes hold within {boundary}-byte boundaries that start at \
                 byte {offset} (NABO); Linux offers no atomic writes on such a namespace"
            ),
        ));
    }
}
