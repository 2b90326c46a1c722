//! Files that traces are written to: under their name only when they are whole.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use anyhow::Result;
use ioalign_device::create::Readers;
use ioalign_observe::write::{self, Out, WritableFormat};

use crate::exit::UsageError;
use crate::output_file::{Destination, OutputFile};
use crate::say::{note, shown};

/// The format with this name; the arguments only let known ones through.
pub fn target(name: &str) -> Result<&'static WritableFormat> {
    write::named(name).ok_or_else(|| UsageError(format!("`{name}` cannot be written")).into())
}

/// The format that a file's ending names.
pub fn by_ending(path: &Path) -> Option<&'static WritableFormat> {
    write::named(match path.extension()?.to_str()? {
        "pq" => "parquet",
        "bin" => "blktrace",
        "txt" => "blkparse",
        "iolog" | "log" => "iolog3",
        other => other,
    })
}

/// A trace on its way: what was written goes when it is dropped, unless it is kept.
#[derive(Default)]
pub struct TraceOutput(Option<OutputFile>);

impl TraceOutput {
    /// A file that is not seen before it is whole. Standard output, devices and pipes are written as they
    /// are.
    pub fn create(to: &Destination<'_>) -> Result<(Self, Out)> {
        let file = to.open()?;
        let named = NamedFile {
            file: file.file().try_clone()?,
            path: to.path.unwrap_or_else(|| Path::new("-")).to_owned(),
        };
        let on_stdout = to.path.is_none_or(|path| path.as_os_str() == "-");
        // Names of processes and devices are in it.
        let out = if on_stdout {
            shown(named)
        } else {
            Box::new(named)
        };
        Ok((Self(Some(file)), out))
    }

    /// Gives the trace its name.
    pub fn keep(self) -> Result<()> {
        self.0.map_or(Ok(()), OutputFile::keep)
    }
}

/// A trace that is made of others is for the eyes of those who may read all of them.
pub fn readers_of(files: &[PathBuf]) -> Readers {
    let known = files.iter().filter_map(|path| fs::metadata(path).ok());
    Readers::Sources(known.filter(fs::Metadata::is_file).collect())
}

/// A file whose errors say which it is.
struct NamedFile {
    file: File,
    path: PathBuf,
}

impl io::Write for NamedFile {
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
    note(format_args!(
        "interrupted: {path} ends with what was {done} until then"
    ));
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
