//! The files of a tarball where they lie, for those that are too large to be kept in memory: disks of a package in one
//! file (OVA; "distribution as a single file" of DSP0243).
//!
//! The standard wants ustar; VirtualBox writes it with sizes of GNU tar above 8 GiB, and packages made with `tar` have
//! headers of GNU or POSIX (pax). All are read. A name may lead nowhere but below the tarball, and no two files may
//! have one name: which of them counts would depend on the program.

use std::collections::HashSet;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use super::packing::{self, Packing};
use super::tar::{TarArchive, TarMember, TarMemberKind};
use crate::error::{Error, Result};
use crate::part::PartSource;
use crate::source::Source;

/// More files than a package has.
const MOST_FILES: usize = 4096;
/// Longer names are refused, as by Linux.
const LONGEST_NAME: usize = 4096;

/// A file in a tarball.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TarFile {
    /// Its name below the tarball.
    pub name: PathBuf,
    /// Its first byte in the tarball, and how many there are.
    pub place: (u64, u64),
}

impl TarFile {
    /// Its bytes, where `whole` is the tarball; messages call them `path`.
    pub fn source(&self, whole: &Arc<dyn Source>, path: &Path) -> Arc<dyn Source> {
        Arc::new(PartSource::new(Arc::clone(whole), self.place, path))
    }
}

/// All files of a tarball that is not compressed, in their order; `None` when it is none.
///
/// # Errors
/// It is damaged, or holds what is no file below it: a link, a device, a name that leads out.
pub fn files(source: &Arc<dyn Source>) -> Result<Option<Vec<TarFile>>> {
    if super::packing_of(source)? != Some(Packing::Tar) {
        return Ok(None);
    }
    let mut feed = packing::unpack(Packing::Tar, source)?;
    let archive = TarArchive::new(&mut *feed);
    let files = all(archive).map_err(|error| error.in_file(source.path()))?;
    Ok(Some(files))
}

fn all(mut archive: TarArchive<'_>) -> Result<Vec<TarFile>> {
    let (mut files, mut names) = (Vec::new(), HashSet::new());
    while let Some(member) = archive.next()? {
        let place = archive.place();
        let Some(name) = name(&member).map_err(|error| error.at(place.0))? else {
            continue;
        };
        if !names.insert(name.clone()) {
            let what = format!("It holds two files of the name {}", name.display());
            return Err(Error::malformed(what).at(place.0));
        }
        if files.len() >= MOST_FILES {
            return Err(Error::too_large(format!(
                "It holds more than {MOST_FILES} files"
            )));
        }
        files.push(TarFile { name, place });
    }
    match archive.ended {
        true => Ok(files),
        false => Err(Error::malformed("It has no end mark: something is missing")),
    }
}

/// The name of a file; `None` for a folder.
fn name(member: &TarMember) -> Result<Option<PathBuf>> {
    let shown = || {
        String::from_utf8_lossy(&member.name)
            .chars()
            .take(120)
            .collect::<String>()
    };
    let refused = |what: &str| {
        let what = format!("It holds {:?}, {what}", shown());
        Err(Error::unsupported(what))
    };
    match member.kind {
        TarMemberKind::Folder | TarMemberKind::File => {}
        TarMemberKind::Link | TarMemberKind::HardLink => return refused("which is a link"),
        TarMemberKind::Other => return refused("which is no file"),
    }
    let text = std::str::from_utf8(&member.name).ok();
    let text = text.filter(|text| text.len() <= LONGEST_NAME && !text.contains('\0'));
    let Some(text) = text else {
        return refused("which is no name of a file");
    };
    let parts = Path::new(text)
        .components()
        .filter(|part| *part != Component::CurDir);
    let is_below = |part: &Component<'_>| matches!(part, Component::Normal(_));
    if !parts.clone().all(|part| is_below(&part)) {
        return refused("a name that leads out of it");
    }
    if member.kind == TarMemberKind::Folder {
        return Ok(None);
    }
    if member.is_sparse() {
        return refused("which is packed as a sparse file");
    }
    let name: PathBuf = parts.collect();
    match name.as_os_str().is_empty() {
        true => refused("which is no name of a file"),
        false => Ok(Some(name)),
    }
}
