//! The log of XFS is clean when its last record is the one of an unmount, as the kernel decides it.

use ioalign_core::on_disk::bytes::field;

use super::LogState;
use crate::disk::DiskPart;

const BLOCK: u64 = 512;
/// `XLOG_HEADER_MAGIC_NUM`.
const RECORD: u32 = 0xfeed_babe;
/// `XLOG_UNMOUNT_TRANS`.
const UNMOUNT: u8 = 0x20;
/// Data of one header block; a longer record has several.
const HEADER_COVERS: u64 = 32 << 10;
/// Longer logs are not read.
const LONGEST: u64 = 1 << 30;
const PIECE: u64 = 1 << 20;

/// The state of the log.
pub fn log(part: &mut DiskPart<'_>, head: &[u8]) -> LogState {
    match unmounted(part, head) {
        Some(clean) => LogState::from(!clean, "XFS", "mount and unmount it"),
        None => LogState::Unknown("XFS"),
    }
}

fn unmounted(part: &mut DiskPart<'_>, head: &[u8]) -> Option<bool> {
    let (start, bytes) = place(head)?;
    let (at, record) = last_record(part, start, bytes)?;
    let covers = match be32(&record, 8)? {
        2 => u64::from(be32(&record, 320)?).max(1),
        _ => 1,
    };
    let data = at + covers.div_ceil(HEADER_COVERS) * BLOCK;
    let data = start + (data - start) % bytes;
    let operation = part.read(data, 16)?;
    let only = be32(&record, 40)? == 1;
    Some(only && operation.get(9)? & UNMOUNT != 0)
}

/// The place of the log in the partition; `None` for one on another device.
fn place(head: &[u8]) -> Option<(u64, u64)> {
    let block = u64::from(be32(head, 4)?);
    let start = be64(head, 48)?;
    let (blocks, in_group) = (u64::from(be32(head, 96)?), u64::from(be32(head, 84)?));
    let shift = u32::from(*head.get(124)?);
    let group = start.checked_shr(shift)?;
    let within = start & 1_u64.checked_shl(shift)?.checked_sub(1)?;
    let at = group.checked_mul(in_group)?.checked_add(within)?;
    let bytes = blocks.checked_mul(block)?;
    let known = start != 0 && (1..=LONGEST).contains(&bytes);
    known.then_some((at.checked_mul(block)?, bytes))
}

/// The record with the highest number, and its place.
fn last_record(part: &mut DiskPart<'_>, start: u64, bytes: u64) -> Option<(u64, Vec<u8>)> {
    let mut last: Option<(u64, u64, Vec<u8>)> = None;
    for piece in 0..bytes.div_ceil(PIECE) {
        let at = start + piece * PIECE;
        let length = PIECE.min(start + bytes - at);
        let read = part.read(at, usize::try_from(length).ok()?)?;
        let step = usize::try_from(BLOCK).ok()?;
        for (index, block) in (0_u64..).zip(read.chunks_exact(step)) {
            if be32(block, 0)? != RECORD {
                continue;
            }
            let number = be64(block, 16)?;
            if last.as_ref().is_none_or(|(newest, ..)| number > *newest) {
                last = Some((number, at + index * BLOCK, block.to_vec()));
            }
        }
    }
    last.map(|(_, at, record)| (at, record))
}

fn be32(bytes: &[u8], at: usize) -> Option<u32> {
    field(bytes, at).map(u32::from_be_bytes)
}

fn be64(bytes: &[u8], at: usize) -> Option<u64> {
    field(bytes, at).map(u64::from_be_bytes)
}
