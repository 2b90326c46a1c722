//! A folder as a target: files in it, all of equal size.

use std::path::{Path, PathBuf};

use super::{check_empty, check_users, finish, length, open_member};
use crate::scratch::{self, Scratch};
use crate::target::{Kind, Target, Want};
use crate::{Error, Result};

/// A folder: [`scratch::FILES`] files in it, or none that were not there before.
pub(crate) fn open(path: &Path, want: &Want) -> Result<Target> {
    let is_missing = |name: &PathBuf| name.symlink_metadata().is_err();
    let missing: Vec<_> = scratch::names(path).filter(is_missing).collect();
    files_of(path, want).inspect_err(|_| {
        for name in missing {
            std::fs::remove_file(name).ok();
        }
    })
}

fn files_of(path: &Path, want: &Want) -> Result<Target> {
    let mut notes = Vec::new();
    let each = Want {
        size_bytes: scratch::size_of_each(want.size_bytes)?,
        destroy: None,
        ..want.clone()
    };
    let mut members = Vec::new();
    let mut all_direct = true;
    for name in scratch::names(path) {
        let mut one = || {
            check_users(&name, want.write, &mut notes)?;
            let whose = scratch::provide(&name, &each, &mut notes)?;
            if whose == Scratch::Foreign && want.destroy.is_none() {
                check_empty(&name, length(&name)?, &each, path)?;
            }
            open_member(&name, &each, &mut notes)
        };
        let (member, is_direct) = one().map_err(|error: Error| error.of_target(&name))?;
        members.push(member);
        all_direct &= is_direct;
    }
    let notes = counted(notes);
    finish(path, Kind::Folder, members, all_direct, 1, want, notes)
}

/// Each note once, with the number of files that it is about.
fn counted(notes: Vec<String>) -> Vec<String> {
    let mut counts: Vec<(String, u32)> = Vec::new();
    for note in notes {
        match counts.iter_mut().find(|(known, _)| *known == note) {
            Some((_, count)) => *count += 1,
            None => counts.push((note, 1)),
        }
    }
    let told = |(note, count)| match count {
        1 => note,
        many => format!("{many} files {note}"),
    };
    counts.into_iter().map(told).collect()
}
