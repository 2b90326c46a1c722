//! The guest's kernel: the newest Debian cloud kernel of this machine, or another one, and its modules. With
//! `IOALIGN_VM_KERNEL`, the one in that folder: a kernel package, unpacked (`dpkg-deb -x`, `depmod -b`).
//!
//! It need not be the kernel that runs; it has md, device mapper, scsi_debug, null_blk, brd,
//! nvmet-tcp and XFS as modules, which hosts and containers often lack.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::{env, fs};

use crate::error::{Result, Tried};
use crate::host;

/// A kernel that can be booted.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Kernel {
    /// `6.1.0-56-cloud-amd64`
    pub version: String,
    /// `/boot/vmlinuz-…`
    pub image: PathBuf,
    /// Where its package is unpacked: `/` for an installed one.
    pub root: PathBuf,
}

impl Kernel {
    /// `/lib/modules/VERSION`
    pub fn modules(&self) -> PathBuf {
        self.root.join("lib/modules").join(&self.version)
    }

    /// Where a file of it is in the guest.
    pub fn inside(&self, path: &Path) -> PathBuf {
        let below = path.strip_prefix(&self.root).unwrap_or(path);
        Path::new("/").join(below)
    }
}

/// The kernel for a guest.
///
/// # Errors
///
/// There is none.
pub fn wanted() -> Result<Kernel> {
    newest().tried(|| {
        "no kernel for the guest: /boot has no vmlinuz that may be read, with its modules in /lib/modules (Debian: \
         linux-image-cloud-amd64); IOALIGN_VM_KERNEL names a folder with an unpacked one"
            .to_owned()
    })
}

/// The newest kernel that has its modules and may be read; of those of this machine a cloud kernel first.
pub fn newest() -> Option<Kernel> {
    let root = env::var_os("IOALIGN_VM_KERNEL").map_or_else(|| PathBuf::from("/"), PathBuf::from);
    let entries = fs::read_dir(root.join("boot")).ok()?;
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let mut found: Vec<Kernel> = names.filter_map(|name| usable(&root, &name)).collect();
    found.sort_by_key(|kernel| (kernel.version.contains("cloud"), numbers(&kernel.version)));
    found.pop()
}

fn usable(root: &Path, name: &str) -> Option<Kernel> {
    let version = name.strip_prefix("vmlinuz-")?;
    let kernel = Kernel {
        version: version.to_owned(),
        image: root.join("boot").join(name),
        root: root.to_owned(),
    };
    let readable = fs::File::open(&kernel.image).is_ok() && kernel.modules().is_dir();
    readable.then_some(kernel)
}

/// `6.1.0-56-cloud` sorts after `6.1.0-9-cloud`.
fn numbers(version: &str) -> Vec<u64> {
    let parts = version.split(|c: char| !c.is_ascii_digit());
    parts.filter_map(|part| part.parse().ok()).collect()
}

/// The module files that `names` need, dependencies included. Built-in ones need none.
pub(super) fn closure(kernel: &Kernel, names: &[String]) -> Result<BTreeSet<PathBuf>> {
    let mut files = BTreeSet::new();
    for name in names {
        let text = show_depends(kernel, name)?;
        files.extend(text.lines().filter_map(inserted));
    }
    Ok(files)
}

fn show_depends(kernel: &Kernel, name: &str) -> Result<String> {
    let modprobe =
        host::which("modprobe").tried(|| "modprobe is missing (package kmod)".to_owned())?;
    let mut command = host::command(modprobe);
    command
        .arg("-d")
        .arg(&kernel.root)
        .args(["-S", &kernel.version, "--show-depends", name]);
    host::output(&mut command).tried(|| format!("kernel {} has no module {name}", kernel.version))
}

/// `insmod /lib/modules/…/dm-mod.ko options` → the path; `builtin dm_mod` → nothing.
fn inserted(line: &str) -> Option<PathBuf> {
    let path = line.strip_prefix("insmod ")?.split_whitespace().next()?;
    Some(PathBuf::from(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_sort_by_number() {
        assert!(numbers("6.1.0-56-cloud-amd64") > numbers("6.1.0-9-cloud-amd64"));
        assert!(numbers("6.12.1-cloud-amd64") > numbers("6.1.0-56-cloud-amd64"));
    }

    #[test]
    fn only_files_are_taken_from_modprobe() {
        assert_eq!(inserted("builtin ext4"), None);
        let line = "insmod /lib/modules/6/raid1.ko max=3 ";
        assert_eq!(
            inserted(line),
            Some(PathBuf::from("/lib/modules/6/raid1.ko"))
        );
    }
}
