//! Files that traces are written to: under their name only when they are whole.

use std::fs::{self, File};
use std::io;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};

use anyhow::Result;
use ioalign_observe::write::{self, Out, Target};

use crate::beside::temporary;
use crate::exit::UsageError;

/// The format with this name; the arguments only let known ones through.
pub fn target(name: &str) -> Result<&'static Target> {
    write::named(name).ok_or_else(|| UsageError(format!("`{name}` cannot be written")).into())
}

/// A trace on its way: what was written goes when it is dropped, unless it is kept.
#[derive(Default)]
pub struct Output {
    /// Where it is until then, and its name; nothing for what is written in place.
    moved: Option<(PathBuf, PathBuf)>,
}

impl Output {
    /// A file that is not seen before it is whole. Standard output, devices and pipes are written as they
    /// are.
    pub fn create(path: &Path) -> io::Result<(Self, Out)> {
        let (output, file) = Self::open(path).map_err(|error| naming(path, &error))?;
        let path = path.to_owned();
        Ok((output, Box::new(Named { file, path })))
    }

    fn open(path: &Path) -> io::Result<(Self, File)> {
        let in_place = |file| (Self::default(), file);
        if path.as_os_str() == "-" {
            // Without the line buffer of `Stdout`: bytes are collected already.
            let out = io::stdout().as_fd().try_clone_to_owned()?;
            return Ok(in_place(File::from(out)));
        }
        if fs::metadata(path).is_ok_and(|data| !data.is_file()) {
            return File::options().write(true).open(path).map(in_place);
        }
        // The file that a link leads to is replaced, not the link.
        let name = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let temporary = temporary(&name);
        match File::create(&temporary) {
            Ok(file) => {
                let moved = Some((temporary, name));
                Ok((Self { moved }, file))
            }
            // In a folder of others a file of one's own can only be written where it is.
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied && name.exists() => {
                File::create(name).map(in_place)
            }
            Err(error) => Err(error),
        }
    }

    /// Gives the trace its name.
    pub fn keep(mut self) -> io::Result<()> {
        let Some((temporary, name)) = self.moved.take() else {
            return Ok(());
        };
        let mode = fs::metadata(&name).map(|data| data.permissions());
        mode.map_or(Ok(()), |mode| fs::set_permissions(&temporary, mode))
            .and_then(|()| fs::rename(&temporary, &name))
            .inspect_err(|_| drop(fs::remove_file(&temporary)))
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        if let Some((temporary, _)) = &self.moved {
            // The error that matters is the one that led here.
            let _ = fs::remove_file(temporary);
        }
    }
}

/// A file whose errors say which it is.
struct Named {
    file: File,
    path: PathBuf,
}

impl io::Write for Named {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write(bytes);
        written.map_err(|error| match error.kind() {
            // The caller goes on.
            io::ErrorKind::Interrupted => error,
            _ => naming(&self.path, &error),
        })
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file
            .flush()
            .map_err(|error| naming(&self.path, &error))
    }
}

fn naming(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

/// Says of a trace that Ctrl-C ended it.
pub fn cut_short(path: &Path, done: &str) {
    let path = path.display();
    anstream::eprintln!("ioalign: interrupted: {path} ends with what was {done} until then");
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
