//! One target of the JSON document.

use ioalign_core::atomic_write::AtomicCertificate;
use ioalign_core::direct_io::DirectIoContract;
use ioalign_core::write_unit::WriteUnit;
use serde::Serialize;

use super::finding::FindingJson;
use super::grid::GridJson;
use super::layer::LayerJson;
use super::{finding, grid, layer};
use crate::model::{ErrorInfo, Target};
use crate::{order, view};

#[derive(Serialize)]
pub struct TargetJson<'a> {
    target: &'a str,
    source: &'static str,
    verdict: &'static str,
    error: Option<ErrorJson<'a>>,
    layers: Vec<LayerJson<'a>>,
    grids: Vec<GridJson<'a>>,
    findings: Vec<FindingJson<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    direct_io: Option<&'a DirectIoContract>,
    #[serde(skip_serializing_if = "Option::is_none")]
    atomic: Option<&'a AtomicCertificate>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    write_units: &'a [WriteUnit],
    elapsed_us: u64,
}

pub fn of(target: &Target) -> TargetJson<'_> {
    let names = view::LayerNames::of(&target.stack);
    TargetJson {
        target: &target.name,
        source: target.source.name(),
        verdict: target.verdict.name(),
        error: target.error.as_ref().map(ErrorJson::of),
        layers: layer::all(target, &names),
        grids: grid::all(&target.stack, &names),
        findings: order::findings(target)
            .into_iter()
            .map(|one| finding::of(one, &names))
            .collect(),
        direct_io: target.direct_io.as_ref(),
        atomic: target.atomic.as_ref(),
        write_units: &target.write_units,
        elapsed_us: target.elapsed_us,
    }
}

#[derive(Serialize)]
struct ErrorJson<'a> {
    kind: &'a str,
    message: &'a str,
    path: Option<&'a str>,
    offset_bytes: Option<u64>,
    field: Option<&'a str>,
}

impl<'a> ErrorJson<'a> {
    fn of(error: &'a ErrorInfo) -> Self {
        Self {
            kind: &error.kind,
            message: &error.message,
            path: error.path.as_deref(),
            offset_bytes: error.offset,
            field: error.field.as_deref(),
        }
    }
}
