//! A package in one file: an OVA is a tar of a description and its disks, which are judged where they lie, as the files
//! of a folder are.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use ioalign_inspect::archive::files;
use ioalign_inspect::part::PartSource;
use ioalign_inspect::source::{FileSource, Source};
use ioalign_inspect::{Error, Result};

use super::folder::NamedTarget;

/// The place of a file in an OVA.
pub struct PackedPlace {
    /// The OVA.
    pub package: PathBuf,
    /// The first byte, and how many there are.
    place: (u64, u64),
}

impl PackedPlace {
    /// The file, which is called `path`.
    pub fn open(&self, path: &Path) -> Result<Arc<dyn Source>> {
        let whole: Arc<dyn Source> = Arc::new(FileSource::open(&self.package)?);
        Ok(Arc::new(PartSource::new(whole, self.place, path)))
    }
}

/// Whether a file is an OVA by its name.
pub fn is_named(path: &Path) -> bool {
    path.extension()
        .is_some_and(|ending| ending.eq_ignore_ascii_case("ova"))
}

/// The files in an OVA, each a target; itself where it is none, or is damaged.
pub fn targets(path: &Path, found: bool) -> Vec<NamedTarget> {
    let own = NamedTarget::new(path.to_owned(), found);
    match packed(path) {
        Ok(Some(files)) if !files.is_empty() => files,
        Ok(_) => vec![own],
        Err(error) => vec![NamedTarget {
            damaged: Some(error),
            ..own
        }],
    }
}

fn packed(path: &Path) -> Result<Option<Vec<NamedTarget>>, Error> {
    let source: Arc<dyn Source> = Arc::new(FileSource::open(path)?);
    let Some(files) = files::files(&source)? else {
        return Ok(None);
    };
    let target = |file: files::TarFile| NamedTarget {
        packed: Some(PackedPlace {
            package: path.to_owned(),
            place: file.place,
        }),
        ..NamedTarget::new(path.join(file.name), true)
    };
    Ok(Some(files.into_iter().map(target).collect()))
}
