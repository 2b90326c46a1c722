//! The chain below an image on this machine: guest file system → partition → clusters of the container → extents of the
//! file → file system → volumes and disks of the host, as one stack.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ioalign_core::layer::{Edge, Kind};
use ioalign_core::{
    Bytes, Confidence, Grid, GridKind, Layer, LayerId, Map, Origin, Remark, Severity, Tier, rules,
};

use super::host::{on_no_device, read_host};
use super::{AssembleOptions, Assembly, Inspection};
use crate::error::{Error, ErrorKind, Result};
use crate::host::{self, Host, Root, extents};
use crate::images::{self, Image, ImagePolicy};
use crate::source::{FileSource, Source};
use crate::view::View;

/// Where a file lies on this machine.
#[derive(Clone)]
pub(super) struct HeldFile {
    /// The file system, or its device.
    layer: LayerId,
    map: Map,
    /// What the file system allocates.
    block: Option<Bytes>,
    remark: Option<Remark>,
}

/// Reads images of this machine as the disks of one guest, on the stack that holds their files.
pub fn chained(paths: &[&Path], options: &AssembleOptions) -> Result<Inspection> {
    let root = Root::live()?;
    let mut opened = Vec::new();
    for path in paths {
        opened.push((*path, open(path, options)?));
    }
    let files: Vec<PathBuf> = opened
        .iter()
        .flat_map(|(_, image)| files_of(image))
        .collect();
    let mut devices = Vec::new();
    for file in &files {
        devices.push(holder(&root, file)?);
    }
    devices.sort_unstable();
    devices.dedup();
    // The operator's database is the guest's.
    let (mut assembly, host) = read_host(&root, &devices, options, false)?;
    let mut held = BTreeMap::new();
    for file in files {
        let place = assembly.place_of(&host, &file)?;
        held.insert(file, place);
    }
    assembly.held = held;
    assembly.database.clone_from(&options.database);
    let mut formats = Vec::new();
    for (path, image) in opened {
        let name = path.file_name().unwrap_or(path.as_os_str());
        let disk = assembly.add_container(&name.to_string_lossy(), &image);
        assembly.look_into_disk(disk, View::new(image.guest));
        formats.push(image.detail.format.name());
    }
    assembly.run();
    formats.dedup();
    Ok(assembly.finish(formats.join("+"), paths.first().copied()))
}

fn open(path: &Path, options: &AssembleOptions) -> Result<Image> {
    let source: Arc<dyn Source> = Arc::new(FileSource::open(path)?);
    let policy = ImagePolicy {
        allow_backing: options.allow_backing,
        chain: vec![path.to_owned()],
    };
    let image = images::open(&source, &policy)?;
    image.ok_or_else(|| Error::unsupported("No format claims it").in_file(path))
}

/// The files that hold guest data, those of backing images as well.
fn files_of(image: &Image) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut next = Some(image);
    while let Some(image) = next {
        files.extend(image.places.iter().map(|place| place.path.clone()));
        next = image.backing.as_deref();
    }
    files
}

/// The device of the file system that holds a file.
fn holder(root: &Root, file: &Path) -> Result<String> {
    let real = file
        .canonicalize()
        .map_err(|error| Error::io("Cannot follow its path", error).in_file(file))?;
    host::holder_of(root, &real).ok_or_else(|| on_no_device(file))
}

impl Assembly<'_> {
    /// Where a file lies: in its file system if that is known, else on the device.
    fn place_of(&self, host: &Host, file: &Path) -> Result<HeldFile> {
        let found = extents::read(file)?;
        let device = found.device.as_deref().filter(|_| found.on_device);
        let Some(device) = device.and_then(|name| host.device(name)) else {
            let what = "Its file system gives addresses that are not those of one block device (btrfs, overlay, \
                        network): the chain ends here";
            return Err(Error::new(ErrorKind::Unsupported, what).in_file(file));
        };
        let (layer, start) = self.filesystem_on(device.layer);
        let in_filesystem = start.and_then(|start| found.runs_from(start.get()));
        let unplaced = found
            .list
            .iter()
            .filter(|extent| !extent.is_placed())
            .count();
        Ok(HeldFile {
            block: self.stack.layer(layer).block,
            layer: if in_filesystem.is_some() {
                layer
            } else {
                device.layer
            },
            map: Map::Linear(in_filesystem.unwrap_or_else(|| found.runs())),
            remark: (unplaced > 0).then(|| not_placed(file, unplaced)),
        })
    }

    /// The file system on a device and the start of its addresses.
    fn filesystem_on(&self, device: LayerId) -> (LayerId, Option<Bytes>) {
        let mut above = self.stack.above(device);
        let found = above.find(|id| self.stack.layer(*id).kind == Kind::Filesystem);
        let start = found.and_then(|id| self.stack.layer(id).below.first()?.map.start());
        (found.unwrap_or(device), start)
    }

    /// Puts the layer of an image file on what holds it, if the chain is followed; returns its own grid.
    pub(super) fn hold(&self, path: &Path, file: &mut Layer) -> Option<Grid> {
        let held = self.held.get(path)?;
        file.below.push(Edge {
            below: held.layer,
            map: held.map.clone(),
        });
        file.remarks.extend(held.remark.clone());
        file.facts.insert("path", path.display().to_string());
        let grid = Grid::new(
            LayerId(0),
            held.block?,
            Bytes::ZERO,
            Tier::Rmw,
            GridKind::HostBlock,
        );
        Some(grid?.from(
            Origin::OnDisk,
            "block of the file system that holds the image",
            Confidence::High,
        ))
    }
}

fn not_placed(file: &Path, extents: usize) -> Remark {
    let why = format!(
        "{extents} extents of {} have no place of their own on the device yet (not written out, compressed, or \
         inside metadata): only the others are judged",
        file.display()
    );
    Remark::new(rules::EXTENTS_NOT_PLACED, Severity::Note, why).advise("sync, and check again")
}
