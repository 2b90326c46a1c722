//! The rights that `watch` drops once its program runs: it needs its descriptors, and few of the rights of root.
//!
//! Names of processes come from anyone on the machine. Should one of them find a way into this process, it finds no
//! capabilities, no way to gain any, and by Landlock (Linux 5.13) no file but the kernel's figures and the record.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use rustix::thread::{CapabilitySet, CapabilitySets, set_capabilities, set_no_new_privs};

use crate::allowed_files::{AllowedFiles, folder_of};

/// Read every interval: counters of disks, what the kernel says of the program, processors.
const READ: [&str; 3] = ["/proc/diskstats", "/proc/self", "/sys"];
/// The terminal of the full screen.
const TERMINAL: [&str; 2] = ["/dev/tty", "/dev/pts"];

/// Gives up rights for good. To be called before any thread starts: threads keep what they have.
///
/// # Errors
/// When the kernel refuses it.
pub fn confine(record: Option<&Path>) -> Result<()> {
    confine_to(record, None)
}

/// The same, with a folder that is still read.
///
/// # Errors
/// When the kernel refuses it.
pub fn confine_to(record: Option<&Path>, folder: Option<&Path>) -> Result<()> {
    let keep = needed(release(), record.is_some());
    let sets = CapabilitySets {
        effective: keep,
        permitted: keep,
        inheritable: CapabilitySet::empty(),
    };
    // Capabilities that this process never had cannot be kept.
    let own = rustix::thread::capabilities(None).context("capabilities")?;
    let sets = CapabilitySets {
        effective: sets.effective & own.permitted,
        permitted: sets.permitted & own.permitted,
        ..sets
    };
    set_no_new_privs(true).context("no_new_privs")?;
    let allowed = AllowedFiles {
        read: READ
            .map(PathBuf::from)
            .into_iter()
            .chain(folder.map(Path::to_owned))
            .collect(),
        terminal: TERMINAL.map(PathBuf::from).to_vec(),
        folders: folders(record),
    };
    allowed.enforce().context("Landlock")?;
    set_capabilities(None, sets).context("capabilities")
}

/// The remaining capabilities: since Linux 5.19 an open map can be read without one. A record may be in a folder
/// of another user.
fn needed((major, minor): (u32, u32), records: bool) -> CapabilitySet {
    let maps = match (major, minor) {
        (..=4, _) | (5, ..=7) => CapabilitySet::SYS_ADMIN,
        (5, 8..=18) => CapabilitySet::BPF | CapabilitySet::PERFMON,
        _ => CapabilitySet::empty(),
    };
    let files = CapabilitySet::DAC_OVERRIDE | CapabilitySet::FOWNER | CapabilitySet::CHOWN;
    match records {
        true => maps | files,
        false => maps,
    }
}

/// The kernel's version; the oldest where it is not known.
fn release() -> (u32, u32) {
    let text = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    version(&text).unwrap_or_default()
}

fn version(text: &str) -> Option<(u32, u32)> {
    let mut parts = text.split(|c: char| !c.is_ascii_digit());
    Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
}

/// The folders of a record: its own, and that of the file which its name leads to.
fn folders(record: Option<&Path>) -> Vec<PathBuf> {
    let Some(record) = record else {
        return Vec::new();
    };
    let real = record.canonicalize().ok();
    let real = real.iter().map(|path| folder_of(path));
    std::iter::once(folder_of(record)).chain(real).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_kept_that_is_not_needed() {
        assert!(needed((6, 1), false).is_empty() && needed((5, 19), false).is_empty());
        assert!(needed((5, 15), false).contains(CapabilitySet::BPF));
        assert!(!needed((5, 15), false).contains(CapabilitySet::SYS_ADMIN));
        assert!(needed((6, 18), true).contains(CapabilitySet::DAC_OVERRIDE));
        assert_eq!(version("6.18.5-fc\n"), Some((6, 18)));
        assert_eq!(version("x"), None);
    }

    #[test]
    fn other_files_cannot_be_opened_any_more() {
        let folder = tempfile::tempdir().unwrap();
        let (inside, outside) = (folder.path().join("in"), folder.path().join("out"));
        std::fs::create_dir(&inside).unwrap();
        std::fs::write(&outside, "secret").unwrap();
        let record = inside.join("record");
        // A thread of its own: what it gives up is its own.
        let work = move || {
            confine(Some(&record)).unwrap();
            std::fs::write(&record, "events").unwrap();
            std::fs::rename(&record, record.with_extension("done")).unwrap();
            assert!(std::fs::read("/proc/diskstats").is_ok());
            assert!(std::fs::read_dir("/proc/self/fdinfo").is_ok());
            std::fs::read(outside).is_ok()
        };
        let open = std::thread::spawn(work).join().unwrap();
        assert_eq!(open, !crate::allowed_files::has_landlock());
    }
}
