//! An LVM volume group: extents areas, volumes, pools, from the text metadata on its PVs.

use std::collections::BTreeMap;

use ioalign_core::layer::{Edge, Kind};
use ioalign_core::{
    Bytes, Confidence, Grid, Layer, LayerId, Map, Origin, Remark, Runs, Severity, Tier,
};

use super::md::{Geometry, geometry};
use super::striped::Layout;
use super::volume::{Piece, Volume};
use super::{Assembly, Part, md_grids};
use crate::view::View;
use crate::volumes::{Detail, Group, GroupLv, Lvm, Segment, SegmentKind};

/// Volumes on volumes on volumes: LVM itself allows few levels.
const MOST_NESTING: u32 = 12;

/// A name in the group's metadata, resolved.
#[derive(Clone)]
struct Place {
    layer: LayerId,
    view: Option<View>,
}

/// A group while its volumes are being made.
struct Builder<'a, 'b, 'o> {
    assembly: &'a mut Assembly<'o>,
    group: &'b Group,
    /// PVs by their name in the metadata, LVs by theirs.
    places: BTreeMap<String, Place>,
    depth: u32,
}

impl Assembly<'_> {
    pub(super) fn add_group(&mut self, parts: &[Part], depth: u32) {
        let lvms = || {
            parts
                .iter()
                .filter_map(|part| lvm(part).map(|lvm| (part, lvm)))
        };
        let newest = lvms()
            .filter_map(|(_, lvm)| lvm.group.as_ref())
            .max_by_key(|g| g.seqno);
        let mut places = BTreeMap::new();
        for (part, lvm) in lvms() {
            let pv = newest.and_then(|group| group.pvs.iter().find(|pv| pv.id == lvm.pv));
            let layer =
                self.add_extents_area(part, newest, pv.map(|pv| (pv.pe_start, pv.pe_count)));
            if let Some(pv) = pv {
                let view = Some(part.view.sub(pv.pe_start.get(), u64::MAX));
                places.insert(pv.name.clone(), Place { layer, view });
            }
        }
        let Some(group) = newest else { return };
        let mut builder = Builder {
            assembly: self,
            group,
            places,
            depth,
        };
        for lv in group.lvs.iter().filter(|lv| lv.visible) {
            builder.volume(&lv.name, 0);
        }
    }

    fn add_extents_area(
        &mut self,
        part: &Part,
        group: Option<&Group>,
        pv: Option<(Bytes, u64)>,
    ) -> LayerId {
        let holder = self.stack.layer(part.layer).name.clone();
        let extent = group.map(|group| group.extent);
        let (start, count) = pv.unwrap_or((part.member.data_start, 0));
        let mut layer = Layer::new(Kind::LvmPv, holder).on(part.layer, Map::Shift { start });
        layer.block = extent;
        layer.size = extent
            .and_then(|extent| extent.checked_mul(count))
            .filter(|s| !s.is_zero());
        layer.facts.clone_from(&part.member.facts);
        layer
            .facts
            .insert("pe-start", format!("{} s", start.get() / 512));
        match group {
            Some(group) => {
                layer.facts.insert("group", group.name.clone());
                layer.facts.insert("extent", group.extent.to_string());
            }
            None => layer.remarks.push(Remark::note(
                "lvm-metadata-elsewhere",
                "this PV holds no copy of the group's metadata: its volumes are not known",
            )),
        }
        layer.remarks.extend(part.member.remarks.iter().cloned());
        self.stack.push(layer)
    }
}

fn lvm(part: &Part) -> Option<&Lvm> {
    match &part.member.detail {
        Detail::Lvm(lvm) => Some(lvm),
        _ => None,
    }
}

