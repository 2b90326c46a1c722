//! The processes that `/proc` shows to this one.

use std::fs;
use std::path::PathBuf;

/// No machine has more; a table that claims to is not read to its end.
const MOST: usize = 1 << 16;

/// A process, but for this one.
pub(super) struct OtherProcess {
    pub pid: u32,
}

/// All that are shown, in the order of their numbers as the kernel lists them.
pub(super) fn all() -> Vec<OtherProcess> {
    let own = std::process::id();
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let numbers = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let others = numbers.filter(|pid| *pid != own).take(MOST);
    others.map(|pid| OtherProcess { pid }).collect()
}

impl OtherProcess {
    /// `/proc/PID/NAME`.
    pub fn file(&self, name: &str) -> PathBuf {
        PathBuf::from(format!("/proc/{}/{name}", self.pid))
    }

    /// Its short name, which it may have chosen itself: with nothing in it that a terminal would obey.
    pub fn name(&self) -> String {
        let name = fs::read(self.file("comm")).unwrap_or_default();
        let name = String::from_utf8_lossy(&name);
        name.trim_end().escape_debug().to_string()
    }
}
