//! An md array from its members' superblocks.

use ioalign_core::{ArrayLevel, Bytes, Layer, Remark, Severity};
use ioalign_core::{layer::Kind, rules};

use super::striped::StripedLayout;
use super::volume::{VolumePiece, VolumeSource};
use super::{Assembly, SetMember, md_grids};
use crate::view::View;
use crate::volumes::md::geometry::{MdGeometry, Placement, geometry};
use crate::volumes::{Detail, Md};

/// A member with its superblock.
struct Leg<'a> {
    part: &'a SetMember,
    md: &'a Md,
}

impl Assembly<'_> {
    pub(super) fn add_array(&mut self, parts: &[SetMember], depth: u32) {
        let legs: Vec<_> = parts
            .iter()
            .filter_map(|part| match &part.member.detail {
                Detail::Md(md) => Some(Leg { part, md }),
                _ => None,
            })
            .collect();
        // Members that fell out keep an old superblock: the highest event count is right.
        let Some(newest) = legs.iter().max_by_key(|leg| leg.md.events) else {
            return;
        };
        let Some(shape) = geometry(newest.md.level, newest.md.layout, newest.md.raid_disks) else {
            return self.unknown_array(newest);
        };
        let mut layer = array_layer(newest, &legs);
        for leg in &legs {
            if let Some(slot) = leg.md.slot {
                let map = shape.map(leg.part.member.data_start, leg.md.chunk, slot);
                layer.below.push(ioalign_core::Edge {
                    below: leg.part.layer,
                    map,
                });
            }
        }
        let id = self.stack.push(layer);
        let source = format!("md superblock {}", newest.md.version);
        self.stack
            .grids
            .extend(md_grids(id, &shape, newest.md.chunk, &source));
        if let Some(view) = array_view(&shape, newest, &legs) {
            self.look_into_volume(id, view, depth);
        }
    }

    fn unknown_array(&mut self, leg: &Leg<'_>) {
        let why = format!(
            "md level {} with layout {:#x} on {} devices is not known: nothing above it is judged",
            leg.md.level, leg.md.layout, leg.md.raid_disks
        );
        let remark = Remark::new(rules::MD_LAYOUT_UNKNOWN, Severity::Unknown, why);
        self.stack.layer_mut(leg.part.layer).remarks.push(remark);
    }
}

fn array_layer(newest: &Leg<'_>, legs: &[Leg<'_>]) -> Layer {
    let member = &newest.part.member;
    let name = array_name(&member.name);
    let present = legs.iter().filter(|leg| leg.md.slot.is_some()).count();
    let mut layer = Layer::new(Kind::Md, name)
        .fact("metadata", newest.md.version)
        .fact(
            "members",
            format!("{present} of {} present", newest.md.raid_disks),
        )
        .fact("uuid", member.set.clone());
    layer.level = Some(ArrayLevel::new(level_name(newest.md.level)));
    layer.size = newest
        .md
        .array_size
        .or_else(|| sum_of_members(newest, legs));
    if !newest.md.chunk.is_zero() {
        layer.facts.insert("chunk", newest.md.chunk.to_string());
    }
    for leg in legs {
        layer
            .remarks
            .extend(leg.part.member.remarks.iter().cloned());
    }
    layer.remarks.extend(differing_starts(legs));
    layer
}

/// mdadm stores `host:name`, and a number where the name is that of the device: `db1:0` is md0.
fn array_name(stored: &str) -> String {
    let name = stored.rsplit_once(':').map_or(stored, |(_, name)| name);
    match name {
        "" => "md".to_owned(),
        number if number.chars().all(|c| c.is_ascii_digit()) => format!("md{number}"),
        name => name.to_owned(),
    }
}

/// RAID 0 and linear arrays do not store their size: members may differ. Each gives whole chunks.
fn sum_of_members(newest: &Leg<'_>, legs: &[Leg<'_>]) -> Option<Bytes> {
    let chunk = newest.md.chunk.get().max(1);
    let mut sum = Bytes::ZERO;
    for slot in 0..newest.md.raid_disks {
        let leg = legs.iter().find(|leg| leg.md.slot == Some(slot))?;
        let size = leg.part.member.data_size?.get();
        sum = sum.checked_add(Bytes::new(size - size % chunk))?;
    }
    Some(sum)
}

/// `raid5`, `linear`, `multipath`.
pub(super) fn level_name(level: i32) -> String {
    match level {
        -1 => "linear".to_owned(),
        -4 => "multipath".to_owned(),
        n => format!("raid{n}"),
    }
}

fn differing_starts(legs: &[Leg<'_>]) -> Option<Remark> {
    let first = legs.first()?.part.member.data_start;
    let other = legs
        .iter()
        .find(|leg| leg.part.member.data_start != first)?;
    let why = format!(
        "the members' data areas start at different offsets ({} B and {} B): each is judged on its own",
        first.get(),
        other.part.member.data_start.get()
    );
    Some(Remark::note(rules::MD_DATA_OFFSETS_DIFFER, why))
}

/// The array's bytes, as far as the members that are here can give them.
fn array_view(shape: &MdGeometry, newest: &Leg<'_>, legs: &[Leg<'_>]) -> Option<View> {
    let data = |leg: &Leg<'_>| {
        let len = leg.part.member.data_size.map_or(u64::MAX, Bytes::get);
        leg.part.view.sub(leg.part.member.data_start.get(), len)
    };
    if shape.placement == Placement::Mirrored {
        return legs.iter().find(|leg| leg.md.slot.is_some()).map(data);
    }
    let md = newest.md;
    let size = md
        .array_size
        .or_else(|| sum_of_members(newest, legs))?
        .get();
    let chunk = md.chunk.get();
    if chunk == 0 {
        return None;
    }
    let layout = StripedLayout::new(shape, md.layout, md.raid_disks)?;
    let slots = 0..md.raid_disks;
    let members: Vec<_> = slots
        .map(|slot| {
            legs.iter()
                .find(|leg| leg.md.slot == Some(slot))
                .map(|leg| (data(leg), 0))
        })
        .collect();
    let mut volume = VolumeSource::new(&newest.part.member.name);
    volume.push(
        size,
        VolumePiece::Striped {
            chunk,
            layout,
            members,
        },
    );
    Some(volume.into_view())
}
