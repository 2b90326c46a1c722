//! Compressed streams, told by their first bytes.

use std::io::{BufRead, BufReader, Read, Result};

use super::Stream;

/// A way of compression.
pub struct Compression {
    /// For the report.
    pub name: &'static str,
    magic: &'static [u8],
    /// The plain bytes of a compressed stream.
    pub open: fn(Stream) -> Result<Stream>,
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
        open: |raw| Ok(Box::new(Frames::Between(buffered(raw)))),
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

type Raw = BufReader<Stream>;

fn buffered(raw: Stream) -> Raw {
    BufReader::with_capacity(1 << 16, raw)
}

type Decoder = ruzstd::decoding::StreamingDecoder<Raw, ruzstd::decoding::FrameDecoder>;

/// Zstandard frames one after the other, as parallel packers and `cat` write them.
enum Frames {
    Between(Raw),
    Inside(Box<Decoder>),
    Over,
}

impl Read for Frames {
    fn read(&mut self, out: &mut [u8]) -> Result<usize> {
        loop {
            match std::mem::replace(self, Self::Over) {
                Self::Over => return Ok(0),
                Self::Between(mut raw) => {
                    if raw.fill_buf()?.is_empty() {
                        return Ok(0);
                    }
                    let most = u64::from(MOST_WINDOW);
                    let frame = Decoder::new_with_max_window_size(raw, most);
                    *self = Self::Inside(Box::new(frame.map_err(std::io::Error::other)?));
                }
                Self::Inside(mut frame) => {
                    let read = frame.read(out)?;
                    if read > 0 || out.is_empty() {
                        *self = Self::Inside(frame);
                        return Ok(read);
                    }
                    *self = Self::Between(frame.into_inner());
                }
            }
        }
    }
}

/// How a stream that begins so is compressed.
pub fn detect(head: &[u8]) -> Option<&'static Compression> {
    ALL.iter().find(|kind| head.starts_with(kind.magic))
}
