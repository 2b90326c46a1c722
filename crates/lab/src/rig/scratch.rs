//! A folder that lives as long as one run.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use crate::error::{Result, Tried};

/// Removed with all its files when dropped.
pub struct Scratch(PathBuf);

static COUNT: AtomicU32 = AtomicU32::new(0);

impl Scratch {
    /// A new folder in the cache: `/tmp` may be small or in memory. Folders that a killed run left behind are
    /// removed first.
    pub fn new(cache: &Path) -> Result<Self> {
        let runs = cache.join("runs");
        sweep(&runs);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = runs.join(format!("{}-{number}", std::process::id()));
        fs::create_dir_all(&path).tried(|| format!("cannot make {}", path.display()))?;
        Ok(Self(path))
    }

    /// A file in it.
    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Folders are named after the process that made them.
fn sweep(runs: &Path) {
    let Ok(entries) = fs::read_dir(runs) else {
        return;
    };
    for entry in entries.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let process = name.split('-').next().unwrap_or_default();
        if !Path::new("/proc").join(process).exists() {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}
