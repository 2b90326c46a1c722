//! Compressed streams, told by their first bytes.

use std::io::{BufRead, BufReader, Error, ErrorKind, Read, Result, copy, sink};

use ruzstd::decoding::errors::FrameDecoderError;
use ruzstd::decoding::errors::ReadFrameHeaderError::SkipFrame;
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

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
        open: |raw| Ok(Box::new(Frames::new(buffered(raw)))),
    },
    Compression {
        name: "zstd",
        // A frame to be skipped, with which pzstd begins.
        magic: &[0x50, 0x2a, 0x4d, 0x18],
        open: |raw| Ok(Box::new(Frames::new(buffered(raw)))),
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

/// Zstandard frames one after the other, as parallel packers and `cat` write them. Frames to be skipped stand
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
    fn begin(&mut self) -> Result<bool> {
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
    fn read(&mut self, out: &mut [u8]) -> Result<usize> {
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

/// How a stream that begins so is compressed.
pub fn detect(head: &[u8]) -> Option<&'static Compression> {
    ALL.iter().find(|kind| head.starts_with(kind.magic))
}
