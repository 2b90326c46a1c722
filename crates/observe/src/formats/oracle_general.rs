//! oracleGeneral of libCacheSim, in which CloudPhysics' traces and others are published: packed records of 24 bytes,
//! little-endian, without a header: u32 seconds, u64 object, u32 bytes, i64 number of the next request of that object, or
//! -1. Layout: libCacheSim's `oracleGeneralBin` reader.
//!
//! The object is a block number where the source is a block trace; its unit is not in the file, and no operation is.

use super::text::UNKNOWN;
use super::{FormatFacts, Framing, Hints, Parse, Parser, TraceFormat, TraceHint, packed};
use crate::error::{ObserveError, ObserveErrorKind, Result};
use crate::record::{Io, Op, TraceRecords};

/// oracleGeneral.
pub const FORMAT: TraceFormat = TraceFormat {
    name: "oraclegeneral",
    title: "oracleGeneral of libCacheSim (CloudPhysics), 24 bytes a request",
    sniff,
    framing: Framing::Records(|bytes| bytes.len() / RECORD * RECORD),
    takes: &[TraceHint::OffsetUnit],
    whole_disk: false,
    parser,
};

const RECORD: usize = 24;
/// Requests looked at, and the fewest that are enough: there is no magic.
const SNIFFED: usize = 512;
const FEWEST: usize = 8;
/// No block request is larger.
const LARGEST: u32 = 1 << 26;

struct CacheRequest {
    seconds: u32,
    object: u64,
    bytes: u32,
    next: i64,
}

fn request(record: &[u8]) -> Option<CacheRequest> {
    let word = |at: usize| Some(u32::from_le_bytes(*record.get(at..)?.first_chunk()?));
    let long = |at: usize| Some(u64::from_le_bytes(*record.get(at..)?.first_chunk()?));
    Some(CacheRequest {
        seconds: word(0)?,
        object: long(4)?,
        bytes: word(12)?,
        next: long(16)?.cast_signed(),
    })
}

/// Times never go back, and the next request of an object is a later one.
fn sniff(head: &[u8]) -> bool {
    let (mut last, mut count) = (0, 0_i64);
    for record in head.chunks_exact(RECORD).take(SNIFFED) {
        let Some(one) = request(record) else {
            return false;
        };
        let next =
            one.next == -1 || one.next == i64::MAX || (count < one.next && one.next < 1 << 48);
        if one.seconds < last || one.bytes == 0 || one.bytes > LARGEST || !next {
            return false;
        }
        last = one.seconds;
        count += 1;
    }
    usize::try_from(count).is_ok_and(|count| count >= FEWEST)
}

fn parser(_: &[u8], hints: &Hints) -> Result<Parser> {
    let Some(unit) = hints.offset_unit else {
        let what = "oracleGeneral has numbers of objects and not their unit: say --offset-unit 512 where they are \
                    sectors, as CloudPhysics' are (--as oraclegeneral --offset-unit 512), 4096, or 1 for bytes";
        return Err(ObserveError::new(ObserveErrorKind::Ask, what));
    };
    let device = hints.device.clone();
    Ok(Box::new(OracleGeneral { unit, device }))
}

struct OracleGeneral {
    unit: u32,
    device: Option<String>,
}

impl Parse for OracleGeneral {
    fn parse(&mut self, chunk: &[u8], out: &mut TraceRecords) {
        let device = self.device.as_deref().unwrap_or("oraclegeneral");
        let not = "not a whole record of oracleGeneral";
        packed::take(chunk, RECORD, device, out, not, |record| self.one(record));
    }

    fn split(&self) -> Option<Parser> {
        Some(Box::new(Self {
            unit: self.unit,
            device: self.device.clone(),
        }))
    }

    fn facts(&self) -> FormatFacts {
        FormatFacts {
            time: "whole seconds",
            offset: match self.unit {
                1 => "bytes, as given",
                512 => "512-byte sectors, as given",
                4096 => "4096-byte blocks, as given",
                _ => "blocks, as given",
            },
            len: "bytes",
            op: "none in the format: all are counted as reads",
            latency: "none",
        }
    }
}

impl OracleGeneral {
    fn one(&self, record: &[u8]) -> Option<Io> {
        let request = request(record)?;
        Some(Io {
            time: i64::from(request.seconds) * 1_000_000_000,
            offset: request.object.checked_mul(u64::from(self.unit))?,
            len: request.bytes,
            op: Op::Read,
            ..UNKNOWN
        })
    }
}
