//! Puts the groups of reports and backup files in order, and makes members of their PVs.

use std::collections::{BTreeMap, BTreeSet};

use ioalign_core::{Bytes, Remark, Severity, rules};

use super::short;
use crate::captures::{Said, TextEvidence};
use crate::error::Error;
use crate::volumes::{Detail, GroupPv, PhysicalVolume, SegmentKind, VolumeGroup, VolumeMember};

/// To be called once, when all texts of a host are read.
///
/// Of several states of a group the one with the highest sequence number is kept. Reports about a
/// group in a backup file are dropped, except for the devices on which `pvs` saw its PVs. Then
/// every known PV has a [`VolumeMember`] with [`Detail::Lvm`] on its device, whose `set` is the id of its
/// group, and the first PV of each group carries the group, as on disk.
pub fn join(evidence: &mut TextEvidence) {
    let mut groups = newest(std::mem::take(&mut evidence.groups));
    let mut attached = BTreeSet::new();
    for group in &mut groups {
        complete(group, &mut evidence.remarks);
        attach(group, &mut evidence.devices, &mut attached);
    }
    evidence.groups = groups;
    drop_others(&mut evidence.devices, &attached);
}

/// Several reports may list one PV: those that the group did not use are complete.
fn drop_others(devices: &mut [Said], attached: &BTreeSet<usize>) {
    let names: BTreeSet<String> = attached
        .iter()
        .filter_map(|at| Some(devices.get(*at)?.name.clone()))
        .collect();
    for (at, said) in devices.iter_mut().enumerate() {
        let volume = said
            .member
            .as_ref()
            .is_some_and(|member| member.kind == "lvm2");
        if volume && !attached.contains(&at) && names.contains(&said.name) {
            said.member = None;
            said.data_start = None;
        }
    }
}

pub(super) fn damaged(error: &Error) -> Remark {
    let why = format!("A backup of LVM metadata cannot be used: {error}");
    Remark::note(rules::LVM_BACKUP_DAMAGED, why)
}

/// One of each name: the newest backup, else what reports make up.
fn newest(groups: Vec<VolumeGroup>) -> Vec<VolumeGroup> {
    let mut kept: BTreeMap<String, VolumeGroup> = BTreeMap::new();
    for group in groups {
        match kept.get(&group.name) {
            Some(known) if known.seqno >= group.seqno => {}
            _ => {
                kept.insert(group.name.clone(), group);
            }
        }
    }
    kept.into_values().collect()
}

/// What reports leave open: the id, and volumes on PVs whose place they do not tell.
fn complete(group: &mut VolumeGroup, remarks: &mut Vec<Remark>) {
    if group.id.is_empty() {
        group.id.clone_from(&group.name);
    }
    if group.seqno != 0 {
        return;
    }
    let known: BTreeSet<String> = group
        .pvs
        .iter()
        .map(|pv| pv.name.clone())
        .chain(group.lvs.iter().map(|lv| lv.name.clone()))
        .collect();
    let before = group.lvs.len();
    let extent = group.extent;
    group.lvs.retain(|lv| {
        !extent.is_zero()
            && !lv.segments.is_empty()
            && lv
                .segments
                .iter()
                .all(|segment| resolved(&segment.kind, &known))
    });
    let lost = before - group.lvs.len();
    if lost != 0 {
        let why = format!(
            "The reports do not contain the places of {lost} of {before} volumes of the group {}",
            group.name
        );
        let advice = "pvs --units s -o +pe_start,pv_uuid; vgs --units s -o +vg_extent_size; lvs -a \
                      --units s -o +segtype,stripes,stripesize,chunksize,seg_pe_ranges tell it, and \
                      so does a file of vgcfgbackup";
        remarks.push(Remark::new(rules::LVM_REPORT_INCOMPLETE, Severity::Note, why).advise(advice));
    }
}

