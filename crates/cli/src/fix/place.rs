//! The place of the journal: named, beside an image, or in the folder for journals under the identity of its
//! disk.

use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use ioalign_core::{rules, shell};
use ioalign_device::TargetIdentity;
use ioalign_repair::journal::JournalFile;
use rustix::process::geteuid;

use super::{refuse, target, trust};
use crate::args::FixArgs;
use crate::say::note;

const ENDING: &str = "ioalign-journal";
/// The folder for journals of devices, and of images in folders that others can write to.
pub const FOLDER: &str = "/var/lib/ioalign";

/// The path of the journal of a new job.
pub fn journal(arguments: &FixArgs) -> Result<PathBuf> {
    if let Some(path) = &arguments.journal {
        return Ok(path.clone());
    }
    if arguments.journal_dir.is_none()
        && let Some(beside) = beside(&arguments.target)?
        && (trust::of_folder(&beside).is_ok() || !geteuid().is_root())
    {
        return Ok(beside);
    }
    by_identity(arguments)
}

/// The same, and makes sure that no other user can put something else there.
pub fn prepare(arguments: &FixArgs) -> Result<PathBuf> {
    let path = journal(arguments)?;
    if arguments.journal.is_none()
        && let Some(folder) = path
            .parent()
            .filter(|folder| *folder == self::folder(arguments))
    {
        let made = DirBuilder::new().recursive(true).mode(0o700).create(folder);
        made.with_context(|| {
            format!(
                "{}: the folder for journals cannot be made; name another one with --journal-dir",
                folder.display()
            )
        })?;
    }
    if let Err(why) = trust::of_folder(&path) {
        let what = format!(
            "{}: no journal is kept here, as it is obeyed when it is found again, and {why}; name another place with \
             --journal",
            path.display()
        );
        let next = format!("ls -ld {}", shell::path(path.parent().unwrap_or(&path)));
        return Err(refuse::refusal(rules::FIX_JOURNAL_DISTRUSTED, what, &next));
    }
    Ok(std::path::absolute(&path)?)
}

/// Everywhere that the journal of this target is by default, and as named.
pub fn candidates(arguments: &FixArgs) -> Result<Vec<PathBuf>> {
    let mut all: Vec<PathBuf> = arguments.journal.iter().cloned().collect();
    all.extend(beside(&arguments.target)?);
    all.push(by_identity(arguments)?);
    let file = ioalign_device::backing_file(&arguments.target);
    if let Some(file) = file {
        all.extend(beside(&file)?);
    }
    Ok(all)
}

/// Beside an image; a device has no such place. For a link it is beside the file that the link
/// leads to.
pub fn beside(target: &Path) -> Result<Option<PathBuf>> {
    if target::is_block(target)? {
        return Ok(None);
    }
    let target = match target.is_symlink() {
        true => target.canonicalize()?,
        false => target.to_owned(),
    };
    let Some(name) = target.file_name() else {
        bail!("{}: this is no file name", target.display());
    };
    let mut name = name.to_owned();
    name.push(".");
    name.push(ENDING);
    Ok(Some(target.with_file_name(name)))
}

fn by_identity(arguments: &FixArgs) -> Result<PathBuf> {
    let identity = TargetIdentity::new(&arguments.target)?;
    let name = format!("{}.journal", identity.file_name());
    Ok(folder(arguments).join(name))
}

fn folder(arguments: &FixArgs) -> &Path {
    let named = arguments.journal_dir.as_deref();
    named.unwrap_or_else(|| Path::new(FOLDER))
}

/// The journal as an option of the next call: where neither the marker nor its usual place leads to it.
pub fn named<'a>(arguments: &FixArgs, journal: &'a Path) -> Option<&'a Path> {
    let is_usual = arguments.journal.is_none() && arguments.journal_dir.is_none();
    (!is_usual).then_some(journal)
}

/// Says that a journal in memory is none after a power cut.
pub fn warn_volatile(path: &Path, quiet: bool) {
    if !quiet && JournalFile::is_volatile(path) {
        note(format_args!(
            "{}: the journal lies in memory: after a loss of power it is gone, and with it what is on \
             its way. Name a place on a disk with --journal",
            shell::path(path)
        ));
    }
}

/// A file under the name of a journal that must not be taken for one.
pub fn distrusted(path: &Path, why: &str) -> anyhow::Error {
    let name = shell::path(path);
    let what = format!("{name}: it has the name of a journal, and is not obeyed: {why}");
    refuse::refusal(
        rules::FIX_JOURNAL_DISTRUSTED,
        what,
        &format!("ls -l {name}"),
    )
}
