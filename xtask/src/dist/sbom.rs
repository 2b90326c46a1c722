//! What the program is made of: CycloneDX, from the lock file.

use std::path::Path;

use anyhow::Result;

use super::facts::ReleaseFacts;
use crate::{paths, run};

const VERSION: &str = "0.5.9";

/// `ioalign-VERSION.cdx.json`, by cargo-cyclonedx, which is compiled where it is not installed.
pub fn write(facts: &ReleaseFacts, folder: &Path) -> Result<()> {
    if ioalign_lab::host::which("cargo-cyclonedx").is_none() {
        run::install("cargo-cyclonedx", VERSION)?;
    }
    let manifest = paths::root().join("crates/cli/Cargo.toml");
    let name = format!("ioalign-{}.cdx", facts.version);
    let mut make = super::stable(facts, "cargo");
    make.args([
        "cyclonedx",
        "--format",
        "json",
        "--spec-version",
        "1.5",
        "--override-filename",
        &name,
        "--manifest-path",
    ])
    .arg(manifest);
    run::output(&mut make)?;
    // It writes one beside the manifest of each crate of the workspace.
    let made = format!("{name}.json");
    for entry in std::fs::read_dir(paths::root().join("crates"))? {
        let made_here = entry?.path().join(&made);
        if made_here
            .parent()
            .is_some_and(|parent| parent.ends_with("cli"))
        {
            std::fs::copy(&made_here, folder.join(&made))?;
        }
        let _ = std::fs::remove_file(made_here);
    }
    let _ = std::fs::remove_file(paths::root().join("xtask").join(&made));
    Ok(())
}
