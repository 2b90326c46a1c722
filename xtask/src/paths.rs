//! Where things are: the workspace, its target folder, the system's programs.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// Folders of system programs that an ordinary user's `PATH` leaves out on Debian.
const SYSTEM: [&str; 3] = ["/usr/local/sbin", "/usr/sbin", "/sbin"];

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

/// `PATH` with the system folders added, for child processes.
pub fn search_path() -> String {
    let mut path = env::var("PATH").unwrap_or_default();
    for folder in SYSTEM {
        if !path.split(':').any(|part| part == folder) {
            path.push(':');
            path.push_str(folder);
        }
    }
    path
}

/// The full path of a program, if it is installed.
pub fn which(name: &str) -> Option<PathBuf> {
    let path = search_path();
    let mut found = path.split(':').map(|folder| Path::new(folder).join(name));
    found.find(|candidate| candidate.is_file())
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
