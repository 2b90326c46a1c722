//! Who may read a new file.

use std::fs::{self, File, Metadata, Permissions};
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};

/// Who may read a file when it is whole.
#[derive(Clone, Debug)]
pub enum Readers {
    /// Its owner alone.
    Owner,
    /// Its owner alone, or who may read the file of the same owner that it replaces.
    OwnerAtFirst,
    /// As the umask says, or who may read the file of the same owner that it replaces.
    Usual,
    /// By the umask, without bits for users who may not read all of these.
    Sources(Vec<Metadata>),
    /// Nobody who may not read all of these: of what was copied.
    Copied(Vec<Metadata>),
}

/// Gives the file its bits.
pub(super) fn give(file: &File, readers: &Readers, replaced: Option<&Metadata>) -> io::Result<()> {
    let own = file.metadata()?;
    let old = replaced.filter(|old| old.uid() == own.uid() && old.gid() == own.gid());
    let bits = match (readers, old) {
        (Readers::OwnerAtFirst | Readers::Usual, Some(old)) => old.mode() & 0o666,
        (Readers::Owner | Readers::OwnerAtFirst, _) => 0o600,
        (Readers::Usual, None) => 0o666 & !umask(),
        (Readers::Sources(all), _) => narrowed(0o666 & !umask(), all, &own),
        (Readers::Copied(all), _) => narrowed(0o666, all, &own),
    };
    file.set_permissions(Permissions::from_mode(bits | 0o600))
}

/// The bits that all sources have as well. A group that is not the source's may do what others may.
fn narrowed(bits: u32, sources: &[Metadata], own: &Metadata) -> u32 {
    sources.iter().fold(bits, |bits, source| {
        // The bits of a device say who may run programs on it, so a copy is for its owner only.
        let is_file = source.is_file();
        let mode = if is_file { source.mode() } else { 0o600 };
        let group = if source.gid() == own.gid() {
            mode & 0o060
        } else {
            mode << 3 & mode & 0o060
        };
        bits & (0o600 | group | mode & 0o006)
    })
}

/// The umask of this process; the narrowest if it cannot be read.
fn umask() -> u32 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("Umask:"));
    line.and_then(|text| u32::from_str_radix(text.trim(), 8).ok())
        .unwrap_or(0o077)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_is_never_wider_than_its_sources() {
        let folder = tempfile::tempdir().unwrap();
        let with = |name: &str, bits| {
            let path = folder.path().join(name);
            fs::write(&path, "x").unwrap();
            fs::set_permissions(&path, Permissions::from_mode(bits)).unwrap();
            path.metadata().unwrap()
        };
        let own = with("own", 0o600);
        for (bits, expected) in [
            (0o600, 0o600),
            (0o644, 0o644),
            (0o755, 0o644),
            (0o440, 0o640),
        ] {
            assert_eq!(
                narrowed(0o666, &[with("a", bits)], &own),
                expected,
                "{bits:o}"
            );
        }
        let two = [with("b", 0o644), with("c", 0o640)];
        assert_eq!(narrowed(0o666, &two, &own), 0o640);
        if rustix::process::geteuid().is_root() {
            let path = folder.path().join("b");
            std::os::unix::fs::chown(&path, None, Some(65534)).unwrap();
            fs::set_permissions(&path, Permissions::from_mode(0o664)).unwrap();
            let foreign = path.metadata().unwrap();
            assert_eq!(narrowed(0o666, &[foreign], &own), 0o644);
        }
    }
}
