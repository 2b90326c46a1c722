//! NTFS says twice that it was not shut down cleanly: a flag of the volume, and its log.

use super::{Log, Part, le16, le32, le64};

/// Records of the master file table.
const LOG_FILE: u64 = 2;
const VOLUME: u64 = 3;
/// Attributes.
const VOLUME_INFORMATION: u32 = 0x70;
const DATA: u32 = 0x80;
const END: u32 = 0xffff_ffff;
/// `VOLUME_IS_DIRTY`.
const IS_DIRTY: u16 = 1;
/// `RESTART_VOLUME_IS_CLEAN`, and the mark that no client uses the log.
const IS_CLEAN: u16 = 2;
const NO_CLIENT: u16 = 0xffff;

/// The state of the volume.
pub fn log(part: &mut Part<'_>, head: &[u8]) -> Log {
    let state = Table::of(head).and_then(|table| {
        let volume = table.record(part, VOLUME)?;
        let information = attribute(&volume, VOLUME_INFORMATION)?;
        let content = usize::from(le16(information, 0x14)?);
        let flagged = le16(information, content + 10)? & IS_DIRTY != 0;
        Some(flagged || table.log_is_open(part)?)
    });
    match state {
        Some(dirty) => Log::from(
            dirty,
            "NTFS",
            "start Windows and shut it down fully (shutdown /s /f, no fast startup, no hibernation)",
        ),
        None => Log::Unknown("NTFS"),
    }
}

/// Where the master file table begins, and how long its records are.
struct Table {
    at: u64,
    record: u64,
    cluster: u64,
}

impl Table {
    fn of(head: &[u8]) -> Option<Self> {
        let sector = u64::from(le16(head, 11)?);
        let per_cluster = *head.get(13)?;
        let cluster = match per_cluster {
            0..=128 => sector * u64::from(per_cluster),
            // More than 128 sectors are written as a power of two, negative.
            _ => sector.checked_shl(u32::from(per_cluster.wrapping_neg()))?,
        };
        let record = match *head.get(0x40)? {
            clusters @ 1..=127 => u64::from(clusters) * cluster,
            power => 1_u64.checked_shl(u32::from(power.wrapping_neg()))?,
        };
        let at = le64(head, 0x30)?.checked_mul(cluster)?;
        (1024..=65536).contains(&record).then_some(Self {
            at,
            record,
            cluster,
        })
    }

    /// A record with the ends of its sectors put right.
    fn record(&self, part: &mut Part<'_>, number: u64) -> Option<Vec<u8>> {
        let at = self.at.checked_add(number * self.record)?;
        let bytes = part.read(at, usize::try_from(self.record).ok()?)?;
        (bytes.get(..4)? == b"FILE").then(|| mended(bytes))?
    }

    /// Whether somebody still uses the log; an empty one nobody does.
    fn log_is_open(&self, part: &mut Part<'_>) -> Option<bool> {
        let record = self.record(part, LOG_FILE)?;
        let data = attribute(&record, DATA)?;
        let at = first_run(data)?.checked_mul(self.cluster)?;
        let first = restart(part, at);
        let page = first.as_ref().map_or(4096, |page| u64::from(page.bytes));
        let second = restart(part, at.checked_add(page)?);
        let newest = first
            .into_iter()
            .chain(second)
            .max_by_key(|page| page.number);
        Some(newest.is_some_and(|page| page.open))
    }
}

/// The last bytes of every sector stand in a list at the front.
fn mended(mut bytes: Vec<u8>) -> Option<Vec<u8>> {
    let (list, count) = (usize::from(le16(&bytes, 4)?), usize::from(le16(&bytes, 6)?));
    for index in 1..count {
        let at = list + 2 * index;
        let saved = [*bytes.get(at)?, *bytes.get(at + 1)?];
        let end = index * 512;
        bytes.get_mut(end - 2..end)?.copy_from_slice(&saved);
    }
    Some(bytes)
}

fn attribute(record: &[u8], kind: u32) -> Option<&[u8]> {
    let mut at = usize::from(le16(record, 0x14)?);
    loop {
        let found = le32(record, at)?;
        let length = usize::try_from(le32(record, at + 4)?).ok()?;
        if found == END || length == 0 {
            return None;
        }
        if found == kind {
            return record.get(at..at + length);
        }
        at += length;
    }
}

/// The first cluster of data that lie outside of their record.
fn first_run(data: &[u8]) -> Option<u64> {
    if *data.get(8)? == 0 {
        return None;
    }
    let at = usize::from(le16(data, 0x20)?);
    let sizes = *data.get(at)?;
    let (count, place) = (usize::from(sizes & 15), usize::from(sizes >> 4));
    let bytes = data.get(at + 1 + count..at + 1 + count + place)?;
    let number = bytes
        .iter()
        .rev()
        .fold(0_u64, |number, byte| number << 8 | u64::from(*byte));
    (place > 0 && place <= 8).then_some(number)
}

struct Restart {
    number: u64,
    bytes: u32,
    open: bool,
}

fn restart(part: &mut Part<'_>, at: u64) -> Option<Restart> {
    let page = part.read(at, 4096)?;
    if page.get(..4)? != b"RSTR" {
        return None;
    }
    let bytes = le32(&page, 16)?;
    let area = usize::from(le16(&page, 0x18)?);
    let (user, flags) = (le16(&page, area + 12)?, le16(&page, area + 14)?);
    Some(Restart {
        number: le64(&page, area)?,
        bytes: bytes.clamp(512, 65536),
        open: user != NO_CLIENT && flags & IS_CLEAN == 0,
    })
}