impl Builder<'_, '_, '_> {
    /// The place of a PV or LV by its metadata name; makes the LV's layer on first use.
    fn volume(&mut self, name: &str, nesting: u32) -> Option<Place> {
        if let Some(place) = self.places.get(name) {
            return Some(place.clone());
        }
        if nesting > MOST_NESTING {
            return None;
        }
        let lv = self.group.lvs.iter().find(|lv| lv.name == name)?;
        let place = self.add_volume(lv, nesting);
        self.places.insert(name.to_owned(), place.clone());
        if let Some(view) = place
            .view
            .clone()
            .filter(|_| lv.visible && self.is_plain(lv))
        {
            self.assembly
                .look_into_volume(place.layer, view, self.depth);
        }
        Some(place)
    }

    /// Whether the LV shows data of its own, not a pool's.
    fn is_plain(&self, lv: &GroupLv) -> bool {
        !lv.segments
            .iter()
            .any(|segment| matches!(segment.kind, SegmentKind::ThinPool { .. }))
    }

    fn add_volume(&mut self, lv: &GroupLv, nesting: u32) -> Place {
        let pool = lv.segments.iter().find_map(|segment| match &segment.kind {
            SegmentKind::ThinPool { chunk, .. } => Some(*chunk),
            _ => None,
        });
        let kind = if pool.is_some() {
            Kind::ThinPool
        } else {
            Kind::LvmLv
        };
        let name = format!("{}/{}", self.group.name, lv.name);
        let mut layer = Layer::new(kind, name.clone());
        let extents = lv
            .segments
            .iter()
            .map(|segment| segment.extents)
            .sum::<u64>();
        layer.size = self.group.extent.checked_mul(extents);
        layer.block = pool;
        let mut volume = Volume::new(&name);
        let mut grids = Vec::new();
        match lv.segments.as_slice() {
            [only] => self.segment(only, &mut layer, &mut volume, &mut grids, nesting),
            several => self.concatenated(several, &mut layer, &mut volume, nesting),
        }
        let id = self.assembly.stack.push(layer);
        for (shape, chunk) in grids {
            self.assembly
                .stack
                .grids
                .extend(md_grids(id, &shape, chunk, "LVM metadata"));
        }
        let grid = pool
            .and_then(|chunk| Grid::new(id, chunk, Bytes::ZERO, Tier::Preference, "thin-chunk"));
        let grid = grid.map(|g| g.from(Origin::OnDisk, "LVM metadata", Confidence::High));
        self.assembly.stack.grids.extend(grid);
        Place {
            layer: id,
            view: volume.into_readable(),
        }
    }

    /// Several segments: linear ones directly, striped ones through a layer of their own.
    fn concatenated(
        &mut self,
        segments: &[Segment],
        layer: &mut Layer,
        volume: &mut Volume,
        nesting: u32,
    ) {
        let mut runs: BTreeMap<LayerId, Runs> = BTreeMap::new();
        for (index, segment) in segments.iter().enumerate() {
            let Some((from, len)) = self.span(segment) else {
                continue;
            };
            let plain = match &segment.kind {
                SegmentKind::Striped { targets, .. } if targets.len() == 1 => {
                    self.straight(targets.first(), nesting)
                }
                _ => {
                    let name = format!("{}[{index}]", layer.name);
                    Some((self.segment_layer(&name, segment, len, nesting), 0))
                }
            };
            let Some((place, to)) = plain else {
                volume.push(
                    len,
                    Piece::Straight {
                        member: None,
                        to: 0,
                    },
                );
                continue;
            };
            runs.entry(place.layer).or_default().push(from, to, len);
            volume.push(
                len,
                Piece::Straight {
                    member: place.view,
                    to,
                },
            );
        }
        for (below, runs) in runs {
            layer.below.push(Edge {
                below,
                map: Map::Linear(runs),
            });
        }
    }

    fn segment_layer(&mut self, name: &str, segment: &Segment, len: u64, nesting: u32) -> Place {
        let mut layer = Layer::new(Kind::LvmLv, name).sized(Bytes::new(len));
        let mut volume = Volume::new(name);
        let mut grids = Vec::new();
        self.segment(segment, &mut layer, &mut volume, &mut grids, nesting);
        let id = self.assembly.stack.push(layer);
        for (shape, chunk) in grids {
            self.assembly
                .stack
                .grids
                .extend(md_grids(id, &shape, chunk, "LVM metadata"));
        }
        Place {
            layer: id,
            view: volume.into_readable(),
        }
    }

    /// First byte and length of a segment within its LV.
    fn span(&self, segment: &Segment) -> Option<(u64, u64)> {
        let from = self.group.extent.checked_mul(segment.start_extent)?;
        let len = self.group.extent.checked_mul(segment.extents)?;
        Some((from.get(), len.get()))
    }

    fn straight(&mut self, target: Option<&(String, u64)>, nesting: u32) -> Option<(Place, u64)> {
        let (name, extent) = target?;
        let place = self.volume(name, nesting + 1)?;
        Some((place, self.group.extent.checked_mul(*extent)?.get()))
    }

    /// A segment that is its layer's whole content.
    fn segment(
        &mut self,
        segment: &Segment,
        layer: &mut Layer,
        volume: &mut Volume,
        grids: &mut Vec<(Geometry, Bytes)>,
        nesting: u32,
    ) {
        let Some((_, len)) = self.span(segment) else {
            return;
        };
        match &segment.kind {
            SegmentKind::Striped { stripe, targets } if targets.len() > 1 => {
                let legs: Vec<_> = targets
                    .iter()
                    .map(|target| self.straight(Some(target), nesting))
                    .collect();
                layer.facts.insert("level", "striped".to_owned());
                if let Some(shape) = u32::try_from(legs.len())
                    .ok()
                    .and_then(|n| geometry(0, 0, n))
                {
                    striped(&shape, 0, *stripe, &legs, len, layer, volume, grids);
                }
            }
            SegmentKind::Striped { targets, .. } => {
                if let Some((place, to)) = self.straight(targets.first(), nesting) {
                    let map = Map::Shift {
                        start: Bytes::new(to),
                    };
                    layer.below.push(Edge {
                        below: place.layer,
                        map,
                    });
                    volume.push(
                        len,
                        Piece::Straight {
                            member: place.view,
                            to,
                        },
                    );
                }
            }
            SegmentKind::Mirror { legs } => {
                layer.facts.insert("level", "mirror".to_owned());
                let legs: Vec<_> = legs
                    .iter()
                    .filter_map(|leg| self.straight(Some(leg), nesting))
                    .collect();
                mirrored(&legs, len, layer, volume);
            }
            SegmentKind::Raid {
                level,
                stripe,
                images,
                region,
                ..
            } => {
                layer.facts.insert("level", level.clone());
                if let Some(region) = region {
                    layer.facts.insert("region", region.to_string());
                }
                let legs: Vec<_> = images
                    .iter()
                    .map(|image| self.straight(Some(&(image.clone(), 0)), nesting))
                    .collect();
                raid(level, *stripe, &legs, len, layer, volume, grids);
            }
            SegmentKind::ThinPool { data, chunk, .. } => {
                layer.facts.insert("chunk", chunk.to_string());
                self.on_top(data, len, layer, volume, nesting);
            }
            SegmentKind::Thin { pool } => self.thin(pool, layer, nesting),
            SegmentKind::Cache { origin, chunk, .. } => {
                if let Some(chunk) = chunk {
                    layer.facts.insert("cache-chunk", chunk.to_string());
                }
                self.on_top(origin, len, layer, volume, nesting);
            }
            SegmentKind::Other { kind, refers } => {
                layer.facts.insert("segment", kind.clone());
                for name in refers {
                    if let Some(place) = self.volume(name, nesting + 1) {
                        let map = Map::Opaque(format!("LVM segment type {kind} is not followed"));
                        layer.below.push(Edge {
                            below: place.layer,
                            map,
                        });
                    }
                }
            }
        }
    }

    /// A layer that shows another LV one to one.
    fn on_top(
        &mut self,
        name: &str,
        len: u64,
        layer: &mut Layer,
        volume: &mut Volume,
        nesting: u32,
    ) {
        if let Some(place) = self.volume(name, nesting + 1) {
            layer.below.push(Edge {
                below: place.layer,
                map: Map::Shift { start: Bytes::ZERO },
            });
            volume.push(
                len,
                Piece::Straight {
                    member: place.view,
                    to: 0,
                },
            );
        }
    }

    fn thin(&mut self, pool: &str, layer: &mut Layer, nesting: u32) {
        let Some(place) = self.volume(pool, nesting + 1) else {
            return;
        };
        let granule = self.assembly.stack.layer(place.layer).block;
        let Some(granule) = granule.filter(|granule| !granule.is_zero()) else {
            let why = "the pool's chunk size is not known";
            layer
                .remarks
                .push(Remark::new("thin-chunk-unknown", Severity::Unknown, why));
            return;
        };
        layer.facts.insert("pool", pool.to_owned());
        let map = Map::Scattered {
            start: Bytes::ZERO,
            granule,
        };
        layer.below.push(Edge {
            below: place.layer,
            map,
        });
    }
}

