//! Programs for the guest: the host's own, with the libraries that `ldd` names.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::error::{Result, Tried};
use crate::host;

/// What every guest has beside busybox.
pub const BASIC: [&str; 8] = [
    "blockdev", "dd", "dmsetup", "kmod", "lsblk", "sfdisk", "sync", "tar",
];

/// Where the files go in the guest, and where they come from.
pub type Files = BTreeMap<PathBuf, PathBuf>;

/// The files that `names` need.
pub fn collect<'a>(names: impl IntoIterator<Item = &'a str>) -> Result<Files> {
    let mut files = Files::new();
    for name in names {
        let program = host::which(name)
            .tried(|| format!("the guest needs {name}, which is not installed"))?;
        let program = program
            .canonicalize()
            .tried(|| format!("cannot follow {}", program.display()))?;
        for library in libraries(&program)? {
            files.insert(library.clone(), library);
        }
        files.insert(Path::new("/bin").join(name), program);
    }
    Ok(files)
}

/// The shared libraries that a program is linked with.
pub fn libraries(program: &Path) -> Result<Vec<PathBuf>> {
    // A script or a static program has none, and ldd says so with a failure.
    let text = host::output(host::command("ldd").arg(program)).unwrap_or_default();
    Ok(text.lines().filter_map(library).collect())
}

/// `libc.so.6 => /lib/…/libc.so.6 (0x…)` and `/lib64/ld-linux-x86-64.so.2 (0x…)`.
fn library(line: &str) -> Option<PathBuf> {
    let line = line.trim();
    let path = line.split_once("=> ").map_or(line, |(_, path)| path);
    path.starts_with('/')
        .then(|| PathBuf::from(path.split_whitespace().next().unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn library_lines_of_ldd() {
        let libc = "\tlibc.so.6 => /lib/x86_64-linux-gnu/libc.so.6 (0x00007f)";
        assert_eq!(
            library(libc),
            Some(PathBuf::from("/lib/x86_64-linux-gnu/libc.so.6"))
        );
        let loader = "\t/lib64/ld-linux-x86-64.so.2 (0x00007f)";
        assert_eq!(
            library(loader),
            Some(PathBuf::from("/lib64/ld-linux-x86-64.so.2"))
        );
        assert_eq!(library("\tlinux-vdso.so.1 (0x00007ffd)"), None);
        assert_eq!(library("\tlibx.so => not found"), None);
    }
}
