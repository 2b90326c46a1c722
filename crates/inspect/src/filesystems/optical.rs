//! ISO 9660 and UDF: block size and length.
//!
//! Layout: ECMA-119 (volume descriptors from sector 16 of 2048 bytes) and ECMA-167 with the OSTA
//! UDF specification (recognition sequence at 32 KiB, anchor at block 256).

use ioalign_core::Bytes;

use super::FileSystem;
use super::fields::{power_of_two, product, utf16_be};
use crate::error::Result;
use crate::view::{Record, View};

const SEQUENCE: u64 = 32 << 10;
const DESCRIPTOR: u64 = 2048;
/// Descriptors looked at in a recognition sequence.
const MOST_DESCRIPTORS: u64 = 16;
/// Descriptors looked at in a volume descriptor sequence.
const MOST_VOLUME_DESCRIPTORS: u32 = 64;
const ANCHOR_BLOCK: u64 = 256;
const TAG_PRIMARY: u16 = 1;
const TAG_ANCHOR: u16 = 2;
const TAG_LOGICAL: u16 = 6;
const TAG_END: u16 = 8;

/// Tries ISO 9660.
pub(super) fn probe_iso(view: &View) -> Result<Option<FileSystem>> {
    for index in 0..MOST_DESCRIPTORS {
        let at = SEQUENCE + index * DESCRIPTOR;
        if !view.has(at + 1, b"CD001")? {
            break;
        }
        match view.try_record(at, 2048)? {
            Some(descriptor) if descriptor.u8(0) == 1 => return Ok(describe_iso(&descriptor)),
            Some(_) => {}
            None => break,
        }
    }
    Ok(None)
}

fn describe_iso(primary: &Record) -> Option<FileSystem> {
    let block = u64::from(primary.le16(128));
    if !power_of_two(block, 512, 65536) {
        return None;
    }
    Some(FileSystem {
        kind: "iso9660",
        block: Some(Bytes::new(block)),
        size: product(u64::from(primary.le32(80)), block),
        label: primary.text(40, 32),
        uuid: date(primary, 830)
            .or_else(|| date(primary, 813))
            .unwrap_or_default(),
        ..FileSystem::default()
    })
}

/// A date in digits, `2026-01-31-12-00-00-00`, which serves as the identity of a disc.
fn date(primary: &Record, at: usize) -> Option<String> {
    let digits = primary.slice(at, 16);
    if !digits.iter().all(u8::is_ascii_digit) || digits.iter().all(|digit| *digit == b'0') {
        return None;
    }
    let text = String::from_utf8_lossy(digits);
    let mut parts = vec![text.get(..4)?];
    for start in (4..16).step_by(2) {
        parts.push(text.get(start..start + 2)?);
    }
    Some(parts.join("-"))
}

/// Tries UDF.
pub(super) fn probe_udf(view: &View) -> Result<Option<FileSystem>> {
    for block in [512, 1024, 2048, 4096] {
        let step = DESCRIPTOR.max(block);
        if !recognised(view, step)? {
            continue;
        }
        let at = ANCHOR_BLOCK * block;
        let Some(anchor) = view.try_record(at, 512)? else {
            continue;
        };
        if anchor.le16(0) == TAG_ANCHOR && u64::from(anchor.le32(12)) == ANCHOR_BLOCK {
            return describe_udf(view, &anchor, block);
        }
    }
    Ok(None)
}

/// Whether the recognition sequence has an NSR descriptor.
fn recognised(view: &View, step: u64) -> Result<bool> {
    for index in 0..MOST_DESCRIPTORS {
        let Some(head) = view.try_record(SEQUENCE + index * step, 8)? else {
            break;
        };
        match head.slice(1, 5) {
            b"NSR02" | b"NSR03" => return Ok(true),
            b"BEA01" | b"BOOT2" | b"CD001" | b"CDW02" | b"TEA01" => {}
            _ => break,
        }
    }
    Ok(false)
}

fn describe_udf(view: &View, anchor: &Record, block: u64) -> Result<Option<FileSystem>> {
    let mut found = FileSystem {
        kind: "udf",
        block: Some(Bytes::new(block)),
        sector: Some(Bytes::new(block)),
        ..FileSystem::default()
    };
    let length = u64::from(anchor.le32(16)) / block;
    let count =
        u32::try_from(length).map_or(MOST_VOLUME_DESCRIPTORS, |n| n.min(MOST_VOLUME_DESCRIPTORS));
    let first = u64::from(anchor.le32(20));
    for at in (first..).take(usize::try_from(count).unwrap_or(0)) {
        let Some(descriptor) = view.try_record(at * block, 512)? else {
            break;
        };
        match descriptor.le16(0) {
            0 | TAG_END => break,
            TAG_PRIMARY => found.uuid = identity(&dstring(&descriptor, 72, 128)),
            TAG_LOGICAL => found.label = dstring(&descriptor, 84, 128),
            _ => {}
        }
    }
    Ok(Some(found))
}

/// OSTA compressed Unicode: 8 or 16 bits a character by the first byte, length in the last.
fn dstring(record: &Record, at: usize, size: usize) -> String {
    let len = usize::from(record.u8(at + size - 1)).min(size - 1);
    let body = record.slice(at + 1, len.saturating_sub(1));
    match record.u8(at) {
        8 => body.iter().map(|byte| char::from(*byte)).collect(),
        16 => utf16_be(body),
        _ => String::new(),
    }
}

/// The first sixteen characters of the volume set identifier, a time and a unique part; where
/// they are no hexadecimal digits, their codes (as libblkid does, so that names agree).
fn identity(set: &str) -> String {
    let raw: Vec<u8> = set.bytes().take(16).collect();
    if raw.len() < 8 {
        return String::new();
    }
    let codes = |part: &[u8]| part.iter().map(|byte| format!("{byte:02x}")).collect();
    let digits = raw.iter().take_while(|byte| byte.is_ascii_hexdigit());
    let (time, rest) = raw.split_at(8);
    match digits.count() {
        0..8 => codes(time),
        8..16 => {
            let tail: String = codes(rest.get(..4).unwrap_or(rest));
            String::from_utf8_lossy(time).to_ascii_lowercase() + &tail
        }
        _ => String::from_utf8_lossy(&raw).to_ascii_lowercase(),
    }
}