fn mirrored(legs: &[(Place, u64)], len: u64, layer: &mut Layer, volume: &mut Volume) {
    for (place, to) in legs {
        let map = Map::Mirror {
            start: Bytes::new(*to),
        };
        layer.below.push(Edge {
            below: place.layer,
            map,
        });
    }
    if let Some((place, to)) = legs.iter().find(|(place, _)| place.view.is_some()) {
        volume.push(
            len,
            Piece::Straight {
                member: place.view.clone(),
                to: *to,
            },
        );
    }
}

/// md's number and layout for an LVM RAID type; source: `lib/device_mapper` `_dm_raid` tables.
fn raid_type(level: &str) -> Option<(i32, u32)> {
    Some(match level {
        "raid0" | "raid0_meta" => (0, 0),
        "raid1" => (1, 0),
        "raid4" => (4, 0),
        "raid5" | "raid5_ls" => (5, 2),
        "raid5_la" => (5, 0),
        "raid5_ra" => (5, 1),
        "raid5_rs" => (5, 3),
        "raid5_n" => (5, 5),
        "raid6" | "raid6_zr" => (6, 8),
        "raid6_nr" => (6, 9),
        "raid6_nc" => (6, 10),
        "raid6_ls_6" => (6, 18),
        "raid6_la_6" => (6, 16),
        "raid6_rs_6" => (6, 19),
        "raid6_ra_6" => (6, 17),
        "raid6_n_6" => (6, 5),
        "raid10" | "raid10_near" => (10, 0x102),
        _ => return None,
    })
}

