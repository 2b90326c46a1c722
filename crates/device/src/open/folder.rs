//! A folder as a target: files in it, all of equal size.

use std::ffi::OsString;
use std::fs::File;
use std::os::fd::OwnedFd;
use std::path::Path;

use rustix::fs::{AtFlags, OFlags, statat};

use super::{file, finish, open as open_pinned};
use crate::create::remove_own;
use crate::pinned::Pinned;
use crate::scratch;
use crate::target::{Target, TargetFile, TargetKind};
use crate::target_request::TargetRequest;
use crate::{Error, Result};

/// A folder: [`scratch::FILES`] files in it, or none that were not there before.
pub(crate) fn open(path: &Path, pinned: &Pinned, want: &TargetRequest) -> Result<Target> {
    let folder = open_pinned(pinned, false, OFlags::DIRECTORY)?.into();
    let is_missing = |name: &OsString| statat(&folder, name, AtFlags::SYMLINK_NOFOLLOW).is_err();
    let missing: Vec<_> = scratch::names().filter(is_missing).collect();
    let mut made = Vec::new();
    files_in(path, &folder, want, &mut made).inspect_err(|_| {
        for (name, file) in made.iter().filter(|(name, _)| missing.contains(name)) {
            remove_own(&folder, name, file);
        }
    })
}

/// `opened`: the files so far, for a caller that has to remove them again.
fn files_in(
    path: &Path,
    folder: &OwnedFd,
    want: &TargetRequest,
    opened: &mut Vec<(OsString, File)>,
) -> Result<Target> {
    let mut notes = Vec::new();
    let each = TargetRequest {
        size_bytes: scratch::size_of_each(want.size_bytes)?,
        ..want.clone()
    };
    let mut members = Vec::new();
    let mut all_direct = true;
    for name in scratch::names() {
        let own_path = path.join(&name);
        let mut one = || -> Result<(TargetFile, bool)> {
            match Pinned::member(folder, &name)? {
                Some(pinned) => file::existing(&own_path, &pinned, &each, path, &mut notes),
                None => file::made(&own_path, folder, &name, &each, &mut notes),
            }
        };
        let (member, is_direct) = one().map_err(|error: Error| error.of_target(&own_path))?;
        if let Ok(file) = member.file.try_clone() {
            opened.push((name, file));
        }
        members.push(member);
        all_direct &= is_direct;
    }
    let notes = counted(notes);
    finish(
        path,
        TargetKind::Folder,
        members,
        all_direct,
        1,
        want,
        notes,
    )
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
    let stated = |(note, count)| match count {
        1 => note,
        many => format!("{many} files {note}"),
    };
    counts.into_iter().map(stated).collect()
}
