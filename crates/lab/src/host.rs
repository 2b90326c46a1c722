//! The machine around the guest: its programs and the folder for caches.

use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::error::{LabError, Result, Tried};

/// Folders of system programs that an ordinary user's `PATH` leaves out on Debian.
const SYSTEM: [&str; 3] = ["/usr/local/sbin", "/usr/sbin", "/sbin"];

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

/// The folder for what may be made again: `$XDG_CACHE_HOME/ioalign/lab`, or below `~/.cache`.
///
/// # Errors
///
/// Neither variable is set.
pub fn cache() -> Result<PathBuf> {
    let set = |name| env::var_os(name).filter(|value: &std::ffi::OsString| !value.is_empty());
    let base = set("XDG_CACHE_HOME").map(PathBuf::from);
    let base = base.or_else(|| set("HOME").map(|home| Path::new(&home).join(".cache")));
    let base = base
        .tried(|| "neither HOME nor XDG_CACHE_HOME is set: no folder for the cache".to_owned())?;
    Ok(base.join("ioalign/lab"))
}

/// A command with the system's programs on its path.
pub fn command(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    command.env("PATH", search_path());
    command
}

/// Runs it quietly and returns what it printed.
///
/// # Errors
///
/// It cannot be started, or fails: the error has what it said.
pub fn output(command: &mut Command) -> Result<String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.output().tried(|| format!("cannot start {name}"))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(LabError::new(format!("{name} failed: {}", said.trim())))
}
