//! Names in a folder: an index, whose first part is in the record and whose others are blocks of their own.

use super::attributes::{self, Run, is_name, word};
use super::sectors;
use super::volume::{Reference, Volume};
use crate::boot::survey::Survey;
use crate::tables::{le32, le64};

const ROOT: u32 = 0x90;
const BLOCKS: u32 = 0xa0;
const NAME: &str = "$I30";
/// Bytes of an index that are searched at most: a folder of half a million files.
const MOST_BYTES: u64 = 64 << 20;

/// A name in the folder of a record, whatever the case.
pub fn entry(
    volume: &Volume,
    survey: &mut Survey<'_>,
    record: &[u8],
    name: &str,
) -> Option<Reference> {
    let parts = volume.parts(survey, record, ROOT, NAME)?;
    let all = attributes::all(parts.first()?);
    let root = all.iter().find(|one| one.is(ROOT, NAME))?.value()?;
    if let Some(found) = search(root, 0x10, name) {
        return Some(found);
    }
    let block = u64::from(le32(root, 8));
    let runs = volume.runs(survey, record, BLOCKS, NAME)?;
    in_blocks(volume, survey, &runs, block, name)
}

/// One block after the other: as fast as following the tree, for the few folders on a path.
fn in_blocks(
    volume: &Volume,
    survey: &mut Survey<'_>,
    runs: &[Run],
    block: u64,
    name: &str,
) -> Option<Reference> {
    let clusters = runs
        .iter()
        .try_fold(0u64, |sum, run| sum.checked_add(run.count))?;
    let end = clusters.checked_mul(volume.cluster)?.min(MOST_BYTES);
    if !(512..=65536).contains(&block) {
        return None;
    }
    for index in 0..end / block {
        let value = index * block..(index + 1) * block;
        let bytes = volume.bytes(survey, runs, &value).unwrap_or_default();
        let Some(found) = in_block(bytes, name) else {
            continue;
        };
        // A block that is not used any more may name a file that is gone.
        if volume.referred(survey, found).is_some() {
            return Some(found);
        }
    }
    None
}

/// One that was never used is no block yet.
fn in_block(mut bytes: Vec<u8>, name: &str) -> Option<Reference> {
    let is_block = bytes.get(..4) == Some(b"INDX") && sectors::mend(&mut bytes);
    search(&bytes, 0x18, name).filter(|_| is_block)
}

/// A name among the entries behind an index header.
fn search(bytes: &[u8], header: usize, name: &str) -> Option<Reference> {
    let first = usize::try_from(le32(bytes, header)).ok()?;
    let used = usize::try_from(le32(bytes, header + 4)).ok()?;
    let entries = bytes.get(header.checked_add(first)?..header.checked_add(used)?)?;
    let mut rest = entries;
    while word(rest, 0x0c) & 2 == 0 && rest.len() > 0x52 {
        let len = usize::from(*rest.get(0x50)?);
        if is_name(rest, 0x52, len, name) {
            return Some(le64(rest, 0));
        }
        let step = word(rest, 8);
        rest = rest.get(step..).filter(|_| step >= 0x10)?;
    }
    None
}
