//! bcache superblocks at 4 KiB: backing devices are shifted, cache devices hold buckets.
//!
//! Layout: `struct cache_sb_disk` of the kernel's `drivers/md/bcache/bcache_ondisk.h`.

use ioalign_core::{Bytes, Remark};
use ioalign_core::{Severity, rules};

use super::{Detail, UNIT, VolumeMember};
use crate::error::Result;
use crate::view::{Record, View};

/// `SB_SECTOR`.
const SECTOR: u64 = 8;
const MAGIC: &[u8] = b"\xc6\x85\x73\xf6\x4e\x1a\x45\xca\x82\x65\xf5\x7f\x48\xba\x6d\x81";
/// Bytes before the journal's bucket numbers.
const FIXED: usize = 208;
/// With them, and the 16 bits behind them.
const WHOLE: usize = FIXED + 256 * 8 + 8;
/// `BDEV_DATA_START_DEFAULT`, in 512-byte units.
const DEFAULT_START: u64 = 16;
/// `BCH_FEATURE_INCOMPAT_OBSO_LARGE_BUCKET`, `…_LOG_LARGE_BUCKET_SIZE`.
const OLD_LARGE_BUCKET: u64 = 1;
const LOG_LARGE_BUCKET: u64 = 2;

/// The superblock of `view`.
pub(super) fn probe(view: &View) -> Result<Option<VolumeMember>> {
    let at = SECTOR * 512;
    if !view.has(at + 24, MAGIC)? {
        return Ok(None);
    }
    let Some(record) = view.try_record(at, WHOLE)? else {
        return Ok(None);
    };
    if record.le64(8) != SECTOR {
        return Ok(None);
    }
    let mut member = match record.le64(16) {
        1 => backing(view, &record, DEFAULT_START)?,
        4 | 6 => backing(view, &record, record.le64(184))?,
        0 | 3 | 5 => cache(&record),
        other => return Err(record.bad(16, "version", format!("version {other} is not known"))),
    };
    member.set = record.uuid(56);
    member.name = record.text(72, 32);
    member.fact("device-uuid", &record.uuid(40));
    member.fact("block-size", &Bytes::new(u64::from(record.le16(192)) * 512));
    remark_checksum(&record, &mut member);
    Ok(Some(member))
}

fn backing(view: &View, record: &Record, start: u64) -> Result<VolumeMember> {
    let start = UNIT
        .checked_mul(start)
        .filter(|start| start.get() >= DEFAULT_START * 512);
    let start =
        start.ok_or_else(|| record.bad(184, "data_offset", "it is below 16 or too large"))?;
    let mut member = VolumeMember::new("bcache", Detail::Shifted);
    member.data_start = start;
    member.data_size = view.len().checked_sub(start.get()).map(Bytes::new);
    member.fact("role", &"backing device");
    if member.data_size.is_none() {
        let why = format!(
            "bcache data start at byte {}, past the {} bytes of the device",
            start.get(),
            view.len()
        );
        member.remarks.push(Remark::new(
            rules::BCACHE_DATA_PAST_END,
            Severity::Broken,
            why,
        ));
    }
    Ok(member)
}

fn cache(record: &Record) -> VolumeMember {
    let mut member =
        VolumeMember::opaque("bcache", "a cache device: its buckets hold parts of others");
    member.fact("role", &"cache device");
    if let Some(bucket) = bucket(record) {
        member.fact("bucket-size", &bucket);
        let first = bucket.checked_mul(u64::from(record.le16(204)));
        member.fact("first-bucket", &first.unwrap_or_default());
    }
    member
}

/// 16 bits of 512-byte units; two features widen them.
fn bucket(record: &Record) -> Option<Bytes> {
    let plain = u64::from(record.le16(194));
    let features = if record.le64(16) == 5 {
        record.le64(128)
    } else {
        0
    };
    let units = if features & LOG_LARGE_BUCKET != 0 {
        1_u64.checked_shl(u32::try_from(plain).ok()?)?
    } else if features & OLD_LARGE_BUCKET != 0 {
        plain | u64::from(record.le16(FIXED + 256 * 8)) << 16
    } else {
        plain
    };
    UNIT.checked_mul(units)
}

fn remark_checksum(record: &Record, member: &mut VolumeMember) {
    let keys = usize::from(record.le16(206)).min(256);
    let (stored, computed) = (record.le64(0), crc64(record.slice(8, FIXED - 8 + 8 * keys)));
    if stored != computed {
        let why = format!("bcache checksum is {stored:016x}, the bytes give {computed:016x}");
        let remark = Remark::new(rules::BCACHE_CHECKSUM, Severity::Broken, why).malformed();
        member.remarks.push(remark.at(record.offset(0), "csum"));
    }
}

/// CRC-64 of ECMA-182, not reflected, inverted at both ends.
fn crc64(bytes: &[u8]) -> u64 {
    let mut crc = u64::MAX;
    for byte in bytes {
        crc ^= u64::from(*byte) << 56;
        for _ in 0..8 {
            let poly = if crc >> 63 == 0 {
                0
            } else {
                0x42f0_e1eb_a9ea_3693
            };
            crc = crc << 1 ^ poly;
        }
    }
    !crc
}

#[cfg(test)]
mod tests {
    use super::crc64;

    #[test]
    fn the_crc_is_crc_64_we() {
        assert_eq!(crc64(b"123456789"), 0x62ec_59e3_f1a4_f00a);
    }
}
