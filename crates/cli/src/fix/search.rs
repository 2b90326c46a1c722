//! Where the journal of a move lies: beside its target, where the marker says, or in the folder for journals. The run
//! and the identity of the target decide, not the name: folders are renamed, mounted elsewhere, and copied.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::Result;
use ioalign_core::move_marker::{MarkerFound, MoveMarker};
use ioalign_core::{rules, shell};
use ioalign_device::{Sameness, TargetIdentity};
use ioalign_repair::journal::{self, JournalGlance};
use ioalign_repair::mover::FileDisk;

use super::{flight, place, refuse, trust};
use crate::allowed_files::folder_of;
use crate::args::FixArgs;

/// The most files of a folder that are looked at.
const MOST_FILES: usize = 10_000;

/// The journal of a marker. It is there, and may be obeyed.
pub fn of_marker(arguments: &FixArgs, found: &MarkerFound) -> Result<PathBuf> {
    if let Some(path) = &arguments.journal {
        return obeyed(path);
    }
    let MarkerFound::Whole(marker) = found else {
        return usual(arguments);
    };
    let named = named_places(arguments, marker)?;
    if let Some(path) = newest(&named, marker.run) {
        return obeyed(&path);
    }
    if let Some(path) = newest(&neighbours(&named), marker.run) {
        return obeyed(&path);
    }
    elsewhere(arguments, marker)
}

/// The reason why the journal of a marker is not found.
fn elsewhere(arguments: &FixArgs, marker: &MoveMarker) -> Result<PathBuf> {
    let is_here = cut_like(&marker.host, &flight::host());
    if !is_here && !marker.journal.exists() {
        let what = format!(
            "this is host {}: continue there, or bring the journal here and name it with --journal",
            shell::word(&flight::host())
        );
        let ways = refuse::ways(arguments, Some(&marker.journal), false);
        return Err(refuse::choice(rules::FIX_JOURNAL_MISSING, what, ways));
    }
    if marker.journal.as_os_str().is_empty() {
        return usual(arguments);
    }
    if marker.journal.symlink_metadata().is_err() {
        let what = "that file is not there, nor is one of this move beside the disk or in the folder for journals: \
                    without the journal nothing can be put together; if it lies elsewhere, name it with --journal";
        let next = command_that_finds(&marker.journal);
        return Err(refuse::refusal(rules::FIX_JOURNAL_MISSING, what, &next));
    }
    obeyed(&marker.journal)
}

/// The journal of a job without a marker, or with one that does not name it.
pub fn usual(arguments: &FixArgs) -> Result<PathBuf> {
    let all = place::candidates(arguments)?;
    let there = all.iter().find(|path| path.symlink_metadata().is_ok());
    if let Some(path) = there {
        return obeyed(path);
    }
    if let Some(path) = of_target(arguments, &all) {
        return obeyed(&path);
    }
    let at = place::journal(arguments)?;
    let what = format!(
        "{}: there is no journal: without it the progress of the job is unknown, so nothing is written; if it lies \
         elsewhere, name it with --journal",
        shell::path(&at)
    );
    let next = command_that_finds(&at);
    Err(refuse::refusal(rules::FIX_JOURNAL_MISSING, what, &next))
}

/// Beside the target, as the marker says, in the folder for journals.
fn named_places(arguments: &FixArgs, marker: &MoveMarker) -> Result<Vec<PathBuf>> {
    let mut all = place::candidates(arguments)?;
    let first = all.len().min(1);
    if !marker.journal.as_os_str().is_empty() {
        all.insert(first, marker.journal.clone());
    }
    Ok(all)
}

/// Of these, the journal of a run that has come furthest: one that may be obeyed, if there is any.
fn newest(all: &[PathBuf], run: u128) -> Option<PathBuf> {
    let mut best: Option<(bool, u64, &PathBuf)> = None;
    for path in all {
        let Some(seen) = JournalGlance::at(path).filter(|seen| seen.run == run) else {
            continue;
        };
        let one = (trust::of_journal(path).is_ok(), seen.number);
        if best.is_none_or(|(obeyed, number, _)| one > (obeyed, number)) {
            best = Some((one.0, one.1, path));
        }
    }
    best.map(|(_, _, path)| path.clone())
}

/// The files in the folders of these paths.
fn neighbours(all: &[PathBuf]) -> Vec<PathBuf> {
    let folders: BTreeSet<_> = all.iter().map(|path| folder_of(path)).collect();
    let entries = folders.iter().filter_map(|folder| folder.read_dir().ok());
    let files = entries.flat_map(|entries| entries.flatten().take(MOST_FILES));
    let files = files.filter(|entry| entry.file_type().is_ok_and(|sort| sort.is_file()));
    let mut files: Vec<_> = files.map(|entry| entry.path()).collect();
    files.sort_unstable();
    files
}

/// A journal under another name that names this very target: the one that has come furthest.
fn of_target(arguments: &FixArgs, places: &[PathBuf]) -> Option<PathBuf> {
    let now = TargetIdentity::new(&arguments.target).ok()?;
    let is_of_it = |path: &PathBuf| {
        let mut store = FileDisk::open(path).ok()?;
        let contents = journal::read(&mut store).ok()?;
        let then = TargetIdentity::parse(&contents.target)?;
        (then.matches(&now) == Sameness::Same).then_some(())
    };
    let all = neighbours(places).into_iter();
    let all = all.filter_map(|path| Some((JournalGlance::at(&path)?.number, path)));
    let all = all.filter(|(_, path)| trust::of_journal(path).is_ok() && is_of_it(path).is_some());
    all.max().map(|(_, path)| path)
}

/// A marker keeps the first bytes of a long name.
fn cut_like(marked: &str, name: &str) -> bool {
    name == marked || (marked.len() >= 60 && name.starts_with(marked))
}

/// The command that looks for a journal by its name.
fn command_that_finds(journal: &Path) -> String {
    let name = journal.file_name().unwrap_or_default();
    format!("find / -name {}", shell::path(Path::new(name)))
}

fn obeyed(path: &Path) -> Result<PathBuf> {
    trust::of_journal(path).map_err(|why| place::distrusted(path, &why))?;
    Ok(path.to_owned())
}
