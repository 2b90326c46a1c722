//! As much of NTFS as its state takes: records of the master file table, their attributes, the runs of their data.
//! What is unusual (a list of attributes outside of its record, a compressed file) is not found.
//!
//! Layout: the documentation of the Linux-NTFS project (boot sector, FILE records, attributes, data runs, indexes).

use ioalign_core::on_disk::NtfsBootSector;
use ioalign_core::on_disk::bytes::{le16, le32, le64, u8_at};

use crate::disk::DiskPart;

/// Attributes.
pub const VOLUME_INFORMATION: u32 = 0x70;
pub const DATA: u32 = 0x80;
const INDEX_ROOT: u32 = 0x90;
const INDEX_BLOCKS: u32 = 0xa0;
const END: u32 = 0xffff_ffff;
/// The record of the root directory.
const ROOT: u64 = 5;
/// More attributes than a record has room for.
const MOST_ATTRIBUTES: usize = 128;
/// More runs than this are a file that nothing here is made for.
const MOST_RUNS: usize = 4096;
/// Bytes of an index that are searched: a directory of half a million files.
const MOST_INDEX: u64 = 64 << 20;
/// Records have a mark at the end of every 512 bytes, for any sector size.
const STRIDE: usize = 512;

/// A volume in a partition.
pub struct NtfsVolume {
    cluster: u64,
    record: u64,
    table: Vec<ClusterRun>,
}

/// Clusters one after the other, `None` where there is a hole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct ClusterRun {
    first: Option<u64>,
    count: u64,
}

impl NtfsVolume {
    /// The volume in a partition, `None` where there is none.
    pub fn open(part: &mut DiskPart<'_>) -> Option<Self> {
        let boot = NtfsBootSector::read(&part.read(0, 512)?)?;
        let (cluster, record) = (boot.cluster()?, boot.record()?);
        let first = ClusterRun {
            first: Some(boot.table),
            count: (16 * record).div_ceil(cluster),
        };
        let mut volume = Self {
            cluster,
            record,
            table: vec![first],
        };
        let own = volume.record(part, 0)?;
        if let Some(runs) = attribute(&own, DATA).and_then(runs) {
            volume.table = runs;
        }
        Some(volume)
    }

    /// A record by number, with the ends of its sectors put back.
    pub fn record(&self, part: &mut DiskPart<'_>, number: u64) -> Option<Vec<u8>> {
        let at = number.checked_mul(self.record)?;
        let mut record = self.read(part, &self.table, at, self.record)?;
        (record.get(..4)? == b"FILE" && mend(&mut record)).then_some(record)
    }

    /// The start of the data of an attribute in the partition, for those outside of their record.
    pub fn first_byte(&self, attribute: &[u8]) -> Option<u64> {
        runs(attribute)?.first()?.first?.checked_mul(self.cluster)
    }

    /// The first bytes of a file in the root directory, by its name in lower-case ASCII, however it is written.
    pub fn head_of(&self, part: &mut DiskPart<'_>, name: &str) -> Option<[u8; 4]> {
        let root = self.record(part, ROOT)?;
        let index = value(attribute(&root, INDEX_ROOT)?)?;
        let file = match named(index, 0x10, name) {
            Some(found) => self.referred(part, found)?,
            None => self.in_blocks(part, &root, u64::from(le32(index, 8)), name)?,
        };
        let at = self.first_byte(attribute(&file, DATA)?)?;
        part.read(at, 4)?.try_into().ok()
    }

    /// One block after the other: as fast as following the tree, for one name.
    fn in_blocks(
        &self,
        part: &mut DiskPart<'_>,
        root: &[u8],
        block: u64,
        name: &str,
    ) -> Option<Vec<u8>> {
        let runs = runs(attribute(root, INDEX_BLOCKS)?)?;
        let clusters = runs
            .iter()
            .try_fold(0u64, |sum, run| sum.checked_add(run.count))?;
        let end = clusters.checked_mul(self.cluster)?.min(MOST_INDEX);
        let is_sound = (512..=64 << 10).contains(&block);
        let blocks = end.checked_div(block).filter(|_| is_sound)?;
        (0..blocks).find_map(|index| {
            let mut bytes = self.read(part, &runs, index * block, block)?;
            let is_block = bytes.get(..4)? == b"INDX" && mend(&mut bytes);
            // A block that is not used any more may name a file that is gone.
            self.referred(part, named(&bytes, 0x18, name).filter(|_| is_block)?)
        })
    }

    /// A record by reference: it has to be in use, and to be the same file still.
    fn referred(&self, part: &mut DiskPart<'_>, reference: u64) -> Option<Vec<u8>> {
        let record = self.record(part, reference & 0xffff_ffff_ffff)?;
        let same = u64::from(le16(&record, 0x10)) == reference >> 48;
        (same && le16(&record, 0x16) & 1 != 0).then_some(record)
    }

    /// Bytes of a value that lies in runs of clusters; 64 KiB at most.
    fn read(
        &self,
        part: &mut DiskPart<'_>,
        runs: &[ClusterRun],
        at: u64,
        length: u64,
    ) -> Option<Vec<u8>> {
        let (mut out, mut start) = (Vec::new(), 0u64);
        let end = at.checked_add(length).filter(|_| length <= 64 << 10)?;
        for run in runs {
            let next = start.checked_add(run.count.checked_mul(self.cluster)?)?;
            let (from, to) = (at.max(start), end.min(next));
            if from < to {
                let place = run.first?.checked_mul(self.cluster)?;
                let place = place.checked_add(from - start)?;
                out.extend(part.read(place, usize::try_from(to - from).ok()?)?);
            }
            start = next;
        }
        (out.len() as u64 == length).then_some(out)
    }
}

