//! The targets that the arguments of `check` name.

use anyhow::Result;
use ioalign_report::Target;

use super::folder::{self, NamedTarget};
use super::nothing::NamedFolders;
use super::{CheckJob, captures, target};
use crate::args::CheckArgs;

/// The targets that the arguments name.
pub struct FoundTargets {
    /// Targets that are judged at once: a host, texts that make one stack.
    pub judged: Vec<Target>,
    /// Files, each a target of its own.
    pub files: Vec<NamedTarget>,
    /// The folders that were named.
    pub folders: NamedFolders,
}

impl From<Target> for FoundTargets {
    fn from(only: Target) -> Self {
        Self {
            judged: vec![only],
            files: Vec::new(),
            folders: NamedFolders::default(),
        }
    }
}

impl From<NamedTarget> for FoundTargets {
    fn from(only: NamedTarget) -> Self {
        Self {
            judged: Vec::new(),
            files: vec![only],
            folders: NamedFolders::default(),
        }
    }
}

/// Finds the targets, and judges those that are no files of their own.
pub fn find(arguments: &CheckArgs, job: &CheckJob) -> Result<FoundTargets> {
    let targets = &arguments.targets;
    if targets.is_empty() {
        return Ok(target::host(job, &[]).into());
    }
    if arguments.together {
        return Ok(target::together(job, targets).into());
    }
    if let [only] = targets.as_slice()
        && job.reads_contents()
        && let Some(source) = captures::image(only)
    {
        return Ok(NamedTarget::opened(only.clone(), source).into());
    }
    // A text file has extents and takes direct I/O as any other; what is in it does not matter.
    let (texts, others) = match job.extents || job.direct_io {
        true => (Vec::new(), targets.clone()),
        false => captures::split(targets, job.text_format.as_deref()),
    };
    let mut judged = Vec::new();
    if !texts.is_empty() {
        judged.push(target::texts(job, &texts));
    }
    let mut files = folder::expand(&others, job);
    // A text that is named is judged with the other texts, and not once more where its folder is named too.
    files.retain(|file| !(file.found && texts.contains(&file.path)));
    let folders = NamedFolders::new(&others, &files);
    Ok(FoundTargets {
        judged,
        files,
        folders,
    })
}
