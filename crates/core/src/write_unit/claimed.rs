//! Which of a drive's own claims is its unit.

use super::WriteUnitClaims;
use crate::grid::Confidence;

/// Larger granularities have been claimed by drives with units of 4 KiB (zfs#13917, zfs#14409).
const MOST_CREDIBLE: u64 = 64 << 10;
/// Flash is mapped in no smaller units.
const LEAST_CREDIBLE: u64 = 4096;

/// A unit that is known of a model from elsewhere than the drive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownUnit {
    /// The unit.
    pub bytes: u64,
    /// How far the source is to be believed.
    pub confidence: Confidence,
    /// The source.
    pub source: &'static str,
}

/// The claim that counts.
pub(super) struct ClaimedUnit {
    pub(super) bytes: u64,
    pub(super) confidence: Confidence,
    pub(super) source: String,
    /// What limits it, as the rest of a sentence.
    pub(super) but: &'static str,
}

/// The claim that counts, or why none does.
pub(super) fn of(claims: &WriteUnitClaims) -> Result<ClaimedUnit, &'static str> {
    let own = own(claims);
    match &claims.known {
        // Drives with coarse units report less than they have, never more.
        Some(known) if own.as_ref().map_or(0, |own| own.bytes) < known.bytes => Ok(ClaimedUnit {
            bytes: known.bytes,
            confidence: known.confidence,
            source: known.source.to_owned(),
            but: "",
        }),
        _ => own,
    }
}

fn own(claims: &WriteUnitClaims) -> Result<ClaimedUnit, &'static str> {
    if *claims == WriteUnitClaims::default() {
        return Err(
            "nothing that a drive says of itself was seen: ask where the drive is, or give `nvme id-ns`",
        );
    }
    if claims.nvme {
        return of_nvme(claims);
    }
    let block = claims.physical.filter(|physical| {
        *physical >= LEAST_CREDIBLE && claims.logical.is_none_or(|logical| *physical > logical)
    });
    match (block, claims.hides) {
        (Some(bytes), None) if claims.rotates => Ok(ClaimedUnit {
            bytes,
            confidence: Confidence::High,
            source: "physical_block_size".to_owned(),
            but: "",
        }),
        (Some(bytes), None) => Ok(ClaimedUnit {
            bytes,
            confidence: Confidence::Medium,
            source: "physical_block_size".to_owned(),
            but: "; flash behind SATA or SAS may have larger units and say the same",
        }),
        (Some(bytes), Some(_)) => Ok(ClaimedUnit {
            bytes,
            confidence: Confidence::Low,
            source: "physical_block_size".to_owned(),
            but: ", of whatever lies below",
        }),
        (None, Some(_)) => Err("the device hides what lies below it"),
        (None, None) => Err("the disk names no unit larger than its sector"),
    }
}

fn of_nvme(claims: &WriteUnitClaims) -> Result<ClaimedUnit, &'static str> {
    // Linux: minimum_io_size is NPWG where the drive states it, else the logical block.
    let by_kernel = claims
        .minimum
        .filter(|minimum| claims.logical.is_none_or(|logical| *minimum > logical));
    let (bytes, source) = match (claims.npwg, by_kernel, claims.physical) {
        (Some(bytes), ..) => (bytes, "NPWG (Identify Namespace)"),
        (None, Some(bytes), _) => (bytes, "NPWG (minimum_io_size)"),
        (None, None, Some(bytes)) if claims.minimum.is_none() && bytes >= LEAST_CREDIBLE => {
            return Ok(ClaimedUnit {
                bytes,
                confidence: Confidence::Low,
                source: "physical_block_size".to_owned(),
                but: ", which is the smaller one of NPWG and AWUPF: the unit may be larger",
            });
        }
        _ => {
            return Err(
                "the drive states no granularity (NPWG): drives with units of 16 or 64 KiB are among those",
            );
        }
    };
    if bytes < LEAST_CREDIBLE {
        return Err("the drive states a granularity below 4 KiB, which flash does not have");
    }
    let (confidence, but) = match (claims.hides, bytes <= MOST_CREDIBLE) {
        (Some(_), _) => (Confidence::Medium, ", of whatever lies below"),
        (None, true) => (Confidence::High, ""),
        (None, false) => (
            Confidence::Low,
            "; drives with units of 4 KiB have claimed 128 and 256 KiB (zfs#13917, zfs#14409)",
        ),
    };
    Ok(ClaimedUnit {
        bytes,
        confidence,
        source: source.to_owned(),
        but,
    })
}
