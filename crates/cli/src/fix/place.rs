//! Where the journal is.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use ioalign_repair::journal::JournalFile;

use super::target;
use crate::args::FixArgs;

const ENDING: &str = "ioalign-journal";

/// As named; else the usual place, or what a link there leads to.
pub fn journal(arguments: &FixArgs) -> Result<PathBuf> {
    if let Some(path) = &arguments.journal {
        return Ok(path.clone());
    }
    let usual = usual(&arguments.target)?;
    Ok(std::fs::read_link(&usual).unwrap_or(usual))
}

/// Beside an image, and for a device in the working directory.
pub fn usual(target: &Path) -> Result<PathBuf> {
    let mut name = match target.file_name() {
        Some(name) => name.to_owned(),
        None => bail!("{}: this is no file name", target.display()),
    };
    name.push(".");
    name.push(ENDING);
    Ok(if target::is_block(target)? {
        PathBuf::from(name)
    } else {
        target.with_file_name(name)
    })
}

/// What is planned on a disk whose data are on their way would be nonsense.
pub fn no_unfinished(arguments: &FixArgs) -> Result<()> {
    let usual = usual(&arguments.target)?;
    let named = arguments.journal.clone();
    let mut places = [(Some(&usual), None), (named.as_ref(), named.as_deref())].into_iter();
    let found = places.find(|(path, _)| path.is_some_and(|path| path.exists()));
    if let Some((Some(path), option)) = found {
        bail!(
            "{}: here is the journal of an unfinished job, or another file: {} ends it",
            path.display(),
            calls(&arguments.target, option)
        );
    }
    Ok(())
}

/// The calls that end a job.
pub fn ways(arguments: &FixArgs) -> String {
    calls(&arguments.target, arguments.journal.as_deref())
}

fn calls(target: &Path, journal: Option<&Path>) -> String {
    let call = format!("ioalign fix {}", target.display());
    let journal = match journal {
        Some(path) => format!(" --journal {}", path.display()),
        None => String::new(),
    };
    format!("`{call} --resume{journal}` or `{call} --rollback{journal}`")
}

/// Says that a journal in memory is none after a power cut.
pub fn warn_volatile(path: &Path, quiet: bool) {
    if !quiet && JournalFile::is_volatile(path) {
        anstream::eprintln!(
            "ioalign: {}: the journal lies in memory: after a loss of power it is gone, and with it what is on \
             its way. Name a place on a disk with --journal",
            path.display()
        );
    }
}

/// A journal that has to be there.
pub fn existing(arguments: &FixArgs) -> Result<PathBuf> {
    let path = journal(arguments)?;
    if !path.exists() {
        bail!(
            "{}: there is no journal: without it nobody knows how far the job has come, so nothing is touched; \
             if it lies elsewhere, name it with --journal",
            path.display()
        );
    }
    Ok(path)
}
