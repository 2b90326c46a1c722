//! Puts what the readers found together into one stack.
//!
//! A worklist of address spaces: each is probed for a volume superblock, a partition table and a
//! file system, which may yield further address spaces. Members of arrays and groups are set aside
//! until every device has been seen, then joined.

mod array;
mod bundle;
mod chain;
mod content;
mod database;
mod evidence;
mod grids;
mod host;
mod image;
mod join;
mod lvm;
mod machine;
mod mixed;
mod mounts;
mod striped;
mod volume;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use ioalign_core::{Bytes, GridClaim, LayerId, Remark, SectorSize, Severity, Stack, rules};

use crate::error::Error;
use crate::filesystems::database::Database;
use crate::view::View;
use crate::volumes::VolumeMember;

pub use bundle::{bundle, bundle_from, is_bundle};
pub use chain::chained;
pub(crate) use database::mysql_configuration;
pub use evidence::{evidence, texts};
pub use grids::md_grids;
pub use host::HostOptions;
pub(crate) use host::host_in;
pub use image::{image, image_from, images};
pub use machine::{host, mount_of};

/// What the operator said about the targets.
#[derive(Clone, Debug, Default)]
pub struct AssembleOptions {
    /// Read tables for this sector size only.
    pub sector: Option<SectorSize>,
    /// Grids to judge against instead of the assumed ones.
    pub grids: Vec<GridClaim>,
    /// Follow backing files that lie outside the folder of their image.
    pub allow_backing: bool,
    /// A database, as named by the operator, on top of every file system.
    pub database: Option<Database>,
}

/// What was found in a target.
#[derive(Debug, Default)]
pub struct Inspection {
    /// The layers and grids.
    pub stack: Stack,
    /// The image format (`raw`, `qcow2`, …) or `host`.
    pub format: String,
    /// The unreadable parts, and what stays unknown because of it.
    pub unread: Vec<(PathBuf, String)>,
    /// The first structure that contradicts itself; the stack holds what was read besides.
    pub malformed: Option<Error>,
}

/// No stack is deeper: real ones have about eight layers.
const MOST_DEPTH: u32 = 24;
/// No stack is larger: a host with ten thousand volumes fits.
const MOST_LAYERS: usize = 32768;

/// An address space that is still to be looked into.
struct PendingSpace {
    layer: LayerId,
    view: View,
    depth: u32,
    /// Type of the partition that it is; `None` for disks and volumes.
    parent_type: Option<String>,
    /// Its start on its disk.
    start_on_disk: Bytes,
}

/// A device that belongs to a set which is not complete yet.
struct SetMember {
    layer: LayerId,
    view: View,
    depth: u32,
    member: VolumeMember,
}

/// A stack in the making.
struct Assembly<'a> {
    stack: Stack,
    options: &'a AssembleOptions,
    pending: Vec<PendingSpace>,
    parts: Vec<SetMember>,
    malformed: Option<Error>,
    /// The operator's database, with what the host's configuration adds.
    database: Option<Database>,
    /// Where the files of images lie on this machine, if their chain is followed.
    held: BTreeMap<PathBuf, chain::HeldFile>,
}

impl<'a> Assembly<'a> {
    fn new(stack: Stack, options: &'a AssembleOptions) -> Self {
        Self {
            stack,
            options,
            pending: Vec::new(),
            parts: Vec::new(),
            malformed: None,
            database: options.database.clone(),
            held: BTreeMap::new(),
        }
    }

    /// Looks into everything that is pending, then joins sets, until nothing new appears.
    fn run(&mut self) {
        loop {
            self.look_into_pending();
            if !self.join_sets() {
                return;
            }
        }
    }

    /// Looks into everything that is pending, and leaves sets for later.
    fn look_into_pending(&mut self) {
        while let Some(node) = self.pending.pop() {
            if node.depth < MOST_DEPTH && self.stack.len() < MOST_LAYERS {
                self.look_into(node);
            }
        }
    }

    fn look_into_disk(&mut self, layer: LayerId, view: View) {
        let (parent_type, start_on_disk) = (None, Bytes::ZERO);
        self.pending.push(PendingSpace {
            layer,
            view,
            depth: 0,
            parent_type,
            start_on_disk,
        });
    }

    /// Records that a reader gave up on a structure.
    fn damaged(&mut self, layer: LayerId, what: &'static str, error: Error) {
        let remark = Remark::new(
            rules::DAMAGED_METADATA,
            Severity::Broken,
            format!("{what}: {error}"),
        );
        self.stack.layer_mut(layer).remarks.push(remark);
        self.malformed.get_or_insert(error);
    }

    /// What was found, under the name of its format.
    fn finish(mut self, format: String, path: Option<&Path>) -> Inspection {
        let malformed = self.malformed.take().or_else(|| {
            let mut remarks = self.stack.layers().flat_map(|(_, layer)| &layer.remarks);
            let first = remarks.find(|remark| remark.malformed)?;
            Some(error_of(first, path))
        });
        Inspection {
            stack: self.stack,
            format,
            unread: Vec::new(),
            malformed,
        }
    }
}

/// A remark as an error, with all that is known of its place.
fn error_of(remark: &Remark, target: Option<&Path>) -> Error {
    let why = remark.why.strip_suffix('.').unwrap_or(&remark.why);
    let mut error = Error::malformed(why);
    if let Some(file) = remark.place.file.as_deref().or(target) {
        error = error.in_file(file);
    }
    if let Some(offset) = remark.place.offset {
        error = error.at(offset);
    }
    match remark.place.field {
        Some(field) => error.field(field),
        None => error,
    }
}
