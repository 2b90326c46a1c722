//! A file that is migrated: one of a folder, or one in an OVA, which is read where it lies.

use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Result, anyhow};
use ioalign_check::{CheckJob, target};
use ioalign_core::move_words;
use ioalign_inspect::moving;
use ioalign_inspect::source::{FileSource, Source};
use ioalign_repair::{Disk, container};
use ioalign_report::Target;

use super::super::place;

/// The file.
#[derive(Clone)]
pub struct SourceFile {
    /// Where it is. In an OVA it has the path of that, with its name behind.
    pub path: PathBuf,
    packed: Option<PackedFile>,
}

#[derive(Clone)]
struct PackedFile {
    source: Arc<dyn Source>,
    package: PathBuf,
}

impl SourceFile {
    /// A file of this host.
    pub const fn new(path: PathBuf) -> Self {
        Self { path, packed: None }
    }

    /// One in an OVA that is open and locked.
    pub fn packed(source: Arc<dyn Source>, package: &Path) -> Self {
        Self {
            path: source.path().to_owned(),
            packed: Some(PackedFile {
                source,
                package: package.to_owned(),
            }),
        }
    }

    /// Its bytes.
    pub fn source(&self) -> ioalign_inspect::Result<Arc<dyn Source>> {
        match &self.packed {
            Some(packed) => Ok(Arc::clone(&packed.source)),
            None => Ok(Arc::new(FileSource::open(&self.path)?)),
        }
    }

    /// The disk in it, and no program writes to that.
    pub fn disk(&self) -> ioalign_repair::Result<Box<dyn Disk>> {
        match &self.packed {
            Some(packed) => container::open_source(&packed.source),
            None => container::open(&self.path, false),
        }
    }

    /// Its bytes as a disk.
    pub fn bytes(&self) -> ioalign_repair::Result<Box<dyn Disk>> {
        match &self.packed {
            Some(packed) => Ok(container::source_as_disk(Arc::clone(&packed.source))),
            None => container::file_as_disk(&self.path),
        }
    }

    /// What `check` says of it.
    pub fn judged(&self, job: &CheckJob) -> Target {
        match &self.packed {
            Some(packed) => target::packed(&packed.source, &packed.package, job),
            None => crate::check::one(&self.path, job),
        }
    }

    /// The file on this host that it is, or lies in: who may read that may read a copy.
    pub fn host_file(&self) -> &Path {
        self.packed
            .as_ref()
            .map_or(&self.path, |packed| &packed.package)
    }

    /// How long it is.
    pub fn length(&self) -> u64 {
        match &self.packed {
            Some(packed) => packed.source.len(),
            None => self.path.metadata().map_or(0, |meta| meta.len()),
        }
    }

    /// Bytes that it takes there.
    pub fn stored(&self) -> u64 {
        match &self.packed {
            Some(packed) => packed.source.len(),
            None => stored(&self.path),
        }
    }

    /// Refuses an image whose data are on their way.
    pub fn is_at_rest(&self) -> Result<()> {
        let source = self.source().ok();
        let marker = source.and_then(|source| moving::marker_in(&source).ok().flatten());
        if let Some(marker) = marker {
            return Err(anyhow!(move_words::state(&marker)));
        }
        if self.packed.is_some() {
            return Ok(());
        }
        let journal = place::beside(&self.path)?;
        match journal.filter(|path| path.symlink_metadata().is_ok()) {
            Some(path) => Err(anyhow!(
                "beside it is the journal of an unfinished job, or another file of that name: {}",
                path.display()
            )),
            None => Ok(()),
        }
    }

    /// Its bytes in order. `read` hears of each piece, and may stop it.
    pub fn reader<'a>(
        &self,
        read: &'a mut dyn FnMut(u64) -> bool,
    ) -> ioalign_inspect::Result<impl Read + 'a> {
        Ok(SourceReader {
            source: self.source()?,
            at: 0,
            read,
        })
    }

    /// Its text, if it has no more bytes than `most`.
    pub fn text(&self, most: u64) -> Result<String> {
        let source = self.source()?;
        anyhow::ensure!(source.len() <= most, "is longer than any such file");
        let mut bytes = vec![0; usize::try_from(source.len())?];
        source.read_at(0, &mut bytes)?;
        String::from_utf8(bytes).map_err(|_| anyhow!("is no text in UTF-8"))
    }
}

/// Bytes that a file takes of its file system.
pub fn stored(path: &Path) -> u64 {
    let blocks = path.metadata().map_or(0, |meta| meta.blocks());
    blocks.saturating_mul(512)
}

struct SourceReader<'a> {
    source: Arc<dyn Source>,
    at: u64,
    read: &'a mut dyn FnMut(u64) -> bool,
}

impl Read for SourceReader<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let left = self.source.len().saturating_sub(self.at);
        let len = usize::try_from(left).map_or(out.len(), |left| left.min(out.len()));
        let out = out.get_mut(..len).unwrap_or_default();
        self.source
            .read_at(self.at, out)
            .map_err(io::Error::other)?;
        self.at += len as u64;
        match (self.read)(len as u64) {
            true => Ok(len),
            false => Err(io::Error::other("stopped")),
        }
    }
}