fn raid(
    level: &str,
    stripe: Bytes,
    legs: &[Option<(Place, u64)>],
    len: u64,
    layer: &mut Layer,
    volume: &mut Volume,
    grids: &mut Vec<(Geometry, Bytes)>,
) {
    let disks = u32::try_from(legs.len()).unwrap_or(0);
    let shape = raid_type(level)
        .and_then(|(md, layout)| geometry(md, layout, disks).map(|shape| (md, layout, shape)));
    match shape {
        Some((1, ..)) => {
            let present: Vec<_> = legs.iter().flatten().cloned().collect();
            mirrored(&present, len, layer, volume);
        }
        Some((_, layout, shape)) => {
            striped(&shape, layout, stripe, legs, len, layer, volume, grids);
        }
        None => {
            let why = format!("LVM RAID type {level} is not known");
            layer
                .remarks
                .push(Remark::new("lvm-raid-unknown", Severity::Unknown, why));
        }
    }
}

#[expect(
    clippy::too_many_arguments,
    reason = "one call site each for LVM's two striped forms"
)]
fn striped(
    shape: &Geometry,
    layout: u32,
    chunk: Bytes,
    legs: &[Option<(Place, u64)>],
    len: u64,
    layer: &mut Layer,
    volume: &mut Volume,
    grids: &mut Vec<(Geometry, Bytes)>,
) {
    for (slot, leg) in (0_u32..).zip(legs) {
        if let Some((place, to)) = leg {
            let map = shape.map(Bytes::new(*to), chunk, slot);
            layer.below.push(Edge {
                below: place.layer,
                map,
            });
        }
    }
    layer.facts.insert("stripe", chunk.to_string());
    grids.push((*shape, chunk));
    let disks = u32::try_from(legs.len()).unwrap_or(0);
    if let Some(layout) = Layout::new(shape, layout, disks).filter(|_| !chunk.is_zero()) {
        let members = legs
            .iter()
            .map(|leg| {
                leg.as_ref()
                    .and_then(|(p, to)| Some((p.view.clone()?, *to)))
            })
            .collect();
        volume.push(
            len,
            Piece::Striped {
                chunk: chunk.get(),
                layout,
                members,
            },
        );
    }
}
