//! The location of a finding: the file and its bytes, and the layer by name.

use ioalign_core::{Finding, Kind, LayerId};
use serde::Serialize;

use super::text::uri;
use crate::model::{SourceKind, Target};
use crate::starts::{blamed, extent};
use crate::view::LayerNames;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Location {
    #[serde(skip_serializing_if = "Option::is_none")]
    physical_location: Option<Physical>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    logical_locations: Vec<Logical>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Physical {
    artifact_location: Artifact,
    #[serde(skip_serializing_if = "Option::is_none")]
    region: Option<SarifRegion>,
}

#[derive(Serialize)]
struct Artifact {
    uri: String,
}

/// Bytes of a binary file (§3.30.9).
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SarifRegion {
    byte_offset: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    byte_length: Option<u64>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Logical {
    name: String,
    fully_qualified_name: String,
    kind: &'static str,
}

/// The place of a finding.
pub fn of(target: &Target, names: &LayerNames, finding: &Finding) -> Location {
    let layer = blamed(finding);
    Location {
        physical_location: physical(target, layer),
        logical_locations: layer
            .into_iter()
            .map(|id| logical(target, names, id))
            .collect(),
    }
}

/// The place of a target that could not be read, with the byte where reading stopped.
pub fn unreadable(target: &Target) -> Location {
    let error = target.error.as_ref();
    let path = error.and_then(|error| error.path.as_deref());
    let offset = error.and_then(|error| error.offset);
    let whole = path.unwrap_or(&target.name);
    Location {
        physical_location: Some(Physical {
            artifact_location: Artifact { uri: uri(whole) },
            region: offset.and_then(|at| region(at, None)),
        }),
        logical_locations: Vec::new(),
    }
}

fn physical(target: &Target, layer: Option<LayerId>) -> Option<Physical> {
    let found = layer.and_then(|id| extent(&target.stack, id));
    let uri = match target.source {
        SourceKind::Host => {
            let bottom = target.stack.layer(found?.bottom);
            (bottom.kind == Kind::Disk).then(|| uri(&format!("/dev/{}", bottom.name)))?
        }
        SourceKind::Image | SourceKind::Capture => uri(&target.name),
    };
    // The bytes of a capture are not those of the disk that it speaks of.
    let region = found
        .filter(|_| target.source != SourceKind::Capture)
        .and_then(|extent| region(extent.offset, extent.len));
    Some(Physical {
        artifact_location: Artifact { uri },
        region,
    })
}

/// The schema's integers are signed: what does not fit is left out.
fn region(offset: u64, len: Option<u64>) -> Option<SarifRegion> {
    let fits = |value: &u64| i64::try_from(*value).is_ok();
    Some(offset).filter(fits).map(|byte_offset| SarifRegion {
        byte_offset,
        byte_length: len.filter(fits),
    })
}

fn logical(target: &Target, names: &LayerNames, id: LayerId) -> Logical {
    let layer = target.stack.layer(id);
    Logical {
        name: layer.name.clone(),
        fully_qualified_name: names.layer(Some(id)).to_owned(),
        kind: layer.kind.name(),
    }
}