/// Puts back the last two bytes of every sector, which stand in an array; `false` where the record is torn.
fn mend(record: &mut [u8]) -> bool {
    let (at, count) = (usize::from(le16(record, 4)), usize::from(le16(record, 6)));
    let Some(array) = record.get(at..at.saturating_add(count * 2)) else {
        return false;
    };
    let array = array.to_vec();
    let mut pairs = array.chunks_exact(2);
    let Some(mark) = pairs.next() else {
        return false;
    };
    if (count - 1) * STRIDE != record.len() {
        return false;
    }
    for (sector, pair) in record.chunks_exact_mut(STRIDE).zip(pairs) {
        match sector.last_chunk_mut::<2>() {
            Some(end) if end == mark => end.copy_from_slice(pair),
            _ => return false,
        }
    }
    true
}

/// The first attribute of a type, with its header.
pub fn attribute(record: &[u8], kind: u32) -> Option<&[u8]> {
    let mut at = usize::from(le16(record, 0x14));
    for _ in 0..MOST_ATTRIBUTES {
        let found = le32(record, at);
        let length = usize::try_from(le32(record, at.checked_add(4)?)).ok()?;
        let bytes = record.get(at..at.checked_add(length)?)?;
        if found == END || length < 0x18 {
            return None;
        }
        if found == kind {
            return Some(bytes);
        }
        at += length;
    }
    None
}

/// The value of an attribute that is in its record.
pub fn value(attribute: &[u8]) -> Option<&[u8]> {
    let length = usize::try_from(le32(attribute, 0x10)).ok()?;
    let at = usize::from(le16(attribute, 0x14));
    let value = attribute.get(at..at.checked_add(length)?);
    value.filter(|_| u8_at(attribute, 8) == 0)
}

/// The clusters of a value outside of its record: a byte with the widths, the count, the distance from the run before.
fn runs(attribute: &[u8]) -> Option<Vec<ClusterRun>> {
    let packed = attribute.get(usize::from(le16(attribute, 0x20))..)?;
    (u8_at(attribute, 8) != 0).then(|| unpacked(packed))?
}

fn unpacked(packed: &[u8]) -> Option<Vec<ClusterRun>> {
    let mut out = Vec::new();
    let (mut rest, mut place) = (packed, 0i64);
    loop {
        let (head, tail) = rest.split_first()?;
        if *head == 0 {
            return Some(out);
        }
        let (wide, far) = (usize::from(head & 15), usize::from(head >> 4));
        if wide == 0 || wide > 8 || far > 8 || out.len() == MOST_RUNS {
            return None;
        }
        let count = signed(tail.get(..wide)?);
        place = place.checked_add(signed(tail.get(wide..wide + far)?))?;
        let first = match far {
            0 => None,
            _ => Some(u64::try_from(place).ok()?),
        };
        let count = u64::try_from(count).ok().filter(|count| *count > 0)?;
        out.push(ClusterRun { first, count });
        rest = tail.get(wide + far..)?;
    }
}

/// A number of up to eight bytes whose highest bit is its sign.
fn signed(bytes: &[u8]) -> i64 {
    let negative = bytes.last().is_some_and(|last| last & 0x80 != 0);
    let start = if negative { -1i64 } else { 0 };
    let bytes = bytes.iter().rev();
    bytes.fold(start, |sum, byte| sum << 8 | i64::from(*byte))
}

/// The reference of a name among the entries behind an index header.
fn named(bytes: &[u8], header: usize, name: &str) -> Option<u64> {
    let first = usize::try_from(le32(bytes, header)).ok()?;
    let used = usize::try_from(le32(bytes, header + 4)).ok()?;
    let mut rest = bytes.get(header.checked_add(first)?..header.checked_add(used)?)?;
    while le16(rest, 0x0c) & 2 == 0 && rest.len() > 0x52 {
        let units = rest.get(0x52..)?.chunks_exact(2);
        let units = units.take(usize::from(u8_at(rest, 0x50)));
        let letters = units.map(|unit| match unit {
            [letter, 0] => letter.to_ascii_lowercase(),
            _ => 0,
        });
        if letters.eq(name.bytes()) {
            return Some(le64(rest, 0));
        }
        let step = usize::from(le16(rest, 8));
        rest = rest.get(step..).filter(|_| step >= 0x10)?;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_distances_from_each_other() {
        let packed = [0x21, 0x04, 0x00, 0x01, 0x11, 0x02, 0xf0, 0x01, 0x03, 0];
        let runs = unpacked(&packed).unwrap();
        let seen: Vec<_> = runs.iter().map(|run| (run.first, run.count)).collect();
        assert_eq!(seen, [(Some(256), 4), (Some(240), 2), (None, 3)]);
        assert_eq!(unpacked(&[0x99, 1, 1]), None);
    }

    #[test]
    fn ends_of_sectors_are_put_back_unless_they_are_torn() {
        let mut record = vec![0; 1024];
        record[4..8].copy_from_slice(&[0x30, 0, 3, 0]);
        record[0x30..0x36].copy_from_slice(&[7, 7, 1, 2, 3, 4]);
        record[510..512].copy_from_slice(&[7, 7]);
        record[1022..].copy_from_slice(&[7, 7]);
        let mut torn = record.clone();
        torn[1022] = 6;
        assert!(mend(&mut record) && !mend(&mut torn));
        assert_eq!(
            (&record[510..512], &record[1022..]),
            (&[1, 2][..], &[3, 4][..])
        );
        assert!(!mend(&mut []));
    }
}
