//! What a process may still open: Landlock (Linux 5.13) takes the rest away for good. Foreign bytes that found a way into
//! the program would find no other file, and no network.

use std::path::{Path, PathBuf};

use anyhow::Result;
use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, Ruleset, RulesetAttr,
    RulesetCreatedAttr, path_beneath_rules,
};

/// The newest rights that are asked for; an older kernel takes what it knows of them.
const RIGHTS: ABI = ABI::V5;

/// The files that stay within reach. A path that does not exist is left out.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct AllowedFiles {
    /// Files, and folders with all beneath them, to read.
    pub read: Vec<PathBuf>,
    /// Terminals: read, written, asked for their size.
    pub terminal: Vec<PathBuf>,
    /// Folders in which files are made and replaced.
    pub folders: Vec<PathBuf>,
}

impl AllowedFiles {
    /// Gives up all other files and the network. To be called before threads start: they keep what they have.
    ///
    /// # Errors
    /// When the kernel refuses it. A kernel without Landlock refuses nothing, and nothing is given up.
    pub fn enforce(&self) -> Result<()> {
        let all = AccessFs::from_all(RIGHTS);
        let read: BitFlags<AccessFs> = AccessFs::ReadFile | AccessFs::ReadDir;
        let terminal = read | AccessFs::WriteFile | AccessFs::IoctlDev;
        Ruleset::default()
            .set_compatibility(CompatLevel::BestEffort)
            .handle_access(all)?
            .handle_access(AccessNet::from_all(RIGHTS))?
            .create()?
            .add_rules(path_beneath_rules(&self.read, read))?
            .add_rules(path_beneath_rules(&self.terminal, terminal))?
            .add_rules(path_beneath_rules(&self.folders, all))?
            .restrict_self()?;
        Ok(())
    }
}

/// The folder that a file lies in.
pub fn folder_of(path: &Path) -> PathBuf {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
        _ => PathBuf::from("."),
    }
}

/// Whether this kernel has Landlock: its version is asked for by a call without a set.
#[cfg(test)]
pub fn has_landlock() -> bool {
    let made = Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::ReadFile)
        .and_then(Ruleset::create);
    made.is_ok()
}
