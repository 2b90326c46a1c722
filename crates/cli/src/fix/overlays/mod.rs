//! Overlays: images that hold the changes to this one. When the data below them move, what they say belongs to other
//! sectors, and both together are garbage.
//!
//! They are looked for beside the file, under each of its names that is found, and by what their headers say, whether
//! or not they could be opened: one that is encrypted or damaged is garbage as well afterwards. What cannot be told
//! counts as one.

mod backing;
mod file_names;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Result;
use ioalign_core::shell;
use ioalign_device::are_aliases;

use super::command::{self, FixStep};
use crate::args::FixArgs;
use backing::Backing;
use file_names::FileNames;

/// A folder with more files is not looked at to its end.
const MOST_FILES: usize = 10_000;
/// The number of overlays that are named.
const MOST_NAMED: usize = 5;

/// Refuses an image that others lie on, unless that was accepted.
pub fn refuse(arguments: &FixArgs) -> Result<()> {
    let names = match arguments.accept_overlays {
        true => None,
        false => FileNames::of(&arguments.target),
    };
    let Some(names) = names else {
        return Ok(());
    };
    let found = over(&names);
    if found.is_empty() && names.unseen == 0 {
        return Ok(());
    }
    let why = match found.is_empty() {
        true => format!(
            "it has {} further name(s), hard links that were not found near it: images beside those may have it for \
             their backing file. Look for them with `find / -samefile {}`, and",
            names.unseen,
            shell::path(&arguments.target)
        ),
        false => format!(
            "it is the backing file of {}: what they hold belongs to the places that data have now. Commit \
             or flatten them first, or",
            listed(&found)
        ),
    };
    let what = format!(
        "{}: {why} give them up with --accept-overlays; nothing was written",
        shell::path(&arguments.target)
    );
    let again = match arguments.mode.resume {
        true => command::line(arguments, FixStep::Resume(arguments.journal.as_deref())),
        false => command::line(arguments, FixStep::Show),
    };
    Err(super::refuse::consent_needed(
        what,
        format!("{again} --accept-overlays"),
    ))
}

fn listed(found: &BTreeSet<PathBuf>) -> String {
    let first = found.iter().take(MOST_NAMED);
    let names: Vec<_> = first.map(|path| shell::path(path)).collect();
    match found.len().saturating_sub(MOST_NAMED) {
        0 => names.join(", "),
        more => format!("{} and {more} more", names.join(", ")),
    }
}

/// The images in the folders of a file whose backing file it is, or may be.
fn over(names: &FileNames) -> BTreeSet<PathBuf> {
    let files = names.folders.iter().flat_map(|folder| files(folder));
    let others = files.filter(|path| !names.is_it(path));
    let images: Vec<_> = others
        .filter_map(|path| Some((backing::of(&path)?, path)))
        .collect();
    // A description whose data are this file is the same disk by another name.
    let is_data = |(backing, path): &&(Backing, PathBuf)| {
        let data = backing.data.iter();
        let mut data = data.filter(|data| !backing::leads_to(data, path, path));
        data.any(|data| backing::leads_to(data, path, &names.file))
    };
    let described = images.iter().filter(is_data);
    let same: Vec<_> = described
        .map(|(_, path)| path.clone())
        .chain([names.file.clone()])
        .collect();
    let lies_on = |(backing, path): &(Backing, PathBuf)| {
        backing.is_unknown
            || same.iter().any(|file| {
                let mut parents = backing.parents.iter();
                parents.any(|parent| backing::leads_to(parent, path, file))
                    || backing.is_child_of(file)
            })
    };
    let found = images.into_iter().filter(lies_on);
    found.map(|(_, path)| path).collect()
}

/// The files of a folder, those that links lead to among them.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let paths = entries.take(MOST_FILES).map(|entry| entry.path());
    paths.filter(|path| path.is_file()).collect()
}

/// Whether two paths lead to the same bytes.
fn is_same(one: &Path, other: &Path) -> bool {
    are_aliases(one, other)
}
