//! Zstandard frames as one stream, with a bound on the memory that they may ask for.

use std::io::{BufRead, Error, ErrorKind, Read, Result, copy, sink};

use ruzstd::decoding::errors::FrameDecoderError;
use ruzstd::decoding::errors::ReadFrameHeaderError::SkipFrame;
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

/// Frames one after the other, as parallel packers and `cat` write them. Frames to be skipped stand between them:
/// sizes by pzstd, a table of places at the end.
pub struct ZstdFrames<R> {
    packed: R,
    frame: Box<FrameDecoder>,
    inside: bool,
}

impl<R: BufRead> ZstdFrames<R> {
    /// The frames of a stream. One with a window of more bytes than `most_window` is an error.
    pub fn new(packed: R, most_window: u64) -> Self {
        let mut frame = Box::new(FrameDecoder::new());
        frame.set_max_window_size(most_window);
        Self {
            packed,
            frame,
            inside: false,
        }
    }

    /// Reads the beginning of a frame; false: it is one to be skipped, and was.
    fn begin(&mut self) -> Result<bool> {
        let length = match self.frame.init(&mut self.packed) {
            Ok(()) => return Ok(true),
            Err(FrameDecoderError::ReadFrameHeaderError(SkipFrame { length, .. })) => length.into(),
            Err(error) => return Err(Error::other(error)),
        };
        match copy(&mut (&mut self.packed).take(length), &mut sink())? {
            skipped if skipped == length => Ok(false),
            _ => Err(ErrorKind::UnexpectedEof.into()),
        }
    }
}

impl<R: BufRead> Read for ZstdFrames<R> {
    fn read(&mut self, out: &mut [u8]) -> Result<usize> {
        loop {
            if !self.inside {
                if self.packed.fill_buf()?.is_empty() {
                    return Ok(0);
                }
                self.inside = self.begin()?;
                continue;
            }
            while self.frame.can_collect() == 0 && !self.frame.is_finished() {
                let piece = BlockDecodingStrategy::UptoBlocks(1);
                let done = self.frame.decode_blocks(&mut self.packed, piece);
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
