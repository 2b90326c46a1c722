//! Compression of a tarball, recognised by its first bytes, and decompression as a stream.

use std::io::{BufReader, Read};
use std::sync::Arc;

use bzip2::read::MultiBzDecoder;
use flate2::read::MultiGzDecoder;
use ioalign_core::zstd::ZstdFrames;
use lzma_rust2::XzReader;

use super::feed::{Bounded, Feed, FromSource};
use super::tar::header;
use super::{MOST_RATIO, MOST_UNPACKED, UNPACKED_FLOOR};
use crate::error::Result;
use crate::source::Source;

/// Bytes that tell the packing.
pub const HEAD: usize = 512;
/// Dictionaries and windows larger than `xz -9` and `zstd --ultra` make are refused.
const MOST_WINDOW: u32 = 72 << 20;
const READ: usize = 64 << 10;

/// How a tarball is packed.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Packing {
    /// Not at all.
    Tar,
    /// gzip.
    Gzip,
    /// xz.
    Xz,
    /// bzip2.
    Bzip2,
    /// Zstandard.
    Zstd,
}

impl Packing {
    /// The packing of a file that begins with `head`.
    pub fn of(head: &[u8]) -> Option<Self> {
        match head {
            [0x1f, 0x8b, 8, ..] => Some(Self::Gzip),
            [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => Some(Self::Xz),
            // The digit is the block size; after it the digits of pi.
            [b'B', b'Z', b'h', b'1'..=b'9', 0x31, 0x41, 0x59, 0x26, ..] => Some(Self::Bzip2),
            // The second: a frame to be skipped, with which pzstd begins.
            [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50, 0x2a, 0x4d, 0x18, ..] => Some(Self::Zstd),
            _ => header::is_header(head).then_some(Self::Tar),
        }
    }
}

/// The unpacked bytes of `source`, bounded.
pub(super) fn unpack(packing: Packing, source: &Arc<dyn Source>) -> Result<Box<dyn Feed>> {
    let raw = FromSource::new(Arc::clone(source));
    let packed = source.len();
    let raw = BufReader::with_capacity(READ, raw);
    let stream: Box<dyn Read> = match packing {
        Packing::Tar => return Ok(Box::new(raw)),
        Packing::Gzip => Box::new(MultiGzDecoder::new(raw)),
        Packing::Xz => Box::new(XzReader::new_mem_limit(raw, true, MOST_WINDOW >> 10)),
        Packing::Bzip2 => Box::new(MultiBzDecoder::new(raw)),
        Packing::Zstd => Box::new(ZstdFrames::new(raw, u64::from(MOST_WINDOW))),
    };
    let most = packed.saturating_mul(MOST_RATIO);
    let most = most.clamp(UNPACKED_FLOOR, MOST_UNPACKED);
    Ok(Box::new(Bounded::new(
        BufReader::with_capacity(READ, stream),
        most,
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beginnings() {
        assert_eq!(Packing::of(&[0x1f, 0x8b, 8, 0]), Some(Packing::Gzip));
        assert_eq!(Packing::of(b"\xfd7zXZ\0\0"), Some(Packing::Xz));
        assert_eq!(Packing::of(b"BZh91AY&SY"), Some(Packing::Bzip2));
        assert_eq!(Packing::of(b"\x28\xb5\x2f\xfd\x04"), Some(Packing::Zstd));
        for other in [
            b"".as_slice(),
            &[0; 512],
            b"BZhello",
            &[0x1f, 0x8b],
            b"PK\x03\x04",
        ] {
            assert_eq!(Packing::of(other), None);
        }
    }
}