fn resolved(kind: &SegmentKind, known: &BTreeSet<String>) -> bool {
    match kind {
        SegmentKind::Striped { targets, .. } => {
            targets.iter().all(|(name, _)| known.contains(name))
        }
        SegmentKind::Mirror { legs } => legs.iter().all(|(name, _)| known.contains(name)),
        SegmentKind::Raid { images, .. } => images.iter().all(|name| known.contains(name)),
        SegmentKind::ThinPool { data, .. } => known.contains(data),
        SegmentKind::Thin { pool } => known.contains(pool),
        SegmentKind::Cache { origin, .. } => known.contains(origin),
        SegmentKind::Other { .. } => true,
    }
}

/// Members on the devices of the group's PVs.
fn attach(group: &mut VolumeGroup, devices: &mut Vec<Said>, attached: &mut BTreeSet<usize>) {
    let (mut by_id, mut by_name) = (BTreeMap::new(), BTreeMap::new());
    for (at, said) in devices.iter().enumerate() {
        if let Some(id) = said.member.as_ref().and_then(pv_of) {
            by_id.insert(id, at);
            by_name.insert(said.name.clone(), at);
        }
    }
    let mut carrier = true;
    for index in 0..group.pvs.len() {
        let Some(mut pv) = group.pvs.get(index).cloned() else {
            continue;
        };
        // A UUID is sure, the path in a backup file only a hint.
        let seen = by_id.get(&pv.id).or_else(|| by_name.get(short(&pv.device)));
        let remark = seen
            .and_then(|at| devices.get(*at)?.member.as_ref())
            .and_then(|live| moved(live, &mut pv));
        let mut member = member(group, &pv);
        member.remarks.extend(remark);
        if let Some(slot) = group.pvs.get_mut(index) {
            slot.pe_start = pv.pe_start;
        }
        if carrier && let Detail::Lvm(lvm) = &mut member.detail {
            lvm.group = Some(group.clone());
            carrier = false;
        }
        let at = seen.copied().unwrap_or(devices.len());
        if at == devices.len() {
            devices.push(Said {
                name: short(&pv.device).to_owned(),
                ..Said::default()
            });
        }
        if let Some(said) = devices.get_mut(at) {
            said.member = Some(member);
            said.data_start = None;
            attached.insert(at);
        }
    }
}

/// The PV that a member is, by the id or device name that its report gave.
fn pv_of(member: &VolumeMember) -> Option<String> {
    match &member.detail {
        _ if member.kind != "lvm2" => None,
        Detail::Lvm(lvm) => Some(lvm.pv.clone()),
        _ => Some(member.pv_uuid.clone().unwrap_or_default()),
    }
}

/// What `pvs` saw counts more than a backup of another day.
fn moved(live: &VolumeMember, pv: &mut GroupPv) -> Option<Remark> {
    if !matches!(live.detail, Detail::Lvm(_)) || live.data_start == pv.pe_start {
        return None;
    }
    let why = format!(
        "pvs puts extent 0 at byte {}, the backup of the metadata at byte {}",
        live.data_start.get(),
        pv.pe_start.get()
    );
    pv.pe_start = live.data_start;
    Some(Remark::note(rules::LVM_PE_START_DIFFERS, why))
}

fn member(group: &VolumeGroup, pv: &GroupPv) -> VolumeMember {
    let detail = Detail::Lvm(PhysicalVolume {
        pv: pv.id.clone(),
        group: None,
    });
    let mut member = VolumeMember::new("lvm2", detail);
    member.set.clone_from(&group.id);
    member.name.clone_from(&group.name);
    member.data_start = pv.pe_start;
    member.data_size = group
        .extent
        .checked_mul(pv.pe_count)
        .filter(|size| *size != Bytes::ZERO);
    if group.seqno != 0 {
        member.fact("seqno", &group.seqno);
    }
    if !group.extent.is_zero() {
        member.fact("extent-size", &group.extent);
    }
    member.fact("pv-uuid", &pv.id);
    member
}
