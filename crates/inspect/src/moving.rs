//! Disks that `ioalign fix` is at work on: a marker stands in place of the partition table, and superblocks of
//! what is on its way are set aside. Nothing else on them is read: no table is true, no file system is whole.

use std::path::Path;
use std::sync::Arc;

use ioalign_core::{Layer, MoveInFlight, Remark, Severity, move_words};
use ioalign_core::{
    move_marker::{self, BYTES, MAGIC, MarkerFound, MoveMarker},
    rules,
};

use crate::error::Result;
use crate::images::{self, ImagePolicy};
use crate::source::{FileSource, Source};
use crate::view::View;

/// Where the marker has its magic number.
const MAGIC_AT: u64 = 144;
/// Where superblocks begin that are set aside.
const SUPERBLOCKS_AT: [u64; 4] = [0, 1024, 4096, 64 << 10];
/// Enough of one to see that it is.
const ENOUGH_BYTES: usize = 128;

/// The facts of an address space about a move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Moving {
    /// It is the disk, with a marker.
    Disk(MarkerFound),
    /// It is a partition of such a disk. The id of the run.
    Part(u128),
}

/// Whether the contents of an address space are being moved.
pub fn probe(view: &View) -> Result<Option<Moving>> {
    if let Some(found) = marker(view)? {
        return Ok(Some(Moving::Disk(found)));
    }
    for at in SUPERBLOCKS_AT {
        if !view.fits(at, ENOUGH_BYTES) {
            break;
        }
        let run = view.trying(|view| {
            let start = view.read(at, ENOUGH_BYTES)?;
            Ok(move_marker::is_set_aside(&start))
        })?;
        if run.is_some() {
            return Ok(run.map(Moving::Part));
        }
    }
    Ok(None)
}

/// The marker in the first sector.
pub fn marker(view: &View) -> Result<Option<MarkerFound>> {
    if !view.fits(0, BYTES) || !view.has(MAGIC_AT, &MAGIC)? {
        return Ok(None);
    }
    Ok(MoveMarker::decode(&view.read(0, BYTES)?))
}

/// The marker on the disk in an image of any format, or on a device. Nothing is locked.
pub fn marker_of(path: &Path) -> Result<Option<MarkerFound>> {
    marker_in(&(Arc::new(FileSource::open(path)?) as Arc<dyn Source>))
}

/// The same of an image that is open.
pub fn marker_in(source: &Arc<dyn Source>) -> Result<Option<MarkerFound>> {
    let policy = ImagePolicy {
        chain: vec![source.path().to_owned()],
        ..ImagePolicy::default()
    };
    let guest = match images::open(source, &policy)? {
        Some(image) => image.guest,
        None => Arc::clone(source),
    };
    marker(&View::new(guest))
}

impl Moving {
    /// Leaves word of it on a layer. `target`: the disk, as an operator may name it.
    pub(crate) fn mark(&self, layer: &mut Layer, target: &Path) {
        let run = match self {
            Self::Disk(MarkerFound::Whole(marker)) => MoveInFlight::Run(marker.run),
            Self::Disk(MarkerFound::Damaged) => MoveInFlight::Unknown,
            Self::Part(run) => MoveInFlight::Run(*run),
        };
        layer.moving = Some(run);
        layer.remarks.push(self.remark(&layer.name, target));
    }

    fn remark(&self, name: &str, target: &Path) -> Remark {
        let after = "Until that has ended no table and no file system on it is whole";
        match self {
            Self::Disk(found) => {
                let why = format!("{name}: {}. {after}", move_words::state(found));
                let advice = move_words::ways(target, None);
                Remark::new(rules::MOVE_IN_FLIGHT, Severity::Broken, why)
                    .advise(format!("On the host that has the journal: {advice}"))
                    .advise("Until then do not mount, repair or partition it")
            }
            Self::Part(run) => {
                let why = format!(
                    "{name} is part of a disk whose partitions are being moved by `ioalign fix`: its superblock \
                     is in the journal of run {run:032x}. {after}"
                );
                Remark::new(rules::MOVE_IN_FLIGHT, Severity::Broken, why)
                    .advise("Name its disk: `ioalign check DISK` prints how to continue")
                    .advise("Until then do not mount, repair or partition it")
            }
        }
    }
}
