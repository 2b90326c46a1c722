//! The packages, installed.

use std::path::Path;

use anyhow::Result;

use super::facts::ReleaseFacts;
use crate::{paths, run};

/// Runs `xtask/dist-proof.sh`, which says what it proves.
pub fn prove(facts: &ReleaseFacts, folder: &Path) -> Result<()> {
    run::must(
        run::command(paths::root().join("xtask/dist-proof.sh"))
            .arg(facts.version)
            .arg(folder),
    )
}
