//! Compressed streams, recognised by their first bytes.

use std::io::{BufReader, Result};

use ioalign_core::zstd::ZstdFrames;

use super::ByteStream;

/// A way of compression.
pub struct Compression {
    /// For the report.
    pub name: &'static str,
    magic: &'static [u8],
    /// The plain bytes of a compressed stream.
    pub open: fn(ByteStream) -> Result<ByteStream>,
}

/// Dictionaries and windows larger than `xz -9` and `zstd --ultra` make are refused: 64 MiB and their
/// tables.
const MOST_WINDOW: u32 = 72 << 20;

const ALL: &[Compression] = &[
    Compression {
        name: "gzip",
        magic: &[0x1f, 0x8b],
        // Several members in a row, as log rotation and `cat` make them.
        open: |raw| Ok(Box::new(flate2::read::MultiGzDecoder::new(raw))),
    },
    Compression {
        name: "zstd",
        magic: &[0x28, 0xb5, 0x2f, 0xfd],
        open: zstd,
    },
    Compression {
        name: "zstd",
        // A frame to be skipped, with which pzstd begins.
        magic: &[0x50, 0x2a, 0x4d, 0x18],
        open: zstd,
    },
    Compression {
        name: "xz",
        magic: &[0xfd, b'7', b'z', b'X', b'Z', 0],
        open: |raw| {
            let limit = MOST_WINDOW >> 10;
            let all = lzma_rust2::XzReader::new_mem_limit(buffered(raw), true, limit);
            Ok(Box::new(all))
        },
    },
    Compression {
        name: "bzip2",
        magic: b"BZh",
        open: |raw| Ok(Box::new(bzip2::read::MultiBzDecoder::new(buffered(raw)))),
    },
];

type SqueezedReader = BufReader<ByteStream>;

fn zstd(raw: ByteStream) -> Result<ByteStream> {
    let frames = ZstdFrames::new(buffered(raw), u64::from(MOST_WINDOW));
    Ok(Box::new(frames))
}

fn buffered(raw: ByteStream) -> SqueezedReader {
    BufReader::with_capacity(1 << 16, raw)
}

/// How a stream that begins so is compressed.
pub fn detect(head: &[u8]) -> Option<&'static Compression> {
    ALL.iter().find(|kind| head.starts_with(kind.magic))
}
