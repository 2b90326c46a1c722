//! The log: pages of 4 KiB that are to be written elsewhere, whole after any crash. \[MS-VHDX\] 2.3.
//!
//! One entry at the start of the log is written, used and given up before the next, under a new identifier
//! each time: no older entry can be taken for it.

use std::io;

use super::super::fields::{HeaderFields, guid};
use super::super::store::{Store, damaged, length};
use super::header::WritableVhdxHeader;
use super::{PAGE, crc, sign};

const HEAD_BYTES: usize = 64;
const DESCRIPTOR_BYTES: usize = 32;
/// Entries of more are not ours.
const MOST_PAGES: usize = 1 << 12;

/// A page and where it goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VhdxLogPage {
    pub at: u64,
    pub bytes: Vec<u8>,
}

/// Bytes of an entry's head with its descriptors.
const fn head_bytes(pages: usize) -> usize {
    (HEAD_BYTES + pages * DESCRIPTOR_BYTES).next_multiple_of(PAGE)
}

/// How many pages an entry can have.
pub fn most_pages(log_bytes: u64) -> usize {
    let pages = usize::try_from(log_bytes).unwrap_or(usize::MAX) / PAGE;
    // One page of descriptors stands for 126 pages or more.
    (pages - pages / 100 - 2).clamp(1, MOST_PAGES)
}

/// Writes pages so that all of them or none are there after a crash.
pub fn write_through(
    store: &mut dyn Store,
    header: &mut WritableVhdxHeader,
    pages: &[VhdxLogPage],
) -> io::Result<()> {
    let id = guid();
    let entry = entry(id, store.size_bytes(), pages)?;
    store.put(header.log_at, &entry.0)?;
    store.flush()?;
    header.log = id;
    header.write(store)?;
    finish(store, header, pages)
}

/// Writes pages to their places and gives the log up.
fn finish(
    store: &mut dyn Store,
    header: &mut WritableVhdxHeader,
    pages: &[VhdxLogPage],
) -> io::Result<()> {
    for page in pages {
        store.put(page.at, &page.bytes)?;
    }
    store.flush()?;
    header.log = [0; 16];
    header.write(store)
}

fn entry(id: [u8; 16], file_bytes: u64, pages: &[VhdxLogPage]) -> io::Result<HeaderFields> {
    let head = head_bytes(pages.len());
    let total = head + pages.len() * PAGE;
    let narrow = |n: usize| u32::try_from(n).map_err(|_| damaged("a log entry"));
    let mut out = HeaderFields::new(total);
    out.put(0, b"loge")
        .put(8, &narrow(total)?.to_le_bytes())
        .put(16, &1_u64.to_le_bytes())
        .put(24, &narrow(pages.len())?.to_le_bytes())
        .put(32, &id)
        .put(48, &file_bytes.to_le_bytes())
        .put(56, &file_bytes.to_le_bytes());
    for (index, page) in pages.iter().enumerate() {
        let [leading @ .., _, _, _, _] = page.bytes.as_slice() else {
            return Err(damaged("a page"));
        };
        let (first, middle) = leading.split_at(8);
        let last = page.bytes.get(PAGE - 4..).unwrap_or_default();
        out.put(HEAD_BYTES + index * DESCRIPTOR_BYTES, b"desc")
            .put(HEAD_BYTES + index * DESCRIPTOR_BYTES + 4, last)
            .put(HEAD_BYTES + index * DESCRIPTOR_BYTES + 8, first)
            .put(
                HEAD_BYTES + index * DESCRIPTOR_BYTES + 16,
                &page.at.to_le_bytes(),
            )
            .put(
                HEAD_BYTES + index * DESCRIPTOR_BYTES + 24,
                &1_u64.to_le_bytes(),
            );
        let data = head + index * PAGE;
        out.put(data, b"data")
            .put(data + 8, middle)
            .put(data + PAGE - 4, &1_u32.to_le_bytes());
    }
    sign(&mut out);
    Ok(out)
}

