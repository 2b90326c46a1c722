//! The files that options name for what is written: reports, profiles, traces, bundles.
//!
//! One set of rules for all of them (`docs/output-files.md`): the work of [`ioalign_device::create`], and what it does
//! not know: standard output, pipes, and what a report of this program looks like.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::AsFd;
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use anyhow::{Context, Result};
use ioalign_device::create::{DeviceChain, MayReplace, NewFile, PendingFile, Readers};
use ioalign_device::{Error, ErrorKind};
use rustix::fs::OFlags;

use crate::args::ReplaceArgs;
use crate::exit::UsageError;
use crate::interrupt::Interrupt;

/// Names of standard output; the last ones are links of the kernel's.
const STDOUT: [&str; 4] = ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"];

/// Whether a name stands for standard output.
pub fn is_stdout(path: &Path) -> bool {
    STDOUT.iter().any(|name| path.as_os_str() == *name)
}

/// Output files, and what they may replace.
#[derive(Clone, Debug)]
pub struct Destination<'a> {
    /// `None`: standard output.
    pub path: Option<&'a Path>,
    /// Replace any file, but for `kept`.
    pub replace: ReplaceArgs,
    /// Files that are read or written to by this run: neither they nor what they lie in are replaced.
    pub kept: Vec<PathBuf>,
    /// Who may read it.
    pub readers: Readers,
    /// A report of this program gives way to a new one.
    pub is_report: bool,
}

/// A file that was opened to be written.
#[derive(Debug)]
pub enum OutputFile {
    /// Standard output, a pipe, a terminal: written as it is.
    InPlace(File),
    /// A file that has its name when it is [kept](Self::keep).
    Pending(PendingFile),
}

impl<'a> Destination<'a> {
    /// A report on these targets, readable by the umask; as root by the owner only, because it may contain
    /// serial numbers.
    pub fn report(path: Option<&'a Path>, replace: ReplaceArgs, kept: &[PathBuf]) -> Self {
        let readers = if rustix::process::geteuid().is_root() {
            Readers::OwnerAtFirst
        } else {
            Readers::Usual
        };
        Self {
            path,
            replace,
            kept: kept.to_vec(),
            readers,
            is_report: true,
        }
    }

    /// Output that is not a report: an existing file is never replaced without --force.
    pub fn data(path: &'a Path, replace: ReplaceArgs, readers: Readers) -> Self {
        Self {
            path: Some(path),
            replace,
            kept: Vec::new(),
            readers,
            is_report: false,
        }
    }

    /// Writes what `put` puts. A reader of the file sees the old report or the new one, never half of one.
    pub fn write(&self, put: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<()> {
        let Some(path) = self.file() else {
            let mut stdout = io::stdout().lock();
            return put(&mut stdout)
                .and_then(|()| stdout.flush())
                .context("standard output");
        };
        hold_signals()?;
        let mut file = self.open()?;
        put(file.out()).with_context(|| format!("{}: cannot write the report", path.display()))?;
        file.keep()
    }

    /// Checks whether it can be written, before hours of work. The contents of a file stay.
    pub fn check(&self) -> Result<()> {
        match self.file() {
            Some(path) if !is_special(path) => self.new_file(path).check().map_err(refused),
            _ => Ok(()),
        }
    }

    /// The file, until it is kept.
    pub fn open(&self) -> Result<OutputFile> {
        let Some(path) = self.file() else {
            // Without the line buffer of `Stdout`: bytes are collected already.
            let out = io::stdout().as_fd().try_clone_to_owned()?;
            return Ok(OutputFile::InPlace(File::from(out)));
        };
        if is_special(path) {
            return special(path, self.replace.force)
                .map(OutputFile::InPlace)
                .with_context(|| format!("{}: cannot be written", path.display()));
        }
        let file = self.new_file(path).create().map_err(refused)?;
        Ok(OutputFile::Pending(file))
    }

    fn file(&self) -> Option<&'a Path> {
        self.path.filter(|path| !is_stdout(path))
    }

