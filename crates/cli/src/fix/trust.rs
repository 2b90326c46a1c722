//! The owner of a journal.
//!
//! A journal is an order to write to a disk, so only the journal of the user who runs this program is obeyed. Its
//! hashes detect faults of hardware, not attackers, who could compute them too.

use std::fs::{File, Metadata, OpenOptions};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;

use ioalign_core::shell;
use rustix::fs::OFlags;
use rustix::process::{getegid, geteuid};

use crate::allowed_files::folder_of;

/// Bits of a mode: others may read, write or run it; the group or others may write to it; only the owner of a file may
/// take it out of the folder.
const NOT_PRIVATE: u32 = 0o077;
const GROUP_WRITES: u32 = 0o020;
const OTHERS_WRITE: u32 = 0o002;
const STICKY: u32 = 0o1000;

/// Why the journal at `path` is not obeyed. Links are not followed, and what would wait when it is opened is not
/// waited for.
pub fn of_journal(path: &Path) -> Result<(), String> {
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let mut options = OpenOptions::new();
    options.read(true);
    options.custom_flags(i32::try_from(flags.bits()).unwrap_or(0));
    let found = options.open(path).and_then(|file: File| file.metadata());
    let found = match found {
        Ok(found) => found,
        Err(_) if path.is_symlink() => return Err("it is a symbolic link".to_owned()),
        Err(error) => return Err(format!("it cannot be opened: {error}")),
    };
    file(&found)?;
    of_folder(path)
}

fn file(found: &Metadata) -> Result<(), String> {
    let own = geteuid().as_raw();
    let no = |why: &str| Err(why.to_owned());
    match found {
        _ if !found.is_file() => no("it is no regular file"),
        _ if found.uid() != own => Err(format!(
            "it belongs to user {}, and this program runs as {own}",
            found.uid()
        )),
        _ if found.mode() & NOT_PRIVATE != 0 => Err(format!(
            "its mode is {:04o}: others than its owner can open it",
            found.mode() & 0o7777
        )),
        _ if found.nlink() != 1 => no("it has another name as well"),
        _ => Ok(()),
    }
}

/// Why a journal at `path` would not be safe from other users: what they may do in its folder.
pub fn of_folder(path: &Path) -> Result<(), String> {
    let folder = folder_of(path);
    let name = shell::path(&folder);
    let found = match folder.metadata() {
        Ok(found) => found,
        Err(error) => return Err(format!("its folder {name} cannot be looked at: {error}")),
    };
    let own = geteuid().as_raw();
    if found.uid() != own && found.uid() != 0 {
        return Err(format!("its folder {name} belongs to user {}", found.uid()));
    }
    let mode = found.mode();
    let by_group = mode & GROUP_WRITES != 0 && found.gid() != getegid().as_raw();
    if mode & STICKY == 0 && (by_group || mode & OTHERS_WRITE != 0) {
        return Err(format!(
            "other users can replace files in its folder {name}"
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};

    fn set_mode(path: &Path, mode: u32) {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn only_a_private_file_of_ones_own_is_obeyed() {
        let folder = tempfile::tempdir().unwrap();
        let journal = folder.path().join("journal");
        fs::write(&journal, "x").unwrap();
        set_mode(&journal, 0o600);
        assert_eq!(of_journal(&journal), Ok(()));
        for (mode, word) in [(0o640, "mode"), (0o602, "mode"), (0o604, "mode")] {
            set_mode(&journal, mode);
            assert!(of_journal(&journal).unwrap_err().contains(word));
        }
        set_mode(&journal, 0o600);
        let link = folder.path().join("link");
        symlink(&journal, &link).unwrap();
        assert!(of_journal(&link).unwrap_err().contains("symbolic link"));
        let hard = folder.path().join("hard");
        fs::hard_link(&journal, &hard).unwrap();
        assert!(of_journal(&journal).unwrap_err().contains("another name"));
        fs::remove_file(&hard).unwrap();
        assert!(of_journal(folder.path()).is_err());
        set_mode(folder.path(), 0o777);
        assert!(of_journal(&journal).unwrap_err().contains("other users"));
        set_mode(folder.path(), 0o1777);
        assert_eq!(of_journal(&journal), Ok(()));
    }
}
