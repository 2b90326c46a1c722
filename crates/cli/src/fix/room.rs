//! Whether what a job writes has room where a target lies: a sparse file and a growing image get longer.

use std::os::unix::fs::MetadataExt;
use std::path::Path;

use anyhow::Result;
use ioalign_core::{Bytes, rules};
use ioalign_repair::{Disk, Job, allocation, mover};
use ioalign_report::words::numbers::about;

use super::{options, place, refuse, target};
use crate::allowed_files::folder_of;
use crate::args::FixArgs;

/// The most that a job allocates, and the free space.
#[derive(Clone, Copy, Debug)]
pub struct FixRoom {
    needed: u64,
    free: u64,
}

impl FixRoom {
    /// For a target in a file system; `None` for a device.
    pub fn of(disk: &mut dyn Disk, job: &Job, path: &Path) -> Option<Self> {
        if job.moves.is_empty() || target::is_block(path).unwrap_or(true) {
            return None;
        }
        Some(Self {
            free: free_bytes(path)?,
            needed: allocation::most(disk, job),
        })
    }

    /// How the file grows, in words; nothing where it hardly does.
    pub fn growth(self) -> Option<String> {
        (self.needed >= Bytes::MIB.get()).then(|| {
            format!(
                "the file takes up to {} more of its file system, which has {} free",
                about(Bytes::new(self.needed)),
                about(Bytes::new(self.free))
            )
        })
    }

    /// Refuses what would fill the file system while data are on their way.
    pub fn enough(self, arguments: &FixArgs, job: &Job) -> Result<()> {
        let journal = self.journal_beside(arguments, job);
        let needed = self.needed.saturating_add(journal);
        if needed <= self.free {
            return Ok(());
        }
        let what = format!(
            "{}: this takes up to {} of its file system, {} of it for the journal, and {} are free; make room, or \
             write a new image elsewhere (--output). Nothing was written",
            arguments.target.display(),
            about(Bytes::new(needed)),
            about(Bytes::new(journal)),
            about(Bytes::new(self.free))
        );
        Err(refuse::refusal(
            rules::FIX_NO_SPACE,
            what,
            &refuse::again(arguments),
        ))
    }

    /// The space of the journal in the same file system.
    fn journal_beside(self, arguments: &FixArgs, job: &Job) -> u64 {
        let place = place::journal(arguments).ok();
        let beside = place.and_then(|path| folder_of(&path).metadata().ok());
        let own = arguments.target.metadata().ok();
        let same = beside
            .zip(own)
            .is_some_and(|(one, other)| one.dev() == other.dev());
        match same {
            true => mover::journal_bytes(job, &options(arguments)).unwrap_or(0),
            false => 0,
        }
    }
}

/// What is free in the file system that `path` lies in. Space reserved for root is free for root.
pub fn free_bytes(path: &Path) -> Option<u64> {
    let system = rustix::fs::statvfs(path).ok()?;
    let blocks = match rustix::process::geteuid().is_root() {
        true => system.f_bfree,
        false => system.f_bavail,
    };
    Some(blocks.saturating_mul(system.f_frsize))
}
