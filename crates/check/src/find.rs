//! The targets that are named.

use std::path::PathBuf;

use ioalign_report::Target;

use super::folder::{self, NamedTarget};
use super::nothing::NamedFolders;
use super::{CheckJob, atomic, captures, package, target};

/// The targets, found and not yet all judged.
#[derive(Default)]
pub struct FoundTargets {
    /// Targets that are judged at once: a host, texts that make one stack.
    pub judged: Vec<Target>,
    /// Files, each a target of its own.
    pub files: Vec<NamedTarget>,
    /// The folders that were named.
    pub folders: NamedFolders,
    /// What the search did not follow, a sentence each.
    pub notes: Vec<String>,
}

impl From<Target> for FoundTargets {
    fn from(only: Target) -> Self {
        Self {
            judged: vec![only],
            ..Self::default()
        }
    }
}

impl From<NamedTarget> for FoundTargets {
    fn from(only: NamedTarget) -> Self {
        Self {
            files: vec![only],
            ..Self::default()
        }
    }
}

/// Finds the targets, and judges those that are no files of their own: this host without any, and all files as the disks of
/// one machine where they belong `together`.
pub fn find(targets: &[PathBuf], together: bool, job: &CheckJob) -> FoundTargets {
    if let Some(request) = &job.atomic {
        return FoundTargets {
            judged: atomic::judge(targets, job, request),
            ..FoundTargets::default()
        };
    }
    if targets.is_empty() {
        return target::host(job, &[]).into();
    }
    if together {
        return target::together(job, targets).into();
    }
    if let [only] = targets
        && job.reads_contents()
        && !package::is_named(only)
        && let Some(source) = captures::image(only)
    {
        return NamedTarget::opened(only.clone(), source).into();
    }
    // A text file has extents and takes direct I/O as any other; what is in it does not matter.
    let (texts, others) = match job.extents || job.direct_io {
        true => (Vec::new(), targets.to_vec()),
        false => captures::split(targets, job.text_format.as_deref()),
    };
    let mut judged = Vec::new();
    if !texts.is_empty() {
        judged.push(target::texts(job, &texts));
    }
    let (mut files, notes) = folder::expand(&others, job);
    // A text that is named is judged with the other texts, and not once more where its folder is named too.
    files.retain(|file| !(file.found && texts.contains(&file.path)));
    let folders = NamedFolders::new(&others, &files);
    FoundTargets {
        judged,
        files,
        folders,
        notes,
    }
}