/// Brings a log to its end that is one entry at the start, as the ones written here are. False for any
/// other, which is left alone.
pub fn replay(store: &mut dyn Store, header: &mut WritableVhdxHeader) -> io::Result<bool> {
    let Some((pages, end)) = read(store, header, 0)? else {
        return Ok(false);
    };
    if read(store, header, end)?.is_some() {
        return Ok(false);
    }
    let size = store.size_bytes();
    let inside = |page: &VhdxLogPage| {
        page.at
            .checked_add(PAGE as u64)
            .is_some_and(|end| end <= size)
    };
    if !pages.iter().all(inside) {
        return Ok(false);
    }
    finish(store, header, &pages)?;
    Ok(true)
}

/// The entry at an offset of the log: its pages and its end. `None` where there is no whole one.
fn read(
    store: &mut dyn Store,
    header: &WritableVhdxHeader,
    at: u64,
) -> io::Result<Option<(Vec<VhdxLogPage>, u64)>> {
    let room = header.log_bytes.saturating_sub(at);
    if room < (PAGE as u64) {
        return Ok(None);
    }
    let head = HeaderFields::read(store, header.log_at + at, HEAD_BYTES)?;
    let (total, count) = (u64::from(head.le32(8)), length(u64::from(head.le32(24)))?);
    let fits = total <= room && count <= MOST_PAGES;
    let ours = head.0.starts_with(b"loge") && head.get::<16>(32) == header.log;
    let start = u64::from(head.le32(12)) == at;
    if !(fits && ours) || total != (head_bytes(count) + count * PAGE) as u64 {
        return Ok(None);
    }
    let raw = HeaderFields::read(store, header.log_at + at, length(total)?)?;
    if crc(&raw.0) != raw.le32(4) {
        return Ok(None);
    }
    let sequence = head.le64(16);
    let pages = (0..count).map(|index| page(&raw, count, index, sequence));
    let pages: Option<Vec<VhdxLogPage>> = pages.collect();
    Ok(pages
        .filter(|_| start || at > 0)
        .map(|pages| (pages, at + total)))
}

/// A page of an entry, put together again.
fn page(raw: &HeaderFields, count: usize, index: usize, sequence: u64) -> Option<VhdxLogPage> {
    let descriptor = HEAD_BYTES + index * DESCRIPTOR_BYTES;
    let data = head_bytes(count) + index * PAGE;
    let has = |at: usize, what: &[u8]| raw.0.get(at..at + 4) == Some(what);
    let same = raw.le64(descriptor + 24) == sequence;
    if !has(descriptor, b"desc") || !has(data, b"data") || !same {
        return None;
    }
    let mut bytes = raw.0.get(descriptor + 8..descriptor + 16)?.to_vec();
    bytes.extend(raw.0.get(data + 8..data + PAGE - 4)?);
    bytes.extend(raw.0.get(descriptor + 4..descriptor + 8)?);
    let at = raw.le64(descriptor + 16);
    Some(VhdxLogPage { at, bytes })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MemoryDisk;

    #[test]
    fn an_entry_is_read_back_and_replayed() {
        let page = |at: u64, byte: u8| VhdxLogPage {
            at,
            bytes: (0..PAGE)
                .map(|n| byte.wrapping_add(u8::try_from(n % 251).unwrap()))
                .collect(),
        };
        let pages = vec![page(3 << 20, 1), page((3 << 20) + 8192, 9)];
        let mut store = MemoryDisk {
            bytes: vec![0; 4 << 20],
            logical_bytes: 1,
        };
        let mut header = WritableVhdxHeader::new(1 << 20, 1 << 20, guid(), guid());
        header.log = guid();
        let raw = entry(header.log, 4 << 20, &pages).unwrap();
        store.put(1 << 20, &raw.0).unwrap();
        assert_eq!(read(&mut store, &header, 0).unwrap().unwrap().0, pages);
        assert!(replay(&mut store, &mut header).unwrap());
        assert_eq!(store.bytes[3 << 20..(3 << 20) + PAGE], pages[0].bytes);
        assert_eq!(header.log, [0; 16]);
        header.log = guid();
        assert!(!replay(&mut store, &mut header).unwrap(), "another's log");
    }

    #[test]
    fn as_many_pages_as_fit() {
        for log in [1 << 20, 2 << 20, 32 << 20] {
            let pages = most_pages(log);
            assert!(head_bytes(pages) + pages * PAGE <= usize::try_from(log).unwrap());
        }
    }
}
