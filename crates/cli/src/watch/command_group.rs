//! A control group for the command that is watched: its I/O is counted apart from that of others.
//!
//! Its controller is blkio (cgroup v1) or io (v2): the block layer knows the group of each bio by it.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use ioalign_inspect::host::mounts::parse_mount;

/// The shell puts itself into the group, and becomes the command.
const ENTER: &str = r#"echo $$ >"$0" && exec "$@""#;
/// A group may be removed when the last process in it is gone, which takes a moment.
const ATTEMPTS: u32 = 40;
const BETWEEN: Duration = Duration::from_millis(25);

/// A control group that is removed when this is dropped.
pub struct CommandGroup {
    folder: PathBuf,
    /// The group above it, where `io` was switched on for its groups.
    switched: Option<PathBuf>,
}

impl CommandGroup {
    /// Makes one.
    ///
    /// # Errors
    /// No control group with this controller can be made: no root, or none is mounted.
    pub fn create() -> Result<Self> {
        let mounts = fs::read_to_string("/proc/self/mountinfo").context("/proc/self/mountinfo")?;
        let Some((top, unified)) = hierarchy(&mounts) else {
            bail!("no control groups for block I/O are mounted (blkio, or io of cgroup v2)");
        };
        let switched = if unified { switch_on(&top)? } else { None };
        let folder = top.join(format!("ioalign-{}", std::process::id()));
        let made = Self { folder, switched };
        fs::create_dir(&made.folder)
            .with_context(|| format!("cannot make a control group in {}", top.display()))?;
        Ok(made)
    }

    /// The number by which the kernel knows it.
    ///
    /// # Errors
    /// It is not there any more.
    pub fn number(&self) -> Result<u64> {
        number_of(&self.folder)
    }

    /// Starts a command in it.
    ///
    /// # Errors
    /// There is no shell.
    pub fn start(&self, command: &[OsString]) -> Result<Child> {
        let mut shell = Command::new("/bin/sh");
        shell
            .args(["-c", ENTER])
            .arg(self.folder.join("cgroup.procs"));
        shell.args(command).spawn().context("cannot run /bin/sh")
    }
}

impl Drop for CommandGroup {
    fn drop(&mut self) {
        for _ in 0..ATTEMPTS {
            match fs::remove_dir(&self.folder) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    std::thread::sleep(BETWEEN);
                }
                _ => break,
            }
        }
        if let Some(top) = &self.switched {
            // Others may use it by now: then the kernel refuses.
            let _ = fs::write(top.join("cgroup.subtree_control"), "-io");
        }
    }
}

/// The number of a control group, by its folder.
///
/// # Errors
/// It is no control group for block I/O.
pub fn number_of(folder: &Path) -> Result<u64> {
    let about = || format!("{} is no control group", folder.display());
    fs::metadata(folder.join("cgroup.procs")).with_context(about)?;
    let folder = fs::metadata(folder).with_context(about)?;
    Ok(folder.ino())
}

/// Where groups for block I/O are mounted, and whether by cgroup v2.
pub fn hierarchy(mounts: &str) -> Option<(PathBuf, bool)> {
    let mounts = mounts.lines().filter_map(parse_mount);
    let found = mounts.filter_map(|mount| {
        let has_blkio = || mount.options.split(',').any(|option| option == "blkio");
        match mount.kind.as_str() {
            "cgroup" if has_blkio() => Some((mount.point, false)),
            "cgroup2" => Some((mount.point, true)),
            _ => None,
        }
    });
    // Where v1 has blkio, v2 has no io.
    found.min_by_key(|(_, unified)| *unified)
}

/// Switches `io` on for the groups below the top one; `None` if it was.
fn switch_on(top: &Path) -> Result<Option<PathBuf>> {
    let has = |name: &str| {
        let text = fs::read_to_string(top.join(name)).unwrap_or_default();
        text.split_whitespace().any(|controller| controller == "io")
    };
    if has("cgroup.subtree_control") {
        return Ok(None);
    }
    if !has("cgroup.controllers") {
        bail!("{} has no controller io", top.display());
    }
    fs::write(top.join("cgroup.subtree_control"), "+io")
        .with_context(|| format!("cannot switch io on for the groups of {}", top.display()))?;
    Ok(Some(top.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hierarchy_is_that_of_block_io() {
        let unified =
            "30 25 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n";
        assert_eq!(
            hierarchy(unified),
            Some((PathBuf::from("/sys/fs/cgroup"), true))
        );
        let both = "40 32 0:35 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n\
            36 32 0:31 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n\
            37 32 0:32 / /sys/fs/cgroup/blkio rw - cgroup cgroup rw,blkio\n";
        assert_eq!(
            hierarchy(both),
            Some((PathBuf::from("/sys/fs/cgroup/blkio"), false))
        );
        assert_eq!(hierarchy("1 1 8:1 / / rw - ext4 /dev/sda1 rw\n"), None);
    }
}
