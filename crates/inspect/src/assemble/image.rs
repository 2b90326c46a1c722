//! Image files: the virtual disk, the file it lies in, and what the disk holds.

use std::path::Path;
use std::sync::Arc;

use ioalign_core::layer::detail::{Detail, ImageDetail, ImageFormat};
use ioalign_core::layer::{Edge, Kind};
use ioalign_core::{
    Bytes, Confidence, Grid, GridClaim, GridKind, Layer, LayerId, Map, Origin, Remark, Stack, Tier,
    grid, rules,
};

use super::{AssembleOptions, Assembly, Inspection};
use crate::error::Result;
use crate::images::{self, Image, ImagePolicy};
use crate::source::{FileSource, Source};
use crate::view::View;

/// Reads one image file (or block device taken as one) into a stack.
pub fn image(path: &Path, options: &AssembleOptions) -> Result<Inspection> {
    images(&[path], options)
}

/// Reads several images as the disks of one machine: arrays and groups span them.
pub fn images(paths: &[&Path], options: &AssembleOptions) -> Result<Inspection> {
    let mut assembly = Assembly::new(Stack::new(), options);
    let mut formats = Vec::new();
    for path in paths {
        let source: Arc<dyn Source> = Arc::new(FileSource::open(path)?);
        formats.push(assembly.add_image(path, &source)?);
    }
    assembly.run();
    formats.dedup();
    Ok(assembly.finish(formats.join("+"), paths.first().copied()))
}

/// Reads bytes that are in memory as an image: for tests and fuzzing.
pub fn image_from(source: &Arc<dyn Source>, options: &AssembleOptions) -> Result<Inspection> {
    let mut assembly = Assembly::new(Stack::new(), options);
    let format = assembly.add_image(source.path(), source)?;
    assembly.run();
    Ok(assembly.finish(format, Some(source.path())))
}

impl Assembly<'_> {
    fn add_image(&mut self, path: &Path, source: &Arc<dyn Source>) -> Result<String> {
        let policy = ImagePolicy {
            allow_backing: self.options.allow_backing,
            ..ImagePolicy::default()
        };
        let policy = ImagePolicy {
            chain: vec![path.to_owned()],
            ..policy
        };
        let name = file_name(path);
        let Some(image) = images::open(source, &policy)? else {
            let disk = Layer::new(Kind::Disk, name).sized(Bytes::new(source.len()));
            let disk = self
                .stack
                .push(disk.detailed(Detail::Image(ImageDetail::of_format(ImageFormat::Raw))));
            self.add_disk_grids(disk);
            self.look_into_disk(disk, View::new(Arc::clone(source)));
            return Ok("raw".to_owned());
        };
        let disk = self.add_container(&name, &image);
        self.look_into_disk(disk, View::new(image.guest));
        Ok(image.detail.format.name().to_owned())
    }

    /// The layers of a container: each file that holds guest data, and the virtual disk on them.
    pub(super) fn add_container(&mut self, name: &str, image: &Image) -> LayerId {
        // A raw image is its file, unless it is asked where that lies.
        let raw = image.detail.format == ImageFormat::Raw && self.held.is_empty();
        let mut disk = Layer::new(Kind::Disk, if raw { name } else { "virtual disk" })
            .sized(image.virtual_size)
            .detailed(Detail::Image(image.detail.clone()));
        disk.logical_sector = image.logical_sector;
        disk.remarks.clone_from(&image.remarks);
        if !raw {
            self.add_places(&mut disk, image);
        }
        let copies = image.backing.is_some() || image.backing_path.is_some();
        let disk = self.stack.push(disk);
        self.add_disk_grids(disk);
        if let Some(cluster) = image.detail.cluster.filter(|_| copies) {
            // The first write to a cluster of an overlay copies the rest from the backing file.
            self.add_grid(
                disk,
                cluster,
                Tier::Preference,
                GridKind::CopyOnWriteCluster,
                image.detail.format.name(),
            );
        }
        disk
    }

    fn add_places(&mut self, disk: &mut Layer, image: &Image) {
        let mut next = Some(image);
        while let Some(image) = next {
            for place in &image.places {
                let mut file = Layer::new(Kind::Image, file_name(&place.path)).sized(place.size);
                let block = self.hold(&place.path, &mut file);
                let is_held = !file.below.is_empty();
                let file = self.stack.push(file);
                if !is_held {
                    self.stack.grids.push(host_block().on(file));
                }
                let block = block.map(|grid| Grid {
                    layer: file,
                    ..grid
                });
                self.stack.grids.extend(block);
                if place.runs.truncated() {
                    disk.remarks.push(Remark::note(
                        rules::IMAGE_MAP_TRUNCATED,
                        "the image is too fragmented to keep its whole map: shares are of its \
                         first pieces",
                    ));
                }
                disk.below.push(Edge {
                    below: file,
                    map: Map::Linear(place.runs.clone()),
                });
            }
            next = image.backing.as_deref();
            if let Some(below) = next {
                disk.remarks.extend(inherited(below));
            }
        }
    }

    /// The grids of a disk that carries no topology: those declared, else those assumed.
    pub(super) fn add_disk_grids(&mut self, disk: LayerId) {
        let layer = self.stack.layer(disk);
        // A raw image has no header, a listed disk neither.
        let source = match layer.image().map(|image| image.format) {
            Some(ImageFormat::Raw) => "sector of its table, 512 without one",
            Some(_) => "image header",
            None => "sector of the listing",
        };
        if let Some(sector) = layer.logical_sector {
            self.add_grid(
                disk,
                sector,
                Tier::Validity,
                GridKind::LogicalSector,
                source,
            );
        }
        match (self.options.grids.is_empty(), self.held.is_empty()) {
            (false, _) => self.add_declared_grids(disk),
            (true, true) => self.stack.grids.extend(grid::assumed(disk)),
            // What lies below is known.
            (true, false) => {}
        }
    }

    pub(super) fn add_declared_grids(&mut self, disk: LayerId) {
        let declared = self.options.grids.iter().cloned();
        let declared = declared.map(|claim| claim.on(disk));
        self.stack.grids.extend(declared);
    }

    fn add_grid(&mut self, layer: LayerId, size: Bytes, tier: Tier, kind: GridKind, source: &str) {
        let grid = Grid::new(layer, size, Bytes::ZERO, tier, kind);
        let grid = grid.map(|grid| grid.from(Origin::OnDisk, source, Confidence::High));
        self.stack.grids.extend(grid);
    }
}

/// The block of whatever holds an image file.
fn host_block() -> GridClaim {
    GridClaim {
        kind: GridKind::HostBlock,
        source: "assumed: 4 KiB blocks of the file system that holds the image".to_owned(),
        ..GridClaim::assumed_block()
    }
}

/// What is wrong with a backing image spoils the disk above it; the remark names that file.
fn inherited(backing: &Image) -> impl Iterator<Item = Remark> {
    let path = backing.guest.path();
    backing.remarks.iter().map(move |remark| {
        let remark = remark.clone();
        let why = format!("Backing file {}: {}", path.display(), remark.why);
        Remark { why, ..remark }.in_file(path)
    })
}

fn file_name(path: &Path) -> String {
    path.file_name().map_or_else(
        || path.display().to_string(),
        |n| n.to_string_lossy().into_owned(),
    )
}
