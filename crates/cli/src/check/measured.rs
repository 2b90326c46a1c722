//! What a probe found, for `--measured`.

use std::path::Path;

use anyhow::{Result, bail};
use ioalign_core::geometry_document::{GeometryDocument, SCHEMA};
use ioalign_core::write_unit::MeasuredUnit;

use crate::document;

/// Reads the document of a probe that looked at writes.
pub fn unit(path: &Path) -> Result<MeasuredUnit> {
    let probe: GeometryDocument = document::read(
        path,
        "document of `ioalign probe`",
        SCHEMA,
        |one: &GeometryDocument| &one.schema,
    )?;
    match MeasuredUnit::of(&probe) {
        Some(unit) => Ok(unit),
        None => bail!(
            "{}: that probe did not look at writes: run `ioalign probe {} --write --json`",
            path.display(),
            probe.target
        ),
    }
}
