//! Files that traces are written to.

use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};

use anyhow::Result;
use ioalign_observe::write::{self, Out, Target};

use crate::exit::UsageError;

/// The format with this name; the arguments only let known ones through.
pub fn target(name: &str) -> Result<&'static Target> {
    write::named(name).ok_or_else(|| UsageError(format!("`{name}` cannot be written")).into())
}

/// A new file, or standard output.
pub fn create(path: &Path) -> io::Result<Out> {
    if path.as_os_str() == "-" {
        // Without the line buffer of `Stdout`: bytes are collected already.
        let out = io::stdout().as_fd().try_clone_to_owned()?;
        return Ok(Box::new(File::from(out)));
    }
    let named =
        |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", path.display()));
    Ok(Box::new(File::create(path).map_err(named)?))
}

/// An output that is also an input would be empty before it is read.
pub fn differ(output: &Path, inputs: &[PathBuf]) -> Result<()> {
    let real = |path: &Path| std::fs::canonicalize(path).ok();
    let Some(output) = real(output) else {
        return Ok(());
    };
    if inputs
        .iter()
        .any(|input| real(input).as_ref() == Some(&output))
    {
        let what = format!("{} is read and written", output.display());
        return Err(UsageError(what).into());
    }
    Ok(())
}
