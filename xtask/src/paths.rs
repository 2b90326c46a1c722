//! Where things are: the workspace, its target folder, the system's programs.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// The root of the workspace.
pub fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_owned()
}

/// Where cargo builds, and where caches may be kept.
pub fn target() -> PathBuf {
    match env::var_os("CARGO_TARGET_DIR") {
        Some(folder) => root().join(folder),
        None => root().join("target"),
    }
}

/// The cargo that runs us.
pub fn cargo() -> PathBuf {
    env::var_os("CARGO").map_or_else(|| PathBuf::from("cargo"), PathBuf::from)
}

/// Gives a finished folder its name. Where another process was faster, its folder stays.
pub fn settle(part: &Path, whole: &Path) -> Result<()> {
    let moved = fs::rename(part, whole);
    if moved.is_err() && whole.is_dir() {
        let _ = fs::remove_dir_all(part);
        return Ok(());
    }
    moved.with_context(|| format!("cannot make {}", whole.display()))
}
