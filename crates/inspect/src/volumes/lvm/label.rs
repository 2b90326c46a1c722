//! The label in one of the first four 512-byte sectors, and the PV header behind it.

use ioalign_core::{Bytes, Remark};
use ioalign_core::{Severity, rules};

use super::{crc, dashed};
use crate::error::Result;
use crate::view::{Record, View};

/// LVM looks for its label in this many sectors.
const SECTORS: u64 = 4;
const SECTOR: usize = 512;
/// Bytes of `struct pv_header` before the lists of areas.
const PV_FIXED: usize = 40;

/// A place on the PV, in bytes.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Area {
    /// Its start.
    pub start: Bytes,
    /// How long it is; zero for the data area means "to the end".
    pub size: Bytes,
}

/// What label and PV header say.
#[derive(Clone, Debug)]
pub(super) struct PvLabel {
    /// PV id with dashes.
    pub pv: String,
    /// The length of the device when it became one; zero where it is not said.
    pub device: Bytes,
    /// The first data area.
    pub data: Option<Area>,
    /// Areas that hold copies of the group's text.
    pub metadata: Vec<Area>,
    /// Remarks about it.
    pub remarks: Vec<Remark>,
}

/// The first label that says it is where it was found.
pub(super) fn find(view: &View) -> Result<Option<PvLabel>> {
    for sector in 0..SECTORS {
        let at = sector * SECTOR as u64;
        let Some(record) = view.try_record(at, SECTOR)? else {
            return Ok(None);
        };
        let named = record.has(0, b"LABELONE") && record.has(24, b"LVM2 001");
        if named && record.le64(8) == sector {
            return read(&record).map(Some);
        }
    }
    Ok(None)
}

fn read(record: &Record) -> Result<PvLabel> {
    let offset = usize::try_from(record.le32(20)).unwrap_or(usize::MAX);
    if !(32..=SECTOR - PV_FIXED).contains(&offset) {
        let what = format!("the PV header at {offset} does not fit in the label's sector");
        return Err(record.bad(20, "label_header.offset", what));
    }
    let id = record.text(offset, 32);
    let (data, next) = areas(record, offset + PV_FIXED);
    let (metadata, _) = areas(record, next);
    Ok(PvLabel {
        pv: dashed(&id),
        device: Bytes::new(record.le64(offset + 32)),
        data: data.first().copied(),
        metadata,
        remarks: checksum(record).into_iter().collect(),
    })
}

/// A list that a zero offset ends; it cannot leave the sector.
fn areas(record: &Record, mut at: usize) -> (Vec<Area>, usize) {
    let mut list = Vec::new();
    while at + 16 <= SECTOR {
        let (start, size) = (record.le64(at), record.le64(at + 8));
        at += 16;
        if start == 0 {
            break;
        }
        list.push(Area {
            start: Bytes::new(start),
            size: Bytes::new(size),
        });
    }
    (list, at)
}

/// LVM does not see a label whose CRC is wrong.
fn checksum(record: &Record) -> Option<Remark> {
    let (stored, computed) = (record.le32(16), crc(record.slice(20, SECTOR - 20)));
    (stored != computed).then(|| {
        let why = format!("LVM label CRC is {stored:08x}, its bytes give {computed:08x}");
        Remark::new(rules::LVM_LABEL_CRC, Severity::Broken, why)
            .malformed()
            .at(record.offset(16), "crc_xl")
            .advise("pvck --repairtype label_header can rewrite it")
    })
}
