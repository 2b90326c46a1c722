//! One segment of a logical volume: how each of LVM's types lies on what it names.

use ioalign_core::{ArrayLevel, Bytes, Map, Remark, Severity};
use ioalign_core::{layer::Edge, rules};

use super::super::striped::StripedLayout;
use super::super::volume::VolumePiece;
use super::{Builder, Draft, LvmPlace};
use crate::volumes::md::geometry::{MdGeometry, geometry};
use crate::volumes::{LvSegment, SegmentKind};

/// A target that could be resolved, and the byte where the segment starts on it.
type Leg = Option<(LvmPlace, u64)>;

impl Builder<'_, '_, '_> {
    /// A segment that is its draft's whole content.
    pub(super) fn segment(&mut self, segment: &LvSegment, draft: &mut Draft, nesting: u32) {
        let Some((_, len)) = self.span(segment) else {
            return;
        };
        match &segment.kind {
            SegmentKind::Striped { stripe, targets } if targets.len() > 1 => {
                let legs = self.legs(targets, nesting);
                draft.layer.level = Some(ArrayLevel::new("striped"));
                if let Some(shape) = u32::try_from(legs.len())
                    .ok()
                    .and_then(|n| geometry(0, 0, n))
                {
                    draft.stripe(&shape, 0, *stripe, &legs, len);
                }
            }
            SegmentKind::Striped { targets, .. } => {
                if let Some((place, to)) = self.straight(targets.first(), nesting) {
                    draft.shift(place, to, len);
                }
            }
            SegmentKind::Mirror { legs } => {
                let legs = self.legs(legs, nesting);
                draft.layer.level = Some(ArrayLevel::new("mirror"));
                draft.mirror(&legs, len);
            }
            SegmentKind::Raid {
                level,
                stripe,
                images,
                region,
                ..
            } => {
                draft.layer.level = Some(ArrayLevel::new(level.clone()));
                draft
                    .layer
                    .facts
                    .extend(region.map(|region| ("region", region.to_string())));
                let images: Vec<_> = images.iter().map(|image| (image.clone(), 0)).collect();
                let legs = self.legs(&images, nesting);
                draft.raid(level, *stripe, &legs, len);
            }
            SegmentKind::ThinPool { data, chunk, .. } => {
                draft.layer.facts.insert("chunk", chunk.to_string());
                self.on_top(data, len, draft, nesting);
            }
            SegmentKind::Thin { pool } => self.thin(pool, draft, nesting),
            SegmentKind::Cache { origin, chunk, .. } => {
                draft
                    .layer
                    .facts
                    .extend(chunk.map(|chunk| ("cache-chunk", chunk.to_string())));
                self.on_top(origin, len, draft, nesting);
            }
            SegmentKind::Other { kind, refers } => self.opaque(kind, refers, draft, nesting),
        }
    }

    fn legs(&mut self, targets: &[(String, u64)], nesting: u32) -> Vec<Leg> {
        targets
            .iter()
            .map(|target| self.straight(Some(target), nesting))
            .collect()
    }

    /// A layer that shows another LV one to one.
    fn on_top(&mut self, name: &str, len: u64, draft: &mut Draft, nesting: u32) {
        if let Some(place) = self.volume(name, nesting + 1) {
            draft.shift(place, 0, len);
        }
    }

    fn thin(&mut self, pool: &str, draft: &mut Draft, nesting: u32) {
        let Some(place) = self.volume(pool, nesting + 1) else {
            return;
        };
        let granule = self.assembly.stack.layer(place.layer).block;
        let Some(granule) = granule.filter(|granule| !granule.is_zero()) else {
            let why = "the pool's chunk size is not known";
            let remark = Remark::new(rules::THIN_CHUNK_UNKNOWN, Severity::Unknown, why);
            return draft.layer.remarks.push(remark);
        };
        draft.layer.facts.insert("pool", pool.to_owned());
        let map = Map::Scattered {
            start: Bytes::ZERO,
            granule,
        };
        draft.layer.below.push(Edge {
            below: place.layer,
            map,
        });
    }

    fn opaque(&mut self, kind: &str, refers: &[String], draft: &mut Draft, nesting: u32) {
        draft.layer.facts.insert("segment", kind.to_owned());
        for name in refers {
            if let Some(place) = self.volume(name, nesting + 1) {
                let map = Map::Opaque(format!("LVM segment type {kind} is not followed"));
                draft.layer.below.push(Edge {
                    below: place.layer,
                    map,
                });
            }
        }
    }
}

impl Draft {
    fn shift(&mut self, place: LvmPlace, to: u64, len: u64) {
        let map = Map::Shift {
            start: Bytes::new(to),
        };
        self.layer.below.push(Edge {
            below: place.layer,
            map,
        });
        self.volume.push(
            len,
            VolumePiece::Straight {
                member: place.view,
                to,
            },
        );
    }

    fn mirror(&mut self, legs: &[Leg], len: u64) {
        for (place, to) in legs.iter().flatten() {
            let map = Map::Mirror {
                start: Bytes::new(*to),
            };
            self.layer.below.push(Edge {
                below: place.layer,
                map,
            });
        }
        let readable = legs
            .iter()
            .flatten()
            .find(|(place, _)| place.view.is_some());
        if let Some((place, to)) = readable {
            self.volume.push(
                len,
                VolumePiece::Straight {
                    member: place.view.clone(),
                    to: *to,
                },
            );
        }
    }

    fn raid(&mut self, level: &str, stripe: Bytes, legs: &[Leg], len: u64) {
        let disks = u32::try_from(legs.len()).unwrap_or(0);
        let known = raid_type(level)
            .and_then(|(md, layout)| geometry(md, layout, disks).map(|shape| (md, layout, shape)));
        match known {
            Some((1, ..)) => self.mirror(legs, len),
            Some((_, layout, shape)) => self.stripe(&shape, layout, stripe, legs, len),
            None => {
                let why = format!("LVM RAID type {level} is not known");
                let remark = Remark::new(rules::LVM_RAID_UNKNOWN, Severity::Unknown, why);
                self.layer.remarks.push(remark);
            }
        }
    }

    fn stripe(&mut self, shape: &MdGeometry, layout: u32, chunk: Bytes, legs: &[Leg], len: u64) {
        for (slot, leg) in (0_u32..).zip(legs) {
            if let Some((place, to)) = leg {
                let map = shape.map(Bytes::new(*to), chunk, slot);
                self.layer.below.push(Edge {
                    below: place.layer,
                    map,
                });
            }
        }
        self.layer.facts.insert("stripe", chunk.to_string());
        self.grids.push((*shape, chunk));
        let disks = u32::try_from(legs.len()).unwrap_or(0);
        if let Some(layout) = StripedLayout::new(shape, layout, disks).filter(|_| !chunk.is_zero())
        {
            let readable = |leg: &Leg| {
                let (place, to) = leg.as_ref()?;
                Some((place.view.clone()?, *to))
            };
            let members = legs.iter().map(readable).collect();
            self.volume.push(
                len,
                VolumePiece::Striped {
                    chunk: chunk.get(),
                    layout,
                    members,
                },
            );
        }
    }
}

/// md's number and layout for an LVM RAID type, as in LVM's dm-raid target parameters (dm-raid.rst).
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
