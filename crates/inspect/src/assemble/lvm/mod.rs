//! An LVM volume group: extents areas, volumes, pools, from the text metadata on its PVs.

mod segment;

use std::collections::BTreeMap;

use ioalign_core::{
    Bytes, Confidence, Grid, GridKind, Layer, LayerId, Map, Origin, Remark, Runs, Tier,
};
use ioalign_core::{
    layer::{Edge, Kind},
    rules,
};

use super::volume::{VolumePiece, VolumeSource};
use super::{Assembly, SetMember, md_grids};
use crate::view::View;
use crate::volumes::md::geometry::MdGeometry;
use crate::volumes::{Detail, GroupLv, LvSegment, PhysicalVolume, SegmentKind, VolumeGroup};

/// Volumes on volumes on volumes: LVM itself allows few levels.
const MOST_NESTING: u32 = 12;

/// A name in the group's metadata, resolved.
#[derive(Clone)]
struct LvmPlace {
    layer: LayerId,
    view: Option<View>,
}

/// A volume or segment that is being put together.
struct Draft {
    layer: Layer,
    volume: VolumeSource,
    /// Arrays in it, with their chunk.
    grids: Vec<(MdGeometry, Bytes)>,
}

impl Draft {
    fn new(kind: Kind, name: &str) -> Self {
        Self {
            layer: Layer::new(kind, name),
            volume: VolumeSource::new(name),
            grids: Vec::new(),
        }
    }
}

/// A group while its volumes are being made.
struct Builder<'a, 'b, 'o> {
    assembly: &'a mut Assembly<'o>,
    group: &'b VolumeGroup,
    /// PVs by their name in the metadata, LVs by theirs.
    places: BTreeMap<String, LvmPlace>,
    depth: u32,
}

impl Assembly<'_> {
    pub(super) fn add_group(&mut self, parts: &[SetMember], depth: u32) {
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
                places.insert(pv.name.clone(), LvmPlace { layer, view });
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
        part: &SetMember,
        group: Option<&VolumeGroup>,
        pv: Option<(Bytes, u64)>,
    ) -> LayerId {
        let holder = self.stack.layer(part.layer).name.clone();
        let extent = group
            .map(|group| group.extent)
            .filter(|extent| !extent.is_zero());
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
                layer.set_volume_group(&group.name);
                layer.facts.insert("extent", group.extent.to_string());
            }
            None => layer.remarks.push(Remark::note(
                rules::LVM_METADATA_ELSEWHERE,
                "this PV holds no copy of the group's metadata: its volumes are not known",
            )),
        }
        layer.remarks.extend(part.member.remarks.iter().cloned());
        self.stack.push(layer)
    }
}

fn lvm(part: &SetMember) -> Option<&PhysicalVolume> {
    match &part.member.detail {
        Detail::Lvm(lvm) => Some(lvm),
        _ => None,
    }
}

impl Builder<'_, '_, '_> {
    /// The place of a PV or LV by its metadata name; makes the LV's layer on first use.
    fn volume(&mut self, name: &str, nesting: u32) -> Option<LvmPlace> {
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

    fn add_volume(&mut self, lv: &GroupLv, nesting: u32) -> LvmPlace {
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
        let extents = lv
            .segments
            .iter()
            .fold(0_u64, |sum, one| sum.saturating_add(one.extents));
        let mut draft = Draft::new(kind, &name);
        draft.layer.size = self.group.extent.checked_mul(extents);
        draft.layer.block = pool;
        match lv.segments.as_slice() {
            [only] => self.segment(only, &mut draft, nesting),
            several => self.concatenated(several, &mut draft, nesting),
        }
        let place = self.settle(draft);
        let grid = pool.and_then(|chunk| {
            Grid::new(
                place.layer,
                chunk,
                Bytes::ZERO,
                Tier::Preference,
                GridKind::ThinChunk,
            )
        });
        let grid = grid.map(|g| g.from(Origin::OnDisk, "LVM metadata", Confidence::High));
        self.assembly.stack.grids.extend(grid);
        place
    }

    /// Makes the drafted layer.
    fn settle(&mut self, draft: Draft) -> LvmPlace {
        let layer = self.assembly.stack.push(draft.layer);
        for (shape, chunk) in draft.grids {
            let grids = md_grids(layer, &shape, chunk, "LVM metadata");
            self.assembly.stack.grids.extend(grids);
        }
        LvmPlace {
            layer,
            view: draft.volume.into_readable(),
        }
    }

    /// Several segments: linear ones directly, striped ones through a layer of their own.
    fn concatenated(&mut self, segments: &[LvSegment], draft: &mut Draft, nesting: u32) {
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
                    let mut part =
                        Draft::new(Kind::LvmLv, &format!("{}[{index}]", draft.layer.name));
                    part.layer.size = Some(Bytes::new(len));
                    self.segment(segment, &mut part, nesting);
                    Some((self.settle(part), 0))
                }
            };
            let Some((place, to)) = plain else {
                draft.volume.push(
                    len,
                    VolumePiece::Straight {
                        member: None,
                        to: 0,
                    },
                );
                continue;
            };
            runs.entry(place.layer).or_default().push(from, to, len);
            draft.volume.push(
                len,
                VolumePiece::Straight {
                    member: place.view,
                    to,
                },
            );
        }
        for (below, runs) in runs {
            draft.layer.below.push(Edge {
                below,
                map: Map::Linear(runs),
            });
        }
    }

    /// First byte and length of a segment within its LV.
    fn span(&self, segment: &LvSegment) -> Option<(u64, u64)> {
        let from = self.group.extent.checked_mul(segment.start_extent)?;
        let len = self.group.extent.checked_mul(segment.extents)?;
        Some((from.get(), len.get()))
    }

    /// A target of a segment, and the byte where the segment starts there.
    fn straight(
        &mut self,
        target: Option<&(String, u64)>,
        nesting: u32,
    ) -> Option<(LvmPlace, u64)> {
        let (name, extent) = target?;
        let place = self.volume(name, nesting + 1)?;
        Some((place, self.group.extent.checked_mul(*extent)?.get()))
    }
}
