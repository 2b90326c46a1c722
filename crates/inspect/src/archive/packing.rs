//! How a tarball is packed, told by its first bytes, and unpacking it as a stream.

use std::io::{BufRead, BufReader, Error, ErrorKind, Read, copy, sink};
use std::sync::Arc;

use bzip2::read::MultiBzDecoder;
use flate2::read::MultiGzDecoder;
use lzma_rust2::XzReader;
use ruzstd::decoding::errors::FrameDecoderError;
use ruzstd::decoding::errors::ReadFrameHeaderError::SkipFrame;
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

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
        Packing::Zstd => Box::new(Frames::new(raw)),
    };
    let most = packed.saturating_mul(MOST_RATIO);
    let most = most.clamp(UNPACKED_FLOOR, MOST_UNPACKED);
    Ok(Box::new(Bounded::new(
        BufReader::with_capacity(READ, stream),
        most,
    )))
}

type Raw = BufReader<FromSource>;

/// Zstandard frames one after the other, as parallel packers write them. Frames to be skipped stand
/// between them: sizes by pzstd, a table of places at the end.
struct Frames {
    raw: Raw,
    frame: Box<FrameDecoder>,
    inside: bool,
}

impl Frames {
    fn new(raw: Raw) -> Self {
        let mut frame = Box::new(FrameDecoder::new());
        frame.set_max_window_size(u64::from(MOST_WINDOW));
        Self {
            raw,
            frame,
            inside: false,
        }
    }

    /// Reads the beginning of a frame; false: it is one to be skipped, and was.
    fn begin(&mut self) -> std::io::Result<bool> {
        let len = match self.frame.init(&mut self.raw) {
            Ok(()) => return Ok(true),
            Err(FrameDecoderError::ReadFrameHeaderError(SkipFrame { length, .. })) => length.into(),
            Err(error) => return Err(Error::other(error)),
        };
        match copy(&mut (&mut self.raw).take(len), &mut sink())? {
            skipped if skipped == len => Ok(false),
            _ => Err(ErrorKind::UnexpectedEof.into()),
        }
    }
}

impl Read for Frames {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        loop {
            if !self.inside {
                if self.raw.fill_buf()?.is_empty() {
                    return Ok(0);
                }
                self.inside = self.begin()?;
                continue;
            }
            while self.frame.can_collect() == 0 && !self.frame.is_finished() {
                let piece = BlockDecodingStrategy::UptoBlocks(1);
                let done = self.frame.decode_blocks(&mut self.raw, piece);
                done.map_err(Error::other)?;
            }
            let read = self.frame.read(out)?;
            if read > 0 || out.is_empty() {
                return Ok(read);
            }
            self.inside = false;
        }
    }
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
