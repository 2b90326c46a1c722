//! The place of the guest's data in each of the disk's files.

use ioalign_core::{Bytes, Remark, rules};

use super::coding::Grain;
use super::extents::{Body, VmdkExtent, VmdkExtents};
use super::grains::Grains;
use crate::error::{Error, Result};
use crate::images::mapped::{Damage, GuestMapBuilder, Limits};
use crate::images::{ImageFile, ImagePolicy};

/// The maps, and how much is stored compressed.
#[derive(Default)]
pub(super) struct VmdkWalked {
    /// One a file that holds data.
    pub(super) places: Vec<ImageFile>,
    /// Guest bytes in compressed grains.
    pub(super) compressed: u64,
}

/// What a file's map starts with: each gets its part of the disk's when its turn comes.
const NOTHING: Limits = Limits {
    runs: 0,
    table_bytes: 0,
};

/// Walks all extents once, in guest order.
pub(super) fn walk(
    extents: &VmdkExtents,
    policy: &ImagePolicy,
    remarks: &mut Vec<Remark>,
) -> Result<VmdkWalked> {
    let limits = Limits::new(policy);
    let mut walk = VmdkWalk {
        maps: extents
            .files
            .iter()
            .map(|_| GuestMapBuilder::of(NOTHING))
            .collect(),
        left: limits.runs,
        budget: limits.table_bytes,
        damage: Damage::default(),
        compressed: 0,
        usable: false,
    };
    for extent in &extents.list {
        walk.extent(extents, extent)?;
    }
    let damage = walk.damage;
    remarks.extend(damage.settle(
        walk.usable,
        rules::VMDK_GRAIN_TABLE,
        "grains or grain tables",
    )?);
    let places = finish(extents, walk.maps, remarks);
    Ok(VmdkWalked {
        places,
        compressed: walk.compressed,
    })
}

/// The walk so far.
struct VmdkWalk {
    /// One a file.
    maps: Vec<GuestMapBuilder>,
    /// Runs that may yet be kept, over all files.
    left: usize,
    /// Bytes of tables that may yet be read.
    budget: u64,
    damage: Damage,
    compressed: u64,
    usable: bool,
}

impl VmdkWalk {
    fn extent(&mut self, extents: &VmdkExtents, extent: &VmdkExtent) -> Result<()> {
        match &extent.body {
            Body::Zero => Ok(()),
            Body::Flat { file, at } => {
                let there = extents.files.get(*file).map_or(0, |file| file.len());
                let len = extent.len.min(there.saturating_sub(*at));
                self.usable = true;
                self.with_map(*file, |map, _| {
                    map.push(extent.start, *at, len);
                    Ok(())
                })
            }
            Body::Sparse {
                file,
                grains,
                packing,
            } => self.with_map(*file, |map, walk| {
                let mut sink = Sink {
                    extent,
                    grains,
                    map: packing.is_none().then_some(&mut *map),
                    compressed: 0,
                    usable: false,
                };
                let whole = sink.walk(&mut walk.budget, &mut walk.damage)?;
                walk.compressed += sink.compressed;
                walk.usable |= sink.usable || !whole;
                if !whole {
                    map.cut();
                }
                Ok(())
            }),
        }
    }

    /// Lends the file's map, which may grow by what all maps together have left.
    fn with_map(
        &mut self,
        file: usize,
        work: impl FnOnce(&mut GuestMapBuilder, &mut Self) -> Result<()>,
    ) -> Result<()> {
        let Some(slot) = self.maps.get_mut(file) else {
            return Ok(());
        };
        let mut map = std::mem::replace(slot, GuestMapBuilder::of(NOTHING));
        let before = map.count();
        map.allow(before.saturating_add(self.left));
        let done = work(&mut map, self);
        self.left = self.left.saturating_sub(map.count() - before);
        if let Some(slot) = self.maps.get_mut(file) {
            *slot = map;
        }
        done
    }
}

fn finish(
    extents: &VmdkExtents,
    maps: Vec<GuestMapBuilder>,
    remarks: &mut Vec<Remark>,
) -> Vec<ImageFile> {
    let mut places = Vec::new();
    let mut cut = None;
    for (file, map) in extents.files.iter().zip(maps) {
        let (runs, remark) = map.finish();
        cut = cut.or(remark);
        places.push(ImageFile {
            path: file.path().to_owned(),
            size: Bytes::new(file.len()),
            runs,
        });
    }
    remarks.extend(cut);
    places
}

/// Takes the grains of one extent.
struct Sink<'a> {
    extent: &'a VmdkExtent,
    grains: &'a Grains,
    /// `None` for compressed grains, which have no place worth the name.
    map: Option<&'a mut GuestMapBuilder>,
    compressed: u64,
    usable: bool,
}

impl Sink<'_> {
    fn walk(&mut self, budget: &mut u64, damage: &mut Damage) -> Result<bool> {
        let grains = self.grains;
        grains.walk(budget, damage, |start, grain, len, damage| {
            self.take(start, grain, len, damage);
        })
    }

    fn take(&mut self, start: u64, grain: Grain, len: u64, damage: &mut Damage) {
        self.usable |= grain == Grain::Zero;
        let Grain::At(at) = grain else {
            return;
        };
        let end = self.grains.view().len();
        if at >= end || self.map.is_some() && end - at < len {
            damage.add(|| self.outside(start, at, len));
        }
        // What the descriptor's extent leaves out is not part of the disk.
        let len = len.min(self.extent.len.saturating_sub(start));
        let stored = len.min(end.saturating_sub(at));
        self.usable |= stored > 0;
        match &mut self.map {
            Some(map) => map.push(self.extent.start.saturating_add(start), at, stored),
            None if stored > 0 => self.compressed += len,
            None => {}
        }
    }

    fn outside(&self, start: u64, at: u64, len: u64) -> Error {
        let view = self.grains.view();
        let what = format!(
            "The grain of guest byte {} has {len} bytes at byte {at}, past the file's end at {}",
            self.extent.start.saturating_add(start),
            view.len()
        );
        view.malformed(at, what).field("grain table")
    }
}
