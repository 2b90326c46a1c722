//! Metadata areas: a header of one sector, then a circular buffer with the newest text in it.

use ioalign_core::Severity;
use ioalign_core::{Remark, rules};

use super::label::Area;
use super::text::{LvmTextSection, Value};
use super::{crc, group};
use crate::error::{Error, Result};
use crate::view::{Record, View};
use crate::volumes::VolumeGroup;

/// The header's sector; the buffer begins behind it.
const HEADER: u64 = 512;
/// `FMTT_MAGIC`.
const MAGIC: &[u8] = b" LVM2 x[5A%r0N*>";
/// Longest text that is read. The default area has room for 1 MiB.
const MOST_TEXT: u64 = 16 << 20;
/// Bytes read at a time.
const PIECE: usize = 256 << 10;
/// `RAW_LOCN_IGNORED`: this copy is not kept up to date.
const IGNORED: u32 = 1;

/// The group of the highest sequence number whose text can be read. What is damaged is remarked.
pub(super) fn newest(
    view: &View,
    areas: &[Area],
    remarks: &mut Vec<Remark>,
) -> Option<VolumeGroup> {
    let ordered = match areas {
        [single] => vec![*single],
        several => newest_first(view, several, remarks),
    };
    let found = ordered
        .iter()
        .find_map(|area| usable(parse(view, *area), remarks));
    if found.is_none() {
        // No copy makes the damage good.
        for remark in remarks
            .iter_mut()
            .filter(|remark| remark.rule == rules::LVM_METADATA)
        {
            remark.rule = rules::LVM_METADATA_LOST;
            remark.malformed = true;
        }
    }
    found
}

/// Areas with a text, by its sequence number. The texts are read twice in all, so that never more
/// than one of them is in memory.
fn newest_first(view: &View, areas: &[Area], remarks: &mut Vec<Remark>) -> Vec<Area> {
    let mut copies: Vec<(u64, Area)> = Vec::new();
    for area in areas {
        let seqno = usable(sequence(view, *area), remarks);
        copies.extend(seqno.map(|seqno| (seqno, *area)));
    }
    copies.sort_by_key(|(seqno, _)| std::cmp::Reverse(*seqno));
    remark_difference(&copies, remarks);
    copies.into_iter().map(|(_, area)| area).collect()
}

/// What a copy yields; a damaged one yields a remark.
fn usable<T>(read: Result<Option<T>>, remarks: &mut Vec<Remark>) -> Option<T> {
    read.unwrap_or_else(|error| {
        remarks.push(damaged(&error));
        None
    })
}

fn damaged(error: &Error) -> Remark {
    let why = format!(
        "A copy of the LVM metadata cannot be used: {}",
        error.what()
    );
    let remark = Remark::new(rules::LVM_METADATA, Severity::Broken, why);
    Remark {
        place: error.place(),
        ..remark.advise("vgcfgrestore restores it from /etc/lvm/backup or /etc/lvm/archive")
    }
}

fn remark_difference(copies: &[(u64, Area)], remarks: &mut Vec<Remark>) {
    if let (Some((newest, _)), Some((oldest, _))) = (copies.first(), copies.last())
        && newest != oldest
    {
        let why = format!(
            "The copies of the LVM metadata on this PV differ: sequence numbers {newest} and \
             {oldest}; the newer one is taken"
        );
        remarks.push(Remark::note(rules::LVM_METADATA_DIFFERS, why));
    }
}

/// The sequence number of the text in `area`; `None` for an empty or ignored area.
fn sequence(view: &View, area: Area) -> Result<Option<u64>> {
    let Some(text) = text(view, area)? else {
        return Ok(None);
    };
    let locate = |flaw| located(view, area, flaw);
    let (_, body) = group::root(&text).map_err(locate)?;
    match body.get("seqno").map_err(locate)? {
        Some(Value::Word(word)) => Ok(word.parse().ok()),
        _ => Ok(Some(0)),
    }
}

fn parse(view: &View, area: Area) -> Result<Option<VolumeGroup>> {
    let Some(text) = text(view, area)? else {
        return Ok(None);
    };
    let group =
        group::read(LvmTextSection::new(&text)).map_err(|flaw| located(view, area, flaw))?;
    Ok(Some(group))
}

fn located(view: &View, area: Area, flaw: super::text::Flaw) -> Error {
    let what = format!("metadata text: {flaw}");
    view.malformed(area.start.get(), what)
        .field("metadata text")
}

/// The text that the header of `area` points to.
fn text(view: &View, area: Area) -> Result<Option<Vec<u8>>> {
    let header = view.record(area.start.get(), 512)?;
    check_header(&header, area)?;
    let (offset, size) = (header.le64(40), header.le64(48));
    if offset == 0 || size == 0 || header.le32(60) & IGNORED != 0 {
        return Ok(None);
    }
    let bytes = unwrap_buffer(view, &header, offset, size)?;
    let (stored, computed) = (header.le32(56), crc(&bytes));
    if stored != computed {
        let what = format!("the CRC is {stored:08x}, the text gives {computed:08x}");
        return Err(header.bad(56, "raw_locn.checksum", what));
    }
    Ok(Some(bytes))
}

fn check_header(header: &Record, area: Area) -> Result<()> {
    if !header.has(4, MAGIC) {
        return Err(header.bad(4, "mda_header.magic", "it is not LVM's"));
    }
    let (stored, computed) = (header.le32(0), crc(header.slice(4, 508)));
    if stored != computed {
        let what = format!("the CRC is {stored:08x}, the bytes give {computed:08x}");
        return Err(header.bad(0, "mda_header.checksum", what));
    }
    if header.le32(20) != 1 {
        return Err(header.bad(20, "mda_header.version", "it is not 1"));
    }
    if header.le64(24) != area.start.get() {
        return Err(header.bad(24, "mda_header.start", "it is not where the area lies"));
    }
    Ok(())
}

/// Text that runs past the end of the buffer goes on at its front, behind the header.
fn unwrap_buffer(view: &View, header: &Record, offset: u64, size: u64) -> Result<Vec<u8>> {
    let (start, room) = (header.le64(24), header.le64(32));
    let inside = (HEADER..room).contains(&offset) && size <= room.saturating_sub(HEADER);
    if !inside || start.checked_add(room).is_none() {
        let what = format!("{size} bytes at {offset} do not lie in an area of {room}");
        return Err(header.bad(40, "raw_locn", what));
    }
    if size > MOST_TEXT {
        let what = format!("{size} bytes of metadata text; at most {MOST_TEXT} are read");
        return Err(view.locate(Error::too_large(what), start));
    }
    let front = size.min(room - offset);
    let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or(0));
    read_pieces(view, start + offset, front, &mut bytes)?;
    read_pieces(view, start + HEADER, size - front, &mut bytes)?;
    Ok(bytes)
}

/// Appends `len` bytes from `start`, a piece at a time: the text is in memory once.
fn read_pieces(view: &View, start: u64, len: u64, bytes: &mut Vec<u8>) -> Result<()> {
    if view.len().checked_sub(start).is_none_or(|rest| rest < len) {
        return Err(view.malformed(
            start,
            "the metadata text reaches past the end of the device",
        ));
    }
    for at in (0..len).step_by(PIECE) {
        let piece = usize::try_from(len - at).map_or(PIECE, |rest| rest.min(PIECE));
        bytes.extend(view.read(start + at, piece)?);
    }
    Ok(())
}
