//! NTFS says twice that it was not shut down cleanly: a flag of the volume, and its log.

use ioalign_core::on_disk::bytes::{field, le16};

use super::LogState;
use crate::content::ntfs::{DATA, NtfsVolume, VOLUME_INFORMATION, attribute, value};
use crate::disk::DiskPart;

/// Records of the master file table.
const LOG_FILE: u64 = 2;
const VOLUME: u64 = 3;
/// `VOLUME_IS_DIRTY`.
const IS_DIRTY: u16 = 1;
/// `RESTART_VOLUME_IS_CLEAN`, and the mark that no client uses the log.
const IS_CLEAN: u16 = 2;
const NO_CLIENT: u16 = 0xffff;

/// The state of the volume.
pub fn log(part: &mut DiskPart<'_>) -> LogState {
    match is_dirty(part) {
        Some(dirty) => LogState::from(
            dirty,
            "NTFS",
            "start Windows and shut it down fully (shutdown /s /f, no fast startup, no hibernation)",
        ),
        None => LogState::Unknown("NTFS"),
    }
}

fn is_dirty(part: &mut DiskPart<'_>) -> Option<bool> {
    let volume = NtfsVolume::open(part)?;
    let record = volume.record(part, VOLUME)?;
    let information = value(attribute(&record, VOLUME_INFORMATION)?)?;
    let flags = u16::from_le_bytes(field(information, 10)?);
    if flags & IS_DIRTY != 0 {
        return Some(true);
    }
    let record = volume.record(part, LOG_FILE)?;
    log_is_open(part, volume.first_byte(attribute(&record, DATA)?)?)
}

/// Whether a client still uses the log at this byte; an empty log has none.
fn log_is_open(part: &mut DiskPart<'_>, at: u64) -> Option<bool> {
    let first = RestartPage::read(part, at);
    let bytes = first.as_ref().map_or(4096, |page| page.bytes);
    let second = RestartPage::read(part, at.checked_add(bytes)?);
    let pages = first.into_iter().chain(second);
    let newest = pages.max_by_key(|page| page.number);
    Some(newest.is_some_and(|page| page.is_open))
}

struct RestartPage {
    number: u64,
    bytes: u64,
    is_open: bool,
}

impl RestartPage {
    fn read(part: &mut DiskPart<'_>, at: u64) -> Option<Self> {
        let page = part.read(at, 4096)?;
        if page.get(..4)? != b"RSTR" {
            return None;
        }
        let bytes = u32::from_le_bytes(field(&page, 16)?);
        let area = usize::from(le16(&page, 0x18));
        let user = u16::from_le_bytes(field(&page, area + 12)?);
        let flags = u16::from_le_bytes(field(&page, area + 14)?);
        Some(Self {
            number: u64::from_le_bytes(field(&page, area)?),
            bytes: u64::from(bytes.clamp(512, 65536)),
            is_open: user != NO_CLIENT && flags & IS_CLEAN == 0,
        })
    }
}
