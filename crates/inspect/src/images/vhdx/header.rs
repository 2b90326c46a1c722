//! The first mebibyte of a VHDX: file identifier, two headers, two region tables.
//!
//! \[MS-VHDX\] 2.2. Both structures are there twice so that one survives a torn write.

use ioalign_core::{ImageFault, Remark, Severity, rules};

use super::crc32c::crc32c;
use crate::error::{Error, Result};
use crate::view::{Record, View};

const HEADERS: [u64; 2] = [64 << 10, 128 << 10];
const HEADER_BYTES: usize = 4 << 10;
const REGION_TABLES: [u64; 2] = [192 << 10, 256 << 10];
const REGION_TABLE_BYTES: usize = 64 << 10;
/// Entries that fit in a region table.
const MOST_REGIONS: u32 = 2047;
/// Everything in a VHDX starts at a multiple of this.
pub(super) const MIB: u64 = 1 << 20;
const NO_GUID: &str = "00000000-0000-0000-0000-000000000000";
const BAT: &str = "2DC27766-F623-4200-9D64-115E9BFD4A08";
const METADATA: &str = "8B7CA206-4790-4B9A-B8FE-575F050F886E";

/// The current header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct VhdxHeader {
    /// Changes whenever what the guest sees may have changed; a child names its parent by it.
    pub(super) data_write: String,
    /// Id of the log's entries; `None` when the file was closed cleanly.
    pub(super) log: Option<String>,
    /// Place of the log in bytes: offset and length.
    pub(super) log_place: (u64, u64),
}

/// A region: offset and length in bytes.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct VhdxRegion {
    /// Byte offset in the file.
    pub(super) at: u64,
    /// Bytes.
    pub(super) len: u64,
}

/// The regions that every VHDX has.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Regions {
    /// Block allocation table.
    pub(super) bat: VhdxRegion,
    /// Metadata.
    pub(super) metadata: VhdxRegion,
}

/// Whether the file is a VHDX.
pub(super) fn is_vhdx(view: &View) -> Result<bool> {
    view.has(0, b"vhdxfile")
}

/// Who made it: free text.
pub(super) fn creator(view: &View) -> Result<String> {
    let record = view.record(8, 512)?;
    let text = crate::images::windows::utf16(record.bytes(), u16::from_le_bytes);
    Ok(text.trim().chars().take(80).collect())
}

/// The valid header with the higher sequence number.
pub(super) fn header(view: &View, remarks: &mut Vec<Remark>) -> Result<VhdxHeader> {
    let mut valid: Vec<Record> = Vec::new();
    for at in HEADERS {
        valid.extend(checked(view, at, HEADER_BYTES, b"head")?);
    }
    if valid.len() == 1 {
        let why = "One of the two headers is damaged; the other one is used.";
        remarks.push(Remark::note(rules::VHDX_HEADER_COPY, why));
    }
    let Some(record) = valid.iter().max_by_key(|record| record.le64(8)) else {
        let what = "Both headers are damaged (signature or CRC-32C)";
        return Err(view.malformed(HEADERS[0], what).field("header"));
    };
    if record.le16(66) != 1 {
        let what = format!("Version {} of VHDX", record.le16(66));
        return Err(view
            .locate(Error::unsupported(what), HEADERS[0])
            .field("version"));
    }
    let log = Some(record.guid(48)).filter(|guid| guid != NO_GUID);
    Ok(VhdxHeader {
        data_write: record.guid(32),
        log,
        log_place: (record.le64(72), u64::from(record.le32(68))),
    })
}

/// The record where signature and CRC hold; the CRC stands at byte 4 and counts as zeros.
fn checked(view: &View, at: u64, len: usize, signature: &[u8]) -> Result<Option<Record>> {
    let Some(record) = view.try_record(at, len)? else {
        return Ok(None);
    };
    let parts = [record.slice(0, 4), &[0; 4], record.slice(8, len - 8)];
    let holds = record.has(0, signature) && crc32c(&parts) == record.le32(4);
    Ok(holds.then_some(record))
}

