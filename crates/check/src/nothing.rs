//! Folders and OVAs in which nothing was judged: they have a row of their own, and are `unknown`.

use std::path::{Path, PathBuf};

use ioalign_core::{Finding, Severity, rules};
use ioalign_report::{SourceKind, Target};

use super::folder::NamedTarget;
use super::{next, package};

/// The folders and OVAs that the operator named, and what came of them.
#[derive(Default)]
pub struct NamedFolders(Vec<NamedFolder>);

struct NamedFolder {
    path: PathBuf,
    files: usize,
    is_judged: bool,
}

impl NamedFolders {
    /// The folders among `targets`, with the `files` that were found in them.
    pub fn new(targets: &[PathBuf], files: &[NamedTarget]) -> Self {
        let is_unpacked = |path: &PathBuf| {
            let lies_in = |file: &NamedTarget| file.packed.is_some() && file.file() == path;
            package::is_named(path) && files.iter().any(lies_in)
        };
        let folders = targets
            .iter()
            .filter(|path| path.is_dir() || is_unpacked(path));
        let folders = folders.map(|path| NamedFolder {
            path: path.clone(),
            files: files
                .iter()
                .filter(|file| file.path.starts_with(path))
                .count(),
            is_judged: false,
        });
        Self(folders.collect())
    }

    /// Remembers a target that was judged.
    pub fn judged(&mut self, target: &Target) {
        for folder in self.0.iter_mut().filter(|folder| !folder.is_judged) {
            folder.is_judged = Path::new(&target.name).starts_with(&folder.path);
        }
    }

    /// A target for each folder of which nothing was judged.
    pub fn silent(self) -> Vec<Target> {
        let silent = self.0.into_iter().filter(|folder| !folder.is_judged);
        silent.map(|folder| folder.target()).collect()
    }
}

impl NamedFolder {
    fn target(self) -> Target {
        let name = self.path.display().to_string();
        let files = match self.files {
            0 => "it holds no file".to_owned(),
            1 => "the one file in it is left out".to_owned(),
            files => format!("all {files} files in it are left out"),
        };
        let why =
            format!("Nothing is recognised in {name}, no image, capture or database: {files}");
        let mut findings = vec![Finding::new(
            rules::NOTHING_RECOGNISED,
            Severity::Unknown,
            why,
        )];
        next::pages(&mut findings);
        Target {
            name,
            source: SourceKind::Image,
            verdict: Severity::Unknown,
            findings,
            ..Target::default()
        }
    }
}
