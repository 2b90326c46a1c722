//! A target that was opened, after all refusals.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::Duration;

use crate::cache::Caches;
use crate::direct::Direct;
use crate::lock::LockedBelow;
use crate::scratch::ScratchHeader;
use crate::{Error, Result};

/// How long the end of a run waits for a scratch file to be sealed.
const SEAL_PATIENCE: Duration = Duration::from_secs(10);

/// The kind of a target.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum TargetKind {
    /// A block device.
    Block,
    /// A regular file.
    File,
    /// A folder with files for the load.
    Folder,
}

/// An open file of a target.
#[derive(Debug)]
pub struct TargetFile {
    /// Its path.
    pub path: PathBuf,
    /// Open as was wanted.
    pub file: File,
    /// How much of it may be used.
    pub size_bytes: u64,
    /// For a scratch file that is written.
    pub(crate) scratch: Option<ScratchHeader>,
}

impl Drop for TargetFile {
    /// On a device that hangs the seal would wait for ever, so a thread of its own sets it. A file that could not be
    /// sealed is asked about by the next run.
    fn drop(&mut self) {
        let Some((header, file)) = self.scratch.take().zip(self.file.try_clone().ok()) else {
            return;
        };
        let (done, sealed) = mpsc::channel();
        std::thread::spawn(move || {
            let _ = header.seal(&file);
            // The file is closed when the target is gone.
            drop(file);
            let _ = done.send(());
        });
        let _ = sealed.recv_timeout(SEAL_PATIENCE);
    }
}

/// A target that may be used as was wanted.
#[derive(Debug)]
pub struct Target {
    pub(crate) path: PathBuf,
    pub(crate) kind: TargetKind,
    pub(crate) members: Vec<TargetFile>,
    pub(crate) logical_bytes: u64,
    pub(crate) direct: Option<Direct>,
    pub(crate) write: bool,
    pub(crate) caches: Caches,
    pub(crate) notes: Vec<String>,
    /// Held for as long as it is open for writing.
    pub(crate) below: Option<LockedBelow>,
}

impl Target {
    /// As it was named.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its kind.
    pub const fn kind(&self) -> TargetKind {
        self.kind
    }

    /// Its files: one, or those of a folder.
    pub fn members(&self) -> &[TargetFile] {
        &self.members
    }

    /// How much of it may be used.
    pub fn size_bytes(&self) -> u64 {
        self.members.iter().map(|member| member.size_bytes).sum()
    }

    /// The logical sector of a device; of a file what `O_DIRECT` takes, or 1.
    pub const fn logical_bytes(&self) -> u64 {
        self.logical_bytes
    }

    /// Alignment that `O_DIRECT` requires; `None`: it uses the page cache.
    pub const fn direct(&self) -> Option<Direct> {
        self.direct
    }

    /// Whether it was opened for writing.
    pub const fn writable(&self) -> bool {
        self.write
    }

    /// Notes for the reader of a report.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Files below it whose pages [`Target::evict`] drops.
    pub fn cached_below(&self) -> impl Iterator<Item = &Path> {
        self.caches.paths()
    }

    /// Whether what is written stays in a page cache for a while: its own, or that of a file below it.
    pub fn keeps_writes(&self) -> bool {
        self.direct.is_none() || !self.caches.is_empty()
    }

    /// Waits until what was written is on the device at the bottom, through every page cache on the way.
    pub fn flush(&self) -> Result<()> {
        for member in &self.members {
            crate::cache::flush(&member.file, &member.path)?;
        }
        self.caches.flush()
    }

    /// Writes back and drops what the page cache holds of the target and of the files below it: the
    /// backing file of a loop device.
    pub fn evict(&self) -> Result<()> {
        for member in &self.members {
            crate::cache::drop_pages(&member.file)
                .map_err(|error| Error::io("its cached pages cannot be dropped", error))
                .map_err(|error| error.of_target(&member.path))?;
        }
        self.caches.evict()
    }
}
