//! Inflates compressed clusters.

use std::io::Read;

use flate2::{Decompress, FlushDecompress};
use ioalign_core::zstd::ZstdFrames;

use crate::error::{Error, Result};

/// Frames with a larger window are refused: a cluster is 2 MiB at most, so none needs it.
const MOST_WINDOW: u64 = 8 << 20;

/// How clusters are compressed.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Method {
    /// Raw deflate, called zlib in the specification.
    Deflate,
    /// Zstandard.
    Zstd,
}

impl Method {
    /// QEMU's name for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Deflate => "zlib",
            Self::Zstd => "zstd",
        }
    }

    /// The cluster of `len` bytes that `packed` holds; what follows it there is ignored.
    pub fn unpack(self, packed: &[u8], len: usize) -> Result<Vec<u8>> {
        let mut out = vec![0; len];
        match self {
            Self::Deflate => inflate(packed, &mut out)?,
            Self::Zstd => unzstd(packed, &mut out)?,
        }
        Ok(out)
    }
}

fn inflate(packed: &[u8], out: &mut [u8]) -> Result<()> {
    let mut state = Decompress::new(false);
    let result = state.decompress(packed, out, FlushDecompress::Finish);
    if let Err(error) = result {
        return Err(Error::malformed(format!("A compressed cluster: {error}")));
    }
    if state.total_out() < out.len() as u64 {
        let what = format!("A compressed cluster inflates to {}", state.total_out());
        return Err(Error::malformed(what));
    }
    Ok(())
}

fn unzstd(packed: &[u8], out: &mut [u8]) -> Result<()> {
    ZstdFrames::new(packed, MOST_WINDOW)
        .read_exact(out)
        .map_err(|error| Error::malformed(format!("A compressed cluster: {error}")))
}
