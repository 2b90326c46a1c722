//! Many targets: folders are searched for images, and one bad file stops nothing.

use std::fs::FileType;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ioalign_inspect::assemble;
use ioalign_inspect::filesystems::database;
use ioalign_inspect::source::{FileSource, Source};
use ioalign_report::{SourceKind, Target};

use super::package::{self, PackedPlace};
use super::{CheckJob, captures, direct_io, target};

/// Endings of files that are images even when nothing in them is recognised.
const IMAGE_ENDINGS: [&str; 12] = [
    "img", "raw", "qcow2", "qcow", "vmdk", "vhd", "vhdx", "vdi", "iso", "bin", "dd", "vpc",
];

/// A target, and whether the operator named it or it was found in a folder.
pub struct NamedTarget {
    /// Its path.
    pub path: PathBuf,
    /// Found in a folder: then it is left out when it is no image at all.
    pub found: bool,
    /// A folder that cannot be listed: what it hides stays unknown, and is said to.
    pub closed: Option<std::io::Error>,
    /// A folder that is a support bundle.
    pub bundle: bool,
    /// Open already.
    pub source: Option<Arc<dyn Source>>,
    /// Where it lies in an OVA; its path is that of the OVA with its name behind.
    pub packed: Option<PackedPlace>,
    /// Why nothing in an OVA can be read.
    pub damaged: Option<ioalign_inspect::Error>,
}

impl NamedTarget {
    pub(super) const fn new(path: PathBuf, found: bool) -> Self {
        Self {
            path,
            found,
            closed: None,
            bundle: false,
            source: None,
            packed: None,
            damaged: None,
        }
    }

    /// The file on this host that it is, or that it lies in.
    pub fn file(&self) -> &Path {
        match &self.packed {
            Some(place) => &place.package,
            None => &self.path,
        }
    }

    /// A file that the operator named, and that is open.
    pub fn opened(path: PathBuf, source: FileSource) -> Self {
        Self {
            source: Some(Arc::new(source)),
            ..Self::new(path, false)
        }
    }
}

/// Replaces folders by the files in them, in order of their paths; with what is to be known of the search.
pub fn expand(targets: &[PathBuf], job: &CheckJob) -> (Vec<NamedTarget>, Vec<String>) {
    let (mut files, mut notes) = (Vec::new(), Vec::new());
    let unpacks = job.reads_contents() && !job.direct_io;
    for path in targets {
        let is_folder = path.is_dir() && !is_database(path, job);
        if is_folder {
            let bundles = job.sysroot.is_none() && !job.extents;
            let mut found = FolderSearch {
                home: path.canonicalize().ok(),
                files: &mut files,
                outside: Vec::new(),
                unpacks,
            };
            search(path, bundles, &mut found);
            notes.extend(found.note());
        } else if unpacks && package::is_named(path) && path.is_file() {
            files.extend(package::targets(path, false));
        } else {
            files.push(NamedTarget::new(path.clone(), false));
        }
    }
    (files, notes)
}

fn is_database(path: &Path, job: &CheckJob) -> bool {
    job.sysroot.is_none() && matches!(database::find(path), Ok(Some(_)))
}

/// Regular files below `folder`. Links to folders are not followed, so there are no loops. Links to files outside
/// of the named folder are not followed: a user who may write in it would choose which other files are read.
///
/// A folder without permission hides its files, not those beside it: it is a target of its own. So
/// is a support bundle or a database; `bundles`: whether to look for such.
fn search(folder: &Path, bundles: bool, found: &mut FolderSearch<'_>) {
    if bundles && assemble::is_bundle(folder) {
        let named = NamedTarget::new(folder.to_owned(), false);
        return found.files.push(NamedTarget {
            bundle: true,
            ..named
        });
    }
    if bundles && matches!(database::find(folder), Ok(Some(_))) {
        // `/var/lib/postgresql` has its clusters two levels down.
        return found.files.push(NamedTarget::new(folder.to_owned(), false));
    }
    let entries = match entries(folder) {
        Ok(entries) => entries,
        Err(error) => {
            let closed = Some(error);
            return found.files.push(NamedTarget {
                closed,
                ..NamedTarget::new(folder.to_owned(), false)
            });
        }
    };
    for (path, kind) in entries {
        if kind.is_dir() {
            search(&path, bundles, found);
        } else if kind.is_file() || (kind.is_symlink() && path.is_file() && found.holds(&path)) {
            found.add(path);
        }
    }
}

