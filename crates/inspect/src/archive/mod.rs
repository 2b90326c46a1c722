//! Support bundles in memory: a folder's worth of small files, read from a tarball and never unpacked.
//!
//! Nothing of a bundle is ever written to a disk, so no name in it can lead anywhere: [`FileTree`] is all
//! there is, its links are resolved inside it, and what it holds is bounded. A tarball is read once,
//! from front to end; of a sosreport of gigabytes only what a reader may ask for is kept.

mod collect;
mod content;
mod feed;
pub mod files;
mod packing;
mod refused;
mod tar;
pub mod tree;
pub mod wanted;

use std::path::Path;
use std::sync::Arc;

use ioalign_core::Remark;

use crate::error::{Error, Result};
use crate::source::{FileSource, Source};
pub use content::{ContentSource, FileContent};
pub use packing::{HEAD, Packing};
pub use tree::FileTree;

/// Bytes of a bundle that are kept, names and book-keeping counted. A host with ten thousand disks
/// comes to some 100 MiB; an ordinary one to less than one.
const MOST_KEPT: u64 = 128 << 20;
/// What a kept file costs beside its name and bytes.
const COST_OF_ENTRY: u64 = 224;
/// Entries that are looked at, kept or not.
const MOST_ENTRIES: u64 = 2 << 20;
/// A packed file that unpacks to more than this many times its size is a bomb, above the floor.
/// Logs reach 30 to 60; zeros 1000 (gzip) to 1,000,000 (xz).
const MOST_RATIO: u64 = 100;
/// Below this many unpacked bytes no ratio is too high.
const UNPACKED_FLOOR: u64 = 256 << 20;
/// Unpacked bytes that are read in any case.
const MOST_UNPACKED: u64 = 64 << 30;

/// What was read of a tarball.
#[derive(Debug, Default)]
pub struct ReadBundle {
    /// What was kept.
    pub tree: FileTree,
    /// What was left out, and why.
    pub remarks: Vec<Remark>,
    /// Why reading ended early; the tree holds what came before.
    pub cut: Option<Error>,
}

/// Whether a file may be a tarball, by its first [`HEAD`] bytes or fewer.
pub fn may_be(head: &[u8]) -> bool {
    Packing::of(head).is_some()
}

/// Reads the tarball at `path`; `None` when it is none.
pub fn open(path: &Path) -> Result<Option<ReadBundle>> {
    let source: Arc<dyn Source> = Arc::new(FileSource::open(path)?);
    read(&source)
}

/// Whether a file is a tarball by its name.
fn is_named_tarball(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default();
    let name = name.to_string_lossy().to_ascii_lowercase();
    name.contains(".tar.")
        || [".tgz", ".txz", ".tbz", ".tzst"]
            .iter()
            .any(|end| name.ends_with(end))
}

/// Reads a tarball, packed or not; `None` when it is none.
pub fn read(source: &Arc<dyn Source>) -> Result<Option<ReadBundle>> {
    let Some(packing) = packing_of(source)? else {
        return Ok(None);
    };
    let mut feed = packing::unpack(packing, source)?;
    let mut archive = tar::TarArchive::new(&mut *feed);
    // A compressed file that is not a tarball is another kind of file, a log, an image, unless its name says
    // that it is one: then it was cut off or is damaged.
    match archive.next() {
        Ok(None) => Ok(None),
        Ok(Some(first)) => {
            let mut bundle = collect::collect(archive, first);
            bundle.cut = bundle.cut.map(|error| error.in_file(source.path()));
            Ok(Some(bundle))
        }
        Err(_) if packing != Packing::Tar && !is_named_tarball(source.path()) => Ok(None),
        Err(error) => Err(error.in_file(source.path())),
    }
}

/// How the tarball is packed; `None` when it is none.
fn packing_of(source: &Arc<dyn Source>) -> Result<Option<Packing>> {
    let mut head = [0; packing::HEAD];
    let len = usize::try_from(source.len()).map_or(head.len(), |len| len.min(head.len()));
    let head = head.get_mut(..len).unwrap_or_default();
    source.read_at(0, head)?;
    Ok(Packing::of(head))
}
