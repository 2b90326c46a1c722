//! Texts among the targets: outputs of other programs, pasted tickets, standard input.
//!
//! All texts of one call speak of one host: they make one stack together.

use std::fs::File;
use std::path::{Path, PathBuf};

use ioalign_inspect::assemble::{self, Inspection};
use ioalign_inspect::captures::{self, Text, load};
use ioalign_inspect::source::{FileSource, Source};
use ioalign_inspect::{Error, Result};

use super::CheckJob;

/// The first bytes of a VMDK descriptor.
const DESCRIPTOR: &[u8] = b"# Disk DescriptorFile";
/// Standard input as a target.
const STDIN: &str = "-";

/// Splits the texts off the other targets; `named` makes every file a text.
pub fn split(targets: &[PathBuf], named: Option<&str>) -> (Vec<PathBuf>, Vec<PathBuf>) {
    let is_text = |path: &&PathBuf| {
        path.as_os_str() == STDIN || (path.is_file() && (named.is_some() || is_capture(path)))
    };
    targets.iter().cloned().partition(|path| is_text(&path))
}

/// A file that is no text, opened to see that. A file of /proc has no length and may be a text for all
/// that: it is left to [`split`], as everything else.
pub fn image(path: &Path) -> Option<FileSource> {
    if path.as_os_str() == STDIN {
        return None;
    }
    let source = FileSource::open(path).ok()?;
    let kind = source.file().metadata().ok()?;
    if !kind.is_file() {
        return None;
    }
    let head = start(&source, load::HEAD)?;
    let is_text =
        !head.is_empty() && is_text(&head) && load::stays_text(&start(&source, load::LOOK)?);
    (!head.is_empty() && !is_text).then_some(source)
}

/// The first bytes of a file, as many as there are.
fn start(source: &FileSource, most: usize) -> Option<Vec<u8>> {
    let len = usize::try_from(source.len()).map_or(most, |len| len.min(most));
    let mut bytes = vec![0; len];
    source.read_at(0, &mut bytes).ok()?;
    Some(bytes)
}

fn is_capture(path: &Path) -> bool {
    load::head(path).is_ok_and(|head| is_text(&head)) && image(path).is_none()
}

/// Whether a file in a folder is a text that a reader knows.
pub fn is_known(path: &Path) -> bool {
    let known = |source: FileSource| {
        let start = start(&source, load::LOOK).filter(|start| !start.is_empty())?;
        let head = start.get(..load::HEAD).unwrap_or(&start);
        let is_text = is_text(head) && load::stays_text(&start);
        Some(is_text && captures::is_known(&Text::new(&start)))
    };
    FileSource::open(path).ok().and_then(known).unwrap_or(false)
}

/// A text that is no image, by its first bytes: the descriptor of a VMDK is a text and an image.
pub fn is_text(head: &[u8]) -> bool {
    let start = head.get(..DESCRIPTOR.len());
    let descriptor = start.is_some_and(|start| start.eq_ignore_ascii_case(DESCRIPTOR));
    load::looks_like_text(head) && !descriptor
}

/// Whether `name` is a format that `--as` can name.
pub fn is_format(name: &str) -> bool {
    captures::FORMATS.iter().any(|format| format.name == name)
}

/// Reads the texts into one stack.
pub fn inspect(paths: &[PathBuf], named: Option<&str>, job: &CheckJob) -> Result<Inspection> {
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
    let file = File::open(path).map_err(failed)?;
    // Before a byte is read: a log of gigabytes is no output of a storage program.
    let len = file.metadata().map_err(failed)?.len();
    if len > load::MOST_BYTES {
        let what = format!(
            "It is a text of {} MiB, and at most {} MiB of a text are read: name a file with the outputs alone",
            len >> 20,
            load::MOST_BYTES >> 20
        );
        return Err(Error::too_large(what).in_file(path));
    }
    load::read(file, path)
}