/// The files that a search has found so far.
struct FolderSearch<'a> {
    /// The folder that was named, without links.
    home: Option<PathBuf>,
    files: &'a mut Vec<NamedTarget>,
    /// Links that lead out of it.
    outside: Vec<PathBuf>,
    /// Whether the files in an OVA count instead of it.
    unpacks: bool,
}

impl FolderSearch<'_> {
    /// A file.
    fn add(&mut self, path: PathBuf) {
        match self.unpacks && package::is_named(&path) {
            true => self.files.extend(package::targets(&path, true)),
            false => self.files.push(NamedTarget::new(path, true)),
        }
    }

    /// Whether the link leads to a file inside; remembers one that does not.
    fn holds(&mut self, link: &Path) -> bool {
        let target = link.canonicalize().ok();
        let inside =
            matches!((&target, &self.home), (Some(target), Some(home)) if target.starts_with(home));
        if !inside {
            self.outside.push(link.to_owned());
        }
        inside
    }

    /// What was not followed.
    fn note(&self) -> Option<String> {
        let first = self.outside.first()?;
        let more = match self.outside.len() {
            1 => String::new(),
            all => format!(" and {} more", all - 1),
        };
        Some(format!(
            "not followed, because it leads out of the folder: {}{more}; name it to check it",
            first.display()
        ))
    }
}

/// The contents of a folder, in order of the names.
fn entries(folder: &Path) -> std::io::Result<Vec<(PathBuf, FileType)>> {
    let entries = std::fs::read_dir(folder)?;
    let entries = entries.map(|entry| {
        let entry = entry?;
        Ok((entry.path(), entry.file_type()?))
    });
    let mut entries: Vec<_> = entries.collect::<std::io::Result<_>>()?;
    entries.sort_by(|(a, _), (b, _)| a.cmp(b));
    Ok(entries)
}

/// Judges a file; nothing is said of one that was found in a folder and is no image.
pub fn judge_one(file: &NamedTarget, job: &CheckJob) -> Option<Target> {
    let mut target = judge_layers(file, job)?;
    if job.direct_io && file.closed.is_none() {
        direct_io::ask(&mut target, &file.path);
    }
    Some(target)
}

fn judge_layers(file: &NamedTarget, job: &CheckJob) -> Option<Target> {
    if let Some(error) = &file.closed {
        return Some(target::closed(&file.path, error));
    }
    if let Some(error) = &file.damaged {
        return Some(target::damaged(&file.path, error));
    }
    if let Some(target) = file
        .bundle
        .then(|| target::bundle(&file.path, job))
        .flatten()
    {
        return Some(target);
    }
    let target = match (&file.source, &file.packed) {
        (Some(source), _) => target::opened(&file.path, source, job),
        (None, Some(place)) => match place.open(&file.path) {
            Ok(source) => target::packed(&source, &place.package, job),
            Err(error) => target::damaged(&file.path, &error),
        },
        (None, None) => target::judge(&file.path, job),
    };
    let silent = target.source == SourceKind::Image
        && target.verdict == ioalign_core::Severity::Unknown
        && target.error.is_none();
    let by_name = file.path.extension().is_some_and(|ending| {
        IMAGE_ENDINGS
            .iter()
            .any(|known| ending.eq_ignore_ascii_case(known))
    });
    if file.found && !by_name && silent {
        // What other programs printed is judged, wherever it lies; all else is left out.
        let text = job.reads_contents() && file.packed.is_none() && captures::is_known(&file.path);
        return text.then(|| target::texts(job, std::slice::from_ref(&file.path)));
    }
    Some(target)
}
