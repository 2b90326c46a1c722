//! Texts among the targets: outputs of other programs, pasted tickets, standard input.
//!
//! All texts of one call speak of one host: they make one stack together.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use ioalign_inspect::assemble::{self, Inspection};
use ioalign_inspect::captures::{self, Text, load};
use ioalign_inspect::{Error, Result};

use super::Job;

/// Standard input as a target.
const STDIN: &str = "-";

/// Splits the texts off the other targets; `named` makes every file a text.
pub fn split(targets: &[PathBuf], named: Option<&str>) -> (Vec<PathBuf>, Vec<PathBuf>) {
    let is_text = |path: &&PathBuf| {
        path.as_os_str() == STDIN || (path.is_file() && (named.is_some() || is_capture(path)))
    };
    targets.iter().cloned().partition(|path| is_text(&path))
}

/// A text that is no image: the descriptor of a VMDK is a text and an image.
fn is_capture(path: &Path) -> bool {
    let descriptor = || {
        let mut head = [0; 21];
        let read = File::open(path).and_then(|mut file| file.read_exact(&mut head));
        read.is_ok() && head.eq_ignore_ascii_case(b"# Disk DescriptorFile")
    };
    load::is_text(path) && !descriptor()
}

/// Whether `name` is a format that `--as` can name.
pub fn is_format(name: &str) -> bool {
    captures::FORMATS.iter().any(|format| format.name == name)
}

/// Reads the texts into one stack.
pub fn inspect(paths: &[PathBuf], named: Option<&str>, job: &Job) -> Result<Inspection> {
    let mut texts = Vec::new();
    for path in paths {
        texts.push((path.clone(), read(path)?));
    }
    assemble::texts(&texts, named, &job.inspect)
}

fn read(path: &Path) -> Result<Text> {
    if path.as_os_str() == STDIN {
        return load::read(std::io::stdin().lock(), Path::new("standard input"));
    }
    let failed = |error| Error::io("Cannot open it", error).in_file(path);
    load::read(File::open(path).map_err(failed)?, path)
}