/// The regions, from the first region table that holds.
pub(super) fn regions(view: &View, remarks: &mut Vec<Remark>) -> Result<Regions> {
    for (copy, at) in REGION_TABLES.into_iter().enumerate() {
        let Some(table) = checked(view, at, REGION_TABLE_BYTES, b"regi")? else {
            continue;
        };
        if copy > 0 {
            let why = "The first region table is damaged; the second one is used.";
            remarks.push(Remark::note(rules::VHDX_REGION_COPY, why));
        }
        return parse_regions(view, &table, at);
    }
    let what = "Both region tables are damaged (signature or CRC-32C)";
    Err(view.malformed(REGION_TABLES[0], what).field("region table"))
}

fn parse_regions(view: &View, table: &Record, at: u64) -> Result<Regions> {
    let count = table.le32(8).min(MOST_REGIONS);
    let (mut bat, mut metadata) = (None, None);
    for i in 0..usize::try_from(count).unwrap_or(0) {
        let entry = 16 + i * 32;
        let region = || region(view, table, entry);
        match table.guid(entry).as_str() {
            BAT => bat = Some(region()?),
            METADATA => metadata = Some(region()?),
            other if table.le32(entry + 28) & 1 != 0 => {
                let what = format!("The required region {other} is not known");
                let error = Error::unsupported(what).field("region");
                return Err(view.locate(error, at + entry as u64));
            }
            _ => {}
        }
    }
    match (bat, metadata) {
        (Some(bat), Some(metadata)) => Ok(Regions { bat, metadata }),
        (None, _) => Err(table.bad(16, "region", "There is no block allocation table")),
        _ => Err(table.bad(16, "region", "There is no metadata region")),
    }
}

fn region(view: &View, table: &Record, entry: usize) -> Result<VhdxRegion> {
    let (at, len) = (table.le64(entry + 16), u64::from(table.le32(entry + 24)));
    let inside = at.checked_add(len).is_some_and(|end| end <= view.len());
    if at < MIB || !at.is_multiple_of(MIB) || len == 0 || !inside {
        let what = format!(
            "A region of {len} bytes at byte {at} does not lie at a whole MiB within the file's {} \
             bytes",
            view.len()
        );
        return Err(table.bad(entry + 16, "region", what));
    }
    Ok(VhdxRegion { at, len })
}

/// Bytes of the log that are searched for entries.
const MOST_LOG_BYTES: u64 = 32 << 20;
/// Log entries start at multiples of this.
const LOG_STEP: usize = 4 << 10;

/// What a log that was not replayed means for what is read here.
pub(super) fn log_remark(view: &View, header: &VhdxHeader) -> Result<Option<Remark>> {
    let Some(guid) = &header.log else {
        return Ok(None);
    };
    let entries = log_entries(view, header.log_place, guid)?;
    let start = format!(
        "The image was not closed cleanly, or is in use; its log ({}) is reported and never \
         replayed on a file opened for reading",
        header.log_place.1
    );
    let meaning = if entries == 0 {
        "it holds no entries, so nothing is missing.".to_owned()
    } else {
        format!(
            "it holds {entries} entries, so block table and metadata may be older than the data: \
             places shown here may be out of date."
        )
    };
    let remark = Remark::new(
        rules::VHDX_DIRTY_LOG,
        Severity::Note,
        format!("{start}: {meaning}"),
    );
    let remark = remark.of_fault(ImageFault::DirtyLog);
    Ok(Some(remark.advise(
        "Let Hyper-V or `qemu-img check -r all` replay the log on a copy, then look again.",
    )))
}

/// Log entries with the header's id, which alone count.
fn log_entries(view: &View, (at, len): (u64, u64), guid: &str) -> Result<u64> {
    let end = at.saturating_add(len.min(MOST_LOG_BYTES)).min(view.len());
    let (mut at, mut entries) = (at, 0);
    while at < end {
        let part = (end - at).min(MIB);
        let record = view.record(at, usize::try_from(part).unwrap_or(0))?;
        let steps = (0..record.bytes().len()).step_by(LOG_STEP);
        let found =
            steps.filter(|step| record.has(*step, b"loge") && record.guid(step + 32) == guid);
        entries += found.count() as u64;
        at += part;
    }
    Ok(entries)
}
