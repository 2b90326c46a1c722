//! Where a bundle is written: whole or not at all, and never over something else by mistake.

use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::wrong;
use crate::args::CaptureArgs;
use crate::beside::temporary;
use crate::interrupt::Interrupt;

/// Standard output as a file.
const STDOUT: &str = "-";

/// Written between two looks at the interrupt flag.
const PIECE: usize = 64 << 10;

/// What the arguments say about the place.
pub(super) struct Wanted {
    /// `None`: a name is made of the host's.
    pub(super) place: Option<Place>,
}

/// A place for a bundle.
#[derive(Debug)]
pub(super) enum Place {
    /// Standard output.
    Stdout,
    /// A file that must not be there yet.
    New(PathBuf),
    /// A file that may be replaced.
    Replace(PathBuf),
}

impl Wanted {
    /// Refuses what can be refused before the host is read.
    pub(super) fn new(arguments: &CaptureArgs) -> Result<Self> {
        let place = match &arguments.output {
            None if arguments.force => {
                return Err(wrong("--force goes with -o FILE: name the file to replace"));
            }
            None => None,
            Some(path) if path.as_os_str() == STDOUT => {
                if arguments.json {
                    return Err(wrong("-o - and --json both want standard output"));
                }
                if io::stdout().is_terminal() {
                    return Err(wrong(
                        "a bundle is no text for a terminal: -o FILE, or a pipe",
                    ));
                }
                Some(Place::Stdout)
            }
            Some(path) if arguments.force => Some(replaced(path)?),
            Some(path) => Some(Place::New(path.clone())),
        };
        if let Some(Place::New(path)) = &place {
            absent(path)?;
        }
        Ok(Self { place })
    }
}

/// Only a file is replaced: never a device, a folder or what a link leads to.
fn replaced(path: &Path) -> Result<Place> {
    match path.symlink_metadata() {
        Ok(data) if !data.is_file() => Err(wrong(format!(
            "{}: it is not a file, and is not replaced",
            path.display()
        ))),
        _ => Ok(Place::Replace(path.to_owned())),
    }
}

fn absent(path: &Path) -> Result<()> {
    if path.symlink_metadata().is_err() {
        return Ok(());
    }
    Err(wrong(format!(
        "{}: it is there already; another -o FILE, or --force to replace it",
        path.display()
    )))
}

impl Place {
    /// The file; `None` for standard output.
    pub(super) fn path(&self) -> Option<&Path> {
        match self {
            Self::Stdout => None,
            Self::New(path) | Self::Replace(path) => Some(path),
        }
    }

    /// Writes the bundle; false when Ctrl-C came in between, and then nothing is left.
    pub(super) fn write(&self, bytes: &[u8], interrupt: &Interrupt) -> Result<bool> {
        let Some(path) = self.path() else {
            let mut stdout = io::stdout().lock();
            let written = stdout.write_all(bytes).and_then(|()| stdout.flush());
            return written.context("standard output").map(|()| true);
        };
        if matches!(self, Self::New(_)) {
            absent(path)?;
        }
        let temporary = temporary(path);
        let written = fill(&temporary, bytes, interrupt);
        let done = match written {
            Ok(true) => self.settle(&temporary, path).map(|()| true),
            other => other,
        };
        if !matches!(done, Ok(true)) {
            // The error that matters is the first one.
            let _ = std::fs::remove_file(&temporary);
        }
        done.with_context(|| format!("{}: cannot write the bundle", path.display()))
    }

    /// Gives the complete file its name, in one step.
    fn settle(&self, temporary: &Path, path: &Path) -> io::Result<()> {
        use rustix::fs::{CWD, RenameFlags, renameat_with};
        if matches!(self, Self::Replace(_)) {
            return std::fs::rename(temporary, path);
        }
        match renameat_with(CWD, temporary, CWD, path, RenameFlags::NOREPLACE) {
            // Some file systems cannot: then the look before must do.
            Err(rustix::io::Errno::INVAL | rustix::io::Errno::NOSYS) => {
                std::fs::rename(temporary, path)
            }
            renamed => Ok(renamed?),
        }
    }
}

/// Only the owner may read it: it tells a lot about a host.
fn fill(path: &Path, bytes: &[u8], interrupt: &Interrupt) -> io::Result<bool> {
    use std::os::unix::fs::OpenOptionsExt;
    let mut options = std::fs::File::options();
    let mut file = options
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)?;
    for piece in bytes.chunks(PIECE) {
        if interrupt.asked() {
            return Ok(false);
        }
        file.write_all(piece)?;
    }
    file.sync_all()?;
    Ok(!interrupt.asked())
}
