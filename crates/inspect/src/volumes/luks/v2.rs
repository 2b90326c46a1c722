//! LUKS2: two copies of a 4096-byte binary header with a JSON area behind each.
//!
//! The second copy is asked only where the first one's magic stands: alone it is as likely what
//! an earlier volume left behind, and would hide the file system that was made over it.

use ioalign_core::{Bytes, Remark};
use ioalign_core::{Severity, rules};

use super::json::{LuksMetadata, LuksSegment};
use super::{MAGIC, detached, place};
use crate::error::Result;
use crate::view::{Record, View};
use crate::volumes::{Detail, UNIT, VolumeMember};

/// The binary header; the JSON area follows it.
const BINARY: usize = 4096;
/// Magic of the second copy.
const SECOND: &[u8] = b"SKUL\xba\xbe";
/// Sizes that header and JSON area may have together; the second copy lies behind the first.
const SIZES: [u64; 9] = [
    0x4000, 0x8000, 0x1_0000, 0x2_0000, 0x4_0000, 0x8_0000, 0x10_0000, 0x20_0000, 0x40_0000,
];
/// One copy, as far as it can be used.
struct LuksCopy {
    record: Record,
    metadata: LuksMetadata,
}

impl LuksCopy {
    fn sequence(&self) -> u64 {
        self.record.be64(16)
    }
}

/// Reads a header whose first copy has its magic.
pub(super) fn read(view: &View) -> Result<VolumeMember> {
    let first = copy(view, 0, MAGIC);
    let size = view.record(8, 8)?.be64(0);
    let known = SIZES.contains(&size);
    let second = if known {
        copy(view, size, SECOND).ok().flatten()
    } else {
        None
    };
    match (first, second) {
        (Ok(Some(first)), Some(second)) if second.sequence() > first.sequence() => {
            let why = format!(
                "The second LUKS2 header is newer ({} against {}) and is the one taken",
                second.sequence(),
                first.sequence()
            );
            Ok(member(view, &second, Some(why)))
        }
        (Ok(Some(first)), Some(_)) => Ok(member(view, &first, None)),
        (Ok(Some(first)), None) => {
            let why = "The second LUKS2 header is missing or damaged".to_owned();
            Ok(member(view, &first, Some(why)))
        }
        (Ok(None) | Err(_), Some(second)) => Ok(recovered(view, &second)),
        (Err(error), None) => Err(error),
        (Ok(None), None) => Err(view.malformed(0, "LUKS2 header without metadata")),
    }
}

/// The first copy has its magic and is otherwise unusable.
fn recovered(view: &View, second: &LuksCopy) -> VolumeMember {
    let mut member = member(view, second, None);
    member.remarks.push(
        Remark::new(
            rules::LUKS_FIRST_HEADER_LOST,
            Severity::DataRisk,
            "The first LUKS2 header is damaged; what is said here comes from the second one",
        )
        .advise("cryptsetup repair restores it from the second copy"),
    );
    member
}

/// The copy at `at`; `None` when its magic is not there or it says that it lies elsewhere.
fn copy(view: &View, at: u64, magic: &[u8]) -> Result<Option<LuksCopy>> {
    let Some(record) = view.try_record(at, BINARY)? else {
        return Ok(None);
    };
    if !record.has(0, magic) || record.be16(6) != 2 || record.be64(256) != at {
        return Ok(None);
    }
    let size = record.be64(8);
    if !SIZES.contains(&size) {
        return Err(record.bad(
            8,
            "hdr_size",
            format!("{size} is not a size of a LUKS2 header"),
        ));
    }
    let area = usize::try_from(size).unwrap_or(BINARY) - BINARY;
    let text = view.record(at + BINARY as u64, area)?;
    let metadata = LuksMetadata::parse(text.bytes())
        .map_err(|what| text.bad(0, "JSON area", format!("it cannot be read: {what}")))?;
    Ok(Some(LuksCopy { record, metadata }))
}

fn member(view: &View, copy: &LuksCopy, why: Option<String>) -> VolumeMember {
    let mut member = VolumeMember::new("luks2", Detail::Crypt { sector: UNIT });
    member.set = copy.record.text(168, 40);
    member.name = copy.record.text(24, 48);
    if let Some(why) = why {
        member
            .remarks
            .push(Remark::new(rules::LUKS_HEADERS_DIFFER, Severity::Note, why));
    }
    data(view, copy, &mut member);
    remark_reencryption(&mut member, &copy.metadata);
    member
}

/// The data lie where the first segment that is not a backup starts.
fn data(view: &View, copy: &LuksCopy, member: &mut VolumeMember) {
    let segments = copy.metadata.data();
    let Some(first) = segments.first() else {
        member.detail = Detail::Opaque("no data segment is defined".to_owned());
        return;
    };
    let sector = Bytes::new(first.sector_size);
    member.fact("cipher", &first.encryption);
    member.fact("segments", &segments.len());
    if first.offset == 0 && segments.len() == 1 {
        detached(member, sector);
    } else {
        place(
            view,
            member,
            Bytes::new(first.offset),
            total(&segments),
            sector,
        );
    }
    if let Some(integrity) = &first.integrity {
        opaque_integrity(member, integrity);
    }
}

/// Length of all segments together; `None` when the last one reaches to the end.
fn total(segments: &[&LuksSegment]) -> Option<Bytes> {
    segments.iter().try_fold(Bytes::ZERO, |sum, segment| {
        sum.checked_add(Bytes::new(segment.size?))
    })
}

fn opaque_integrity(member: &mut VolumeMember, kind: &str) {
    member.fact("integrity", &kind);
    member.detail = Detail::Opaque(format!(
        "dm-integrity ({kind}) interleaves its tags with the data: addresses below are not linear"
    ));
}

fn remark_reencryption(member: &mut VolumeMember, metadata: &LuksMetadata) {
    if !metadata.reencrypting() {
        return;
    }
    let goal = metadata.goal().map_or_else(String::new, |goal| {
        format!(
            "; when it is done, data start at byte {} in sectors of {} bytes",
            goal.offset, goal.sector_size
        )
    });
    let count = metadata.data().len();
    let why = format!("A re-encryption is in progress over {count} segments{goal}");
    member.remarks.push(
        Remark::note(rules::LUKS_REENCRYPT, why)
            .advise("cryptsetup reencrypt --resume-only finishes it"),
    );
}
