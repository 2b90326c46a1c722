//! LVM2 physical volumes: label, PV header, metadata areas and the group that their text says.
//!
//! Layouts: lvm2 `lib/format_text/layout.h` and `lib/label/label.h`. Extent 0 of a PV lies at
//! `pe_start` of the text, or at the data area of the header when this PV holds no text.

mod area;
mod budget;
mod group;
mod label;
mod segment;
mod text;

use ioalign_core::{Bytes, Remark};
use ioalign_core::{Severity, rules};

use self::label::PvLabel;
use super::{Detail, GroupPv, PhysicalVolume, VolumeGroup, VolumeMember};
use crate::error::{Error, Result};
use crate::view::View;

/// The physical volume on `view`.
///
/// [`VolumeMember::set`] is the group's id, empty when this PV holds no copy of the metadata: then
/// another PV's group names it by [`PhysicalVolume::pv`].
pub(super) fn probe(view: &View) -> Result<Option<VolumeMember>> {
    let Some(label) = label::find(view)? else {
        return Ok(None);
    };
    Ok(Some(member(view, label)))
}

/// The volume that the label and the metadata behind it describe.
fn member(view: &View, label: PvLabel) -> VolumeMember {
    let mut remarks = label.remarks.clone();
    let group = area::newest(view, &label.metadata, &mut remarks);
    let mut member = VolumeMember::new("lvm2", Detail::Opaque(String::new()));
    place(view, &label, group.as_ref(), &mut member);
    shorter(view, &label, &mut member);
    if let Some(group) = &group {
        member.set.clone_from(&group.id);
        member.name.clone_from(&group.name);
        member.fact("seqno", &group.seqno);
        member.fact("extent-size", &group.extent);
    }
    member.fact("pv-uuid", &label.pv);
    member.fact("metadata-areas", &label.metadata.len());
    member.remarks.splice(0..0, remarks);
    member.detail = Detail::Lvm(PhysicalVolume {
        pv: label.pv,
        group,
    });
    member
}

/// The group that a text in LVM's own format describes (`vgcfgbackup`, `/etc/lvm/backup`). The
/// text must begin at the group or at assignments before it; what follows its last brace is not read.
pub fn group_of_text(text: &[u8]) -> Result<VolumeGroup> {
    group::read(text::LvmTextSection::new(text))
        .map_err(|flaw| Error::malformed(format!("LVM metadata text: {flaw}")))
}

/// Data start and size: the text wins over the header, a disagreement is remarked.
fn place(view: &View, label: &PvLabel, group: Option<&VolumeGroup>, member: &mut VolumeMember) {
    let header = label.data.map(|area| area.start);
    member.data_start = header.unwrap_or_default();
    member.data_size = view
        .len()
        .checked_sub(member.data_start.get())
        .map(Bytes::new);
    let Some(group) = group else { return };
    let Some(pv) = group.pvs.iter().find(|pv| pv.id == label.pv) else {
        let why = format!(
            "PV {} is not in the group {} that it describes",
            label.pv, group.name
        );
        member.remarks.push(Remark::new(
            rules::LVM_FOREIGN_METADATA,
            Severity::Broken,
            why,
        ));
        return;
    };
    member.data_start = pv.pe_start;
    member.data_size = group.extent.checked_mul(pv.pe_count);
    agree(view, pv, header, member);
}

/// A device that is shorter than its label says, though all extents are there: LVM warns, and extends volumes
/// into what is missing as soon as the label counts.
fn shorter(view: &View, label: &PvLabel, member: &mut VolumeMember) {
    let said = member.remarks.iter_mut();
    let past_end = said
        .filter(|one| one.rule == rules::LVM_PV_TOO_SMALL)
        .last();
    if label.device.get() <= view.len() {
        return;
    }
    if let Some(remark) = past_end {
        remark.room = remark.room.max(Some(label.device));
        return;
    }
    let why = format!(
        "The PV was made on {} bytes, the space that holds it has {}",
        label.device.get(),
        view.len()
    );
    let remark = Remark::new(rules::LVM_PV_TOO_SMALL, Severity::DataRisk, why);
    member
        .remarks
        .push(remark.needing(Some(label.device)).advise(
            "give the device its length back, or `pvresize` it if it was shortened on purpose",
        ));
}

fn agree(view: &View, pv: &GroupPv, header: Option<Bytes>, member: &mut VolumeMember) {
    if let Some(header) = header.filter(|header| *header != pv.pe_start) {
        let why = format!(
            "The PV header puts the data area at byte {}, the metadata put extent 0 at byte {}",
            header.get(),
            pv.pe_start.get()
        );
        member.remarks.push(Remark::new(
            rules::LVM_PE_START_DIFFERS,
            Severity::Note,
            why,
        ));
    }
    let end = member
        .data_size
        .and_then(|size| pv.pe_start.checked_add(size));
    if end.is_none_or(|end| end.get() > view.len()) {
        let why = format!(
            "{} extents from byte {} reach past the end of the {} bytes of this PV",
            pv.pe_count,
            pv.pe_start.get(),
            view.len()
        );
        member.remarks.push(
            Remark::new(rules::LVM_PV_TOO_SMALL, Severity::Broken, why)
                .needing(end)
                .advise("vgck and pvck show what is missing; the device may have been shrunk"),
        );
    }
}

/// LVM's CRC: the usual polynomial, its own start value, no final inversion (`lib/misc/crc.c`).
pub(crate) fn crc(bytes: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new_with_initial(!0xf597_a6cf);
    hasher.update(bytes);
    !hasher.finalize()
}

/// 32 characters on disk, `6-4-4-4-4-4-6` in text and on screen.
fn dashed(id: &str) -> String {
    let mut out = String::with_capacity(38);
    for (index, letter) in id.chars().enumerate() {
        if matches!(index, 6 | 10 | 14 | 18 | 22 | 26) {
            out.push('-');
        }
        out.push(letter);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_get_their_dashes() {
        let id = "dCBX21pp3yYzmEg0uhqCno9Otbszz5Jf";
        assert_eq!(dashed(id), "dCBX21-pp3y-YzmE-g0uh-qCno-9Otb-szz5Jf");
    }

    #[test]
    fn the_crc_has_no_inversions() {
        assert_eq!(crc(b""), 0xf597_a6cf);
    }
}
