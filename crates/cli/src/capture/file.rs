//! The file of a bundle: complete or not at all, and never over another file by mistake.

use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use ioalign_device::create::{MayReplace, NewFile, PendingFile, Readers};
use ioalign_device::{Error, ErrorKind};

use super::wrong;
use crate::args::{CaptureArgs, ReplaceArgs};
use crate::interrupt::Interrupt;

/// Standard output as a file.
const STDOUT: &str = "-";

/// Written between two looks at the interrupt flag.
const PIECE: usize = 64 << 10;

/// The path from the arguments.
pub(super) struct WantedBundle {
    /// `None`: a name is made of the host's.
    pub(super) place: Option<BundlePlace>,
}

/// A place for a bundle.
#[derive(Debug)]
pub(super) enum BundlePlace {
    /// Standard output.
    Stdout,
    /// A file, and what it may replace.
    File(PathBuf, ReplaceArgs),
}

impl WantedBundle {
    /// Refuses what can be refused before the host is read.
    pub(super) fn new(arguments: &CaptureArgs) -> Result<Self> {
        let place = match &arguments.output {
            None if arguments.replace.force => {
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
                Some(BundlePlace::Stdout)
            }
            Some(path) => Some(BundlePlace::File(path.clone(), arguments.replace)),
        };
        if let Some(BundlePlace::File(path, replace)) = &place {
            new_file(path, *replace).check().map_err(refused)?;
        }
        Ok(Self { place })
    }
}

/// Another name, or `--force`, would lift it: wrong usage.
fn refused(error: Error) -> anyhow::Error {
    match error.kind() {
        ErrorKind::Refused | ErrorKind::Unsupported => wrong(error.to_string()),
        _ => error.into(),
    }
}

/// Only the owner may read it: it describes a host in detail.
fn new_file(path: &Path, replace: ReplaceArgs) -> NewFile<'_> {
    NewFile::new(path)
        .replacing(if replace.force {
            MayReplace::AnyFile
        } else {
            MayReplace::Empty
        })
        .readable_by(Readers::Owner)
}

impl BundlePlace {
    /// The file; `None` for standard output.
    pub(super) fn path(&self) -> Option<&Path> {
        match self {
            Self::Stdout => None,
            Self::File(path, _) => Some(path),
        }
    }

    /// Writes the bundle; false when Ctrl-C came in between, and then nothing is left.
    pub(super) fn write(&self, bytes: &[u8], interrupt: &Interrupt) -> Result<bool> {
        let Self::File(path, replace) = self else {
            let mut stdout = io::stdout().lock();
            let written = stdout.write_all(bytes).and_then(|()| stdout.flush());
            return written.context("standard output").map(|()| true);
        };
        let mut file = new_file(path, *replace).create().map_err(refused)?;
        let done = fill(&mut file, bytes, interrupt)
            .with_context(|| format!("{}: cannot write the bundle", path.display()))?;
        if done {
            file.keep().map_err(refused)?;
        }
        Ok(done)
    }
}

fn fill(file: &mut PendingFile, bytes: &[u8], interrupt: &Interrupt) -> io::Result<bool> {
    for piece in bytes.chunks(PIECE) {
        if interrupt.asked() {
            return Ok(false);
        }
        file.write_all(piece)?;
    }
    Ok(!interrupt.asked())
}
