//! Overlays: images in the same folder that hold the changes to this one. When the data below them move, what they
//! say belongs to other sectors, and both together are garbage.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Result;
use ioalign_core::shell;
use ioalign_device::same;
use ioalign_inspect::images::{self, ImagePolicy};
use ioalign_inspect::source::{FileSource, Source};

use super::command::{self, FixStep};
use crate::args::FixArgs;
use crate::exit::UsageError;

/// A folder with more files is not looked at to its end.
const MOST_FILES: usize = 10_000;
/// The number of overlays that are named.
const MOST_NAMED: usize = 5;
/// How the images begin that can have a parent.
const MAGICS: [&[u8]; 6] = [
    b"QFI\xfb",
    b"KDMV",
    b"COWD",
    b"# Disk Desc",
    b"vhdxfile",
    b"conectix",
];

/// Refuses an image that others lie on, unless that was accepted.
pub fn refuse(arguments: &FixArgs) -> Result<()> {
    if arguments.accept_overlays || !arguments.target.is_file() {
        return Ok(());
    }
    let found = over(&arguments.target);
    if found.is_empty() {
        return Ok(());
    }
    let names: Vec<_> = found
        .iter()
        .take(MOST_NAMED)
        .map(|path| shell::path(path))
        .collect();
    let more = match found.len().saturating_sub(MOST_NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let what = format!(
        "{}: it is the backing file of {}{more}: what they hold belongs to the places that data have now. Commit \
         or flatten them first, or give them up with --accept-overlays; nothing was written; to give them up: \
         `{} --accept-overlays`",
        shell::path(&arguments.target),
        names.join(", "),
        match arguments.mode.resume {
            true => command::line(arguments, FixStep::Resume(arguments.journal.as_deref())),
            false => command::line(arguments, FixStep::Show),
        }
    );
    Err(UsageError(what).into())
}

/// The images beside `target` whose backing file it is.
fn over(target: &Path) -> Vec<PathBuf> {
    let target = target.canonicalize().unwrap_or_else(|_| target.to_owned());
    let folder = target.parent().unwrap_or_else(|| Path::new("."));
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let files = entries
        .take(MOST_FILES)
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()));
    let images = files
        .map(|entry| entry.path())
        .filter(|path| *path != target);
    let mut found: Vec<_> = images
        .filter(|path| may_have_a_parent(path) && lies_on(path, &target))
        .collect();
    found.sort();
    found
}

fn may_have_a_parent(path: &Path) -> bool {
    let mut start = Vec::new();
    let read = File::open(path).and_then(|file| file.take(16).read_to_end(&mut start));
    read.is_ok() && MAGICS.iter().any(|magic| start.starts_with(magic))
}

fn lies_on(path: &Path, target: &Path) -> bool {
    let Ok(source) = FileSource::open(path) else {
        return false;
    };
    let source: Arc<dyn Source> = Arc::new(source);
    let policy = ImagePolicy {
        chain: vec![path.to_owned()],
        ..ImagePolicy::default()
    };
    let Ok(Some(image)) = images::open(&source, &policy) else {
        return false;
    };
    let folder = path.parent().unwrap_or_else(|| Path::new("."));
    let named = image.backing_path.as_ref().map(|name| folder.join(name));
    let opened = image
        .backing
        .as_ref()
        .map(|below| below.guest.path().to_owned());
    named
        .into_iter()
        .chain(opened)
        .any(|below| same(&below, target))
}
