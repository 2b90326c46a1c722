//! Compressed streams, told by their first bytes.

use std::io::{BufReader, Result};

use super::Stream;

/// A way of compression.
pub struct Compression {
    /// For the report.
    pub name: &'static str,
    magic: &'static [u8],
    /// The plain bytes of a compressed stream.
    pub open: fn(Stream) -> Result<Stream>,
}

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
];

fn zstd(raw: Stream) -> Result<Stream> {
    let buffered = BufReader::with_capacity(1 << 16, raw);
    let decoder =
        ruzstd::decoding::StreamingDecoder::new(buffered).map_err(std::io::Error::other)?;
    Ok(Box::new(decoder))
}

/// How a stream that begins so is compressed.
pub fn detect(head: &[u8]) -> Option<&'static Compression> {
    ALL.iter().find(|kind| head.starts_with(kind.magic))
}
