//! The unit in which a drive is really written: what a smaller write makes it read first.
//!
//! NVMe has three numbers that are taken for it. NPWG is the granularity below which writes cost more. NPWA is where writes
//! start best. NOWS is a size of writes that is fast, many units long on drives with units of 4 KiB: allocators that take it for the unit
//! waste space (ceph#71954). The times of writes show the unit itself.

mod claimed;
mod evidence;
mod uses;

use serde::Serialize;

pub use claimed::KnownUnit;
pub use evidence::UnitEvidence;
pub use uses::UnitUse;

use crate::geometry_document::{GeometryDocument, RMW_UNIT};
use crate::grid::Confidence;
use crate::layer::Kind;
use crate::stack::Stack;
use crate::units::Bytes;

/// What a disk says of the units in which it is written, in bytes. `None`: it says nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WriteUnitClaims {
    /// Whether it is an NVMe drive; Linux then takes `minimum_io_size` from NPWG, and `optimal_io_size` from NOWS
    /// (drivers/nvme/host/core.c).
    pub nvme: bool,
    /// Whether it says that it rotates.
    pub rotates: bool,
    /// What it is, if it hides the medium: a virtual disk, a volume of an array.
    pub hides: Option<&'static str>,
    /// Its logical sector.
    pub logical: Option<u64>,
    /// Its physical block.
    pub physical: Option<u64>,
    /// `minimum_io_size`.
    pub minimum: Option<u64>,
    /// `optimal_io_size`.
    pub optimal: Option<u64>,
    /// Preferred write granularity of Identify Namespace.
    pub npwg: Option<u64>,
    /// Preferred write alignment of Identify Namespace.
    pub npwa: Option<u64>,
    /// Optimal write size of Identify Namespace.
    pub nows: Option<u64>,
    /// What is known of the model.
    pub known: Option<KnownUnit>,
}

/// What the times of writes showed (`probe --write`).
#[derive(Clone, Debug, PartialEq)]
pub struct MeasuredUnit {
    /// The device, as it was named.
    pub device: String,
    /// The unit; `None`: none is visible.
    pub bytes: Option<u64>,
    /// The smallest effect that would have been seen.
    pub limit: Option<f64>,
}

impl MeasuredUnit {
    /// What a probe found; `None`: it did not look at writes.
    pub fn of(document: &GeometryDocument) -> Option<Self> {
        let found = document.grids.iter().find(|grid| grid.kind == RMW_UNIT);
        (found.is_some() || document.write_detection_limit.is_some()).then(|| Self {
            device: document.target.clone(),
            bytes: found.map(|grid| grid.unit_bytes),
            limit: document.write_detection_limit,
        })
    }

    /// Whether it is about the disk of this name.
    pub fn is_of(&self, disk: &str) -> bool {
        self.device.rsplit('/').next() == Some(disk)
    }
}

/// The verdict on one disk.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WriteUnit {
    /// The id of its layer.
    pub layer: String,
    /// The unit; `None`: nothing tells it.
    pub unit_bytes: Option<u64>,
    /// How sure that is.
    pub confidence: Confidence,
    /// Why it is taken for the unit, or why none is.
    pub why: String,
    /// All that was said of it.
    pub evidence: Vec<UnitEvidence>,
    /// What to give programs that lay data out.
    pub uses: Vec<UnitUse>,
    /// How to learn more; empty where nothing is in doubt.
    pub r#do: Vec<String>,
}

/// The verdict on every disk of the stack, and on what else lies at its bottom: an image has none. A measurement is about the disk that it names, or about the only one.
pub fn write_units(stack: &Stack, measured: Option<&MeasuredUnit>) -> Vec<WriteUnit> {
    let disks: Vec<_> = stack
        .layers()
        .filter(|(_, layer)| {
            let is_asked = layer.kind == Kind::Disk || layer.below.is_empty();
            is_asked || layer.write_unit.is_some()
        })
        .collect();
    let only = disks.len() == 1;
    let verdicts = disks.iter().map(|(id, layer)| {
        let measured = measured.filter(|one| only || one.is_of(&layer.name));
        let silent = WriteUnitClaims::default();
        let claims = layer.write_unit.as_deref().unwrap_or(&silent);
        let is_here = layer.kind == Kind::Disk && layer.write_unit.is_some();
        let disk = is_here.then_some(layer.name.as_str());
        verdict(stack.label(*id), disk, claims, measured)
    });
    verdicts.collect()
}

fn verdict(
    layer: String,
    disk: Option<&str>,
    claims: &WriteUnitClaims,
    measured: Option<&MeasuredUnit>,
) -> WriteUnit {
    let (unit, confidence, why) = decide(claims, measured);
    let is_open = confidence != Confidence::High && measured.is_none_or(|one| one.bytes.is_none());
    // An image, or a text that names no device, leaves nothing to type.
    let r#do = disk.filter(|_| is_open).map(|name| {
        format!(
            "measure it, on a drive without data: ioalign probe /dev/{name} --write --json > probe.json, then ioalign \
             check /dev/{name} --write-unit --measured probe.json"
        )
    });
    WriteUnit {
        layer,
        unit_bytes: unit,
        confidence,
        why,
        evidence: evidence::of(claims, measured, unit),
        uses: unit.map_or_else(Vec::new, |unit| uses::of(unit, claims)),
        r#do: r#do.into_iter().collect(),
    }
}

/// The unit, how sure it is, and why.
fn decide(
    claims: &WriteUnitClaims,
    measured: Option<&MeasuredUnit>,
) -> (Option<u64>, Confidence, String) {
    let shown = measured.and_then(|one| one.bytes);
    match (shown, claimed::of(claims)) {
        (Some(shown), Ok(claim)) if shown == claim.bytes => (
            Some(shown),
            Confidence::High,
            format!("{} says so, and the times of writes show it", claim.source),
        ),
        // Units that are claimed and not there have been seen (zfs#13917: 256 KiB on drives with 4 KiB).
        (Some(shown), Ok(claim)) => (
            Some(shown),
            Confidence::Medium,
            format!(
                "the times of writes show it; {} says {}, which they do not bear out",
                claim.source,
                Bytes::new(claim.bytes)
            ),
        ),
        (Some(shown), Err(_)) => (
            Some(shown),
            Confidence::High,
            "the times of writes show it; the drive says nothing".to_owned(),
        ),
        (None, Ok(claim)) => (
            Some(claim.bytes),
            claim.confidence,
            format!("{} says so{}", claim.source, claim.but),
        ),
        (None, Err(why)) => (None, Confidence::Low, why.to_owned()),
    }
}
