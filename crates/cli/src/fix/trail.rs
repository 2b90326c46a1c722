//! A link where the journal would be by default, to one that was put elsewhere: who forgets that place, and
//! asks for the same disk again, must not have a plan made of data that are on their way.

use std::path::{Path, PathBuf};

use anyhow::Result;

use super::place;
use crate::args::FixArgs;

/// The link; nothing where the journal is in its usual place.
pub struct Trail {
    link: Option<PathBuf>,
}

impl Trail {
    /// Leaves it. That it cannot be made is no reason not to move.
    pub fn leave(arguments: &FixArgs, journal: &Path) -> Result<Self> {
        let trail = Self::of(arguments, journal)?;
        if let Some(link) = &trail.link {
            let to = std::path::absolute(journal).unwrap_or_else(|_| journal.to_owned());
            // One that leads nowhere is of a job that has ended.
            trail.forget();
            let _ = std::os::unix::fs::symlink(to, link);
        }
        Ok(trail)
    }

    /// That of a journal.
    pub fn of(arguments: &FixArgs, journal: &Path) -> Result<Self> {
        let usual = place::usual(&arguments.target)?;
        let same = whole(&usual) == whole(journal);
        Ok(Self {
            link: (!same).then_some(usual),
        })
    }

    /// Takes it away.
    pub fn forget(&self) {
        let Some(link) = &self.link else { return };
        if link.is_symlink() {
            let _ = std::fs::remove_file(link);
        }
    }
}

/// The folder as it is, and the name in it, which need not be there.
fn whole(path: &Path) -> PathBuf {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    match path.file_name() {
        Some(name) => folder.join(name),
        None => folder,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_place_has_many_names() {
        let here = std::env::current_dir().unwrap();
        assert_eq!(whole(Path::new("name")), whole(&here.join("name")));
        assert_eq!(whole(Path::new("./name")), whole(&here.join("name")));
        assert_ne!(whole(Path::new("other")), whole(&here.join("name")));
    }
}