    fn new_file(&self, path: &'a Path) -> NewFile<'a> {
        let may_replace = match (self.replace.force, self.is_report) {
            (true, _) => MayReplace::AnyFile,
            (false, true) => MayReplace::Recognised(is_report),
            (false, false) => MayReplace::Empty,
        };
        NewFile::new(path)
            .replacing(may_replace)
            .keeping(DeviceChain::below(&self.kept))
            .readable_by(self.readers.clone())
    }
}

impl OutputFile {
    /// The destination.
    pub fn out(&mut self) -> &mut dyn Write {
        match self {
            Self::InPlace(file) => file,
            Self::Pending(file) => file,
        }
    }

    /// The open file.
    pub const fn file(&self) -> &File {
        match self {
            Self::InPlace(file) => file,
            Self::Pending(file) => file.file(),
        }
    }

    /// Gives a file its name.
    pub fn keep(self) -> Result<()> {
        match self {
            Self::InPlace(_) => Ok(()),
            Self::Pending(file) => file.keep().map_err(refused),
        }
    }
}

/// Another name or `--force` would lift it: wrong usage.
fn refused(error: Error) -> anyhow::Error {
    match error.kind() {
        ErrorKind::Refused => UsageError(error.to_string()).into(),
        _ => error.into(),
    }
}

/// While a report is written a Ctrl-C waits for its end, which is near: nothing half done is left. A second one ends
/// the process at once.
fn hold_signals() -> Result<()> {
    static HELD: Mutex<Option<Interrupt>> = Mutex::new(None);
    let mut held = HELD
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    if held.is_none() {
        *held = Some(Interrupt::watched()?);
    }
    Ok(())
}

/// `/dev/null`, a terminal, a pipe: written to, for a file in their place would be harm. Links below `/dev` and
/// `/proc` are the system's.
fn is_special(path: &Path) -> bool {
    let found = if is_system(path) {
        path.metadata()
    } else {
        path.symlink_metadata()
    };
    found.is_ok_and(|found| {
        let kind = found.file_type();
        kind.is_fifo() || kind.is_char_device()
    })
}

fn is_system(path: &Path) -> bool {
    path.starts_with("/dev") || path.starts_with("/proc")
}

/// A pipe of another user in a shared folder would take the report away from where it belongs.
fn special(path: &Path, force: bool) -> io::Result<File> {
    let follow = if is_system(path) {
        OFlags::empty()
    } else {
        OFlags::NOFOLLOW
    };
    let flags = i32::try_from((follow | OFlags::NOCTTY).bits()).unwrap_or(0);
    let file = File::options().write(true).custom_flags(flags).open(path)?;
    let found = file.metadata()?;
    let kind = found.file_type();
    let is_own = is_system(path) || found.uid() == rustix::process::geteuid().as_raw();
    if !kind.is_fifo() && !kind.is_char_device() {
        return Err(io::Error::other("it is no pipe and no terminal any more"));
    }
    if !is_own && !force {
        return Err(io::Error::other(
            "it is a pipe or device of another user; add --force to write to it",
        ));
    }
    Ok(file)
}

/// Whether a file begins as the reports of this program do. Text does not: nothing in it says whose it is.
fn is_report(head: &[u8]) -> bool {
    let head = String::from_utf8_lossy(head);
    let packed: String = head.chars().filter(|c| !c.is_whitespace()).collect();
    packed.starts_with(r#"{"schema":"ioalign."#)
        || packed.starts_with(r#"{"$schema":"https://docs.oasis-open.org/sarif/"#)
            && packed.contains(r#""name":"ioalign""#)
        || head.starts_with("<!DOCTYPE html>")
            && head.contains(r#"<meta name="generator" content="ioalign">"#)
        || head.starts_with("<svg ")
            && ["ia-title ia-desc", "plots-title"]
                .iter()
                .any(|id| head.contains(&format!("aria-labelledby=\"{id}\"")))
        || head.starts_with("<?xml") && head.contains("<testsuites name=\"ioalign\"")
        || head.starts_with("# HELP ioalign_")
        || head.starts_with("IOALIGN ")
        || head.starts_with(
            "target,block_bytes,op,pattern,queue_depth,workers,arm,offset_bytes,metric,",
        )
}
