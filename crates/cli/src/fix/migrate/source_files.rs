//! Where the files of packages lie: in folders, or in an OVA.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result, anyhow, ensure};
use ioalign_core::shell;
use ioalign_device::lock;
use ioalign_inspect::archive::files;
use ioalign_inspect::source::{FileSource, Source};

use super::has_ending;
use super::source_file::SourceFile;

/// The files by their paths.
pub enum SourceFiles {
    /// Those of this host.
    Host,
    /// Those in an OVA.
    Packed(BTreeMap<PathBuf, SourceFile>),
}

impl SourceFiles {
    /// Opens an OVA, and keeps writers out of it for as long as its files are there.
    pub fn packed(path: &Path) -> Result<Self> {
        let file = FileSource::open(path)?;
        lock::shared(file.file(), path)?;
        let whole: Arc<dyn Source> = Arc::new(file);
        let listed = files::files(&whole)?.ok_or_else(|| {
            anyhow!(
                "{}: it is no tar, and so no OVA; if it is compressed as a whole, unpack it into a folder and name the .ovf",
                shell::path(path)
            )
        })?;
        let files = listed.into_iter().map(|file| {
            let name = path.join(&file.name);
            let source = file.source(&whole, &name);
            (name, SourceFile::packed(source, path))
        });
        Ok(Self::Packed(files.collect()))
    }

    /// The one description of an OVA.
    pub fn description(&self) -> Result<SourceFile> {
        let Self::Packed(files) = self else {
            return Err(anyhow!("it is no OVA"));
        };
        let mut all = files.values().filter(|file| has_ending(&file.path, "ovf"));
        match (all.next(), all.next()) {
            (Some(only), None) => Ok(only.clone()),
            (None, _) => Err(anyhow!(
                "it is a tar without a description (.ovf), and so no OVA"
            )),
            _ => Err(anyhow!("it holds more than one description (.ovf)")),
        }
    }

    /// The file with this path, which a description in the folder `home` names; `None`: there is none. No link leads out
    /// of that folder.
    pub fn find(&self, path: &Path, home: &Path) -> Result<Option<SourceFile>> {
        if let Self::Packed(files) = self {
            return Ok(files.get(path).cloned());
        }
        if path.symlink_metadata().is_err() {
            return Ok(None);
        }
        let home = match home.as_os_str().is_empty() {
            true => Path::new(".").canonicalize()?,
            false => home.canonicalize()?,
        };
        let found = path.canonicalize();
        let found = found.with_context(|| format!("{} cannot be found", path.display()))?;
        ensure!(
            found.starts_with(&home),
            "its file {} is a link out of its folder",
            path.display()
        );
        Ok(Some(SourceFile::new(path.to_owned())))
    }
}
