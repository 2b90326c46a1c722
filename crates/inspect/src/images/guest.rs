//! The guest's bytes of any format: a block map says where each address lies, this reads it.
//!
//! Formats differ in how they find a block, not in what a block can be: stored in a file, zeros,
//! left to the backing image, or packed. Each format implements [`BlockMap`] and gets a
//! [`Source`] in return.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use crate::error::{Error, Result};
use crate::source::{Source, check_range};

/// Bytes of decompressed blocks that are kept; at least one block of any size is kept.
const CACHE_BYTES: usize = 4 << 20;

/// The bytes at a guest address.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum GuestPiece {
    /// Bytes of a file of the image. Past the end of that file they read as zeros, as in QEMU.
    Stored {
        /// Index in the list given to [`Guest::new`].
        file: usize,
        /// Byte offset in the file.
        at: u64,
    },
    /// Zeros, for any backing image.
    Zero,
    /// Not allocated: the backing image's bytes, zeros where there is none or it is shorter.
    Below,
    /// Part of a compressed block.
    Packed {
        /// Names the block for [`BlockMap::unpack`] and for the cache.
        key: u64,
        /// Offset within the inflated block, in bytes.
        within: u64,
    },
}

/// A piece and how many bytes from the address asked for it holds; never zero.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct GuestSpan {
    /// The bytes there.
    pub piece: GuestPiece,
    /// Bytes.
    pub room: u64,
}

/// How a format finds its blocks.
pub trait BlockMap: Send + Sync {
    /// The bytes at the guest address `address`, which is below the virtual size.
    fn find(&self, address: u64) -> Result<GuestSpan>;

    /// Inflates a block that `find` named. The result must be bounded by the format's block size.
    fn unpack(&self, key: u64) -> Result<Vec<u8>> {
        Err(Error::unsupported(format!("Compressed block {key:#x}")))
    }
}

/// The address space that a guest sees.
pub struct Guest<M> {
    map: M,
    files: Vec<Arc<dyn Source>>,
    below: Option<Arc<dyn Source>>,
    len: u64,
    path: PathBuf,
    inflated: Mutex<Vec<(u64, Arc<Vec<u8>>)>>,
}

impl<M: BlockMap> Guest<M> {
    /// A guest of `len` bytes, mapped by `map` onto `files` and, where it has nothing, `below`.
    /// `path` is the image that messages name.
    pub const fn new(
        map: M,
        files: Vec<Arc<dyn Source>>,
        below: Option<Arc<dyn Source>>,
        len: u64,
        path: PathBuf,
    ) -> Self {
        Self {
            map,
            files,
            below,
            len,
            path,
            inflated: Mutex::new(Vec::new()),
        }
    }

    fn fill(&self, piece: GuestPiece, offset: u64, out: &mut [u8]) -> Result<()> {
        match piece {
            GuestPiece::Stored { file, at } => match self.files.get(file) {
                Some(source) => read_or_zero(source.as_ref(), at, out),
                None => Err(Error::malformed(format!("There is no file {file}"))),
            },
            GuestPiece::Below => match &self.below {
                Some(below) => read_or_zero(below.as_ref(), offset, out),
                None => zero(out),
            },
            GuestPiece::Zero => zero(out),
            GuestPiece::Packed { key, within } => self.copy_packed(key, within, out),
        }
    }

    fn copy_packed(&self, key: u64, within: u64, out: &mut [u8]) -> Result<()> {
        let block = self.unpacked(key)?;
        let part = usize::try_from(within)
            .ok()
            .and_then(|start| block.get(start..start.checked_add(out.len())?))
            .ok_or_else(|| Error::malformed("A compressed block inflates to too few bytes"))?;
        out.copy_from_slice(part);
        Ok(())
    }

    fn unpacked(&self, key: u64) -> Result<Arc<Vec<u8>>> {
        let mut cache = self.inflated.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, block)) = cache.iter().find(|(cached, _)| *cached == key) {
            return Ok(Arc::clone(block));
        }
        let block = Arc::new(self.map.unpack(key)?);
        let mut kept: usize = cache.iter().map(|(_, block)| block.len()).sum();
        while !cache.is_empty() && kept.saturating_add(block.len()) > CACHE_BYTES {
            kept = kept.saturating_sub(cache.remove(0).1.len());
        }
        cache.push((key, Arc::clone(&block)));
        Ok(block)
    }
}

impl<M: BlockMap> Source for Guest<M> {
    fn len(&self) -> u64 {
        self.len
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<()> {
        check_range(self, offset, buffer.len())?;
        let (mut offset, mut rest) = (offset, buffer);
        while !rest.is_empty() {
            let named = |error: Error| error.in_file(&self.path);
            let span = self.map.find(offset).map_err(named)?;
            let part = usize::try_from(span.room).map_or(rest.len(), |room| room.min(rest.len()));
            if part == 0 {
                return Err(named(Error::malformed("The block map has an empty piece")));
            }
            let (now, later) = rest.split_at_mut(part);
            self.fill(span.piece, offset, now).map_err(named)?;
            offset += part as u64;
            rest = later;
        }
        Ok(())
    }

    fn path(&self) -> &Path {
        &self.path
    }

    fn zeros_at(&self, offset: u64) -> u64 {
        let mut at = offset;
        // As many pieces as a table of QEMU's has entries, so that the work is bounded.
        for _ in 0..8192 {
            let zeros = self.zeros_of_piece(at);
            at = at.saturating_add(zeros);
            if zeros == 0 {
                break;
            }
        }
        at.min(self.len).saturating_sub(offset)
    }
}

impl<M: BlockMap> Guest<M> {
    /// Zeros from `at` to the end of its piece, as far as that is known.
    fn zeros_of_piece(&self, at: u64) -> u64 {
        let span = (at < self.len).then(|| self.map.find(at));
        let Some(Ok(GuestSpan { piece, room })) = span else {
            return 0;
        };
        match (piece, &self.below) {
            (GuestPiece::Zero, _) | (GuestPiece::Below, None) => room,
            (GuestPiece::Below, Some(below)) if at >= below.len() => room,
            (GuestPiece::Below, Some(below)) => below.zeros_at(at).min(room),
            (GuestPiece::Stored { .. } | GuestPiece::Packed { .. }, _) => 0,
        }
    }
}

/// Reads what there is; the rest is zeros.
fn read_or_zero(source: &dyn Source, at: u64, out: &mut [u8]) -> Result<()> {
    let there = source.len().saturating_sub(at);
    let part = usize::try_from(there).map_or(out.len(), |there| there.min(out.len()));
    let (now, past) = out.split_at_mut(part);
    past.fill(0);
    if now.is_empty() {
        return Ok(());
    }
    source.read_at(at, now)
}

fn zero(out: &mut [u8]) -> Result<()> {
    out.fill(0);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::MemorySource;

    /// 4-byte blocks: stored, zero, below, packed, and again.
    struct Fours;

    impl BlockMap for Fours {
        fn find(&self, address: u64) -> Result<GuestSpan> {
            let within = address % 4;
            let piece = match (address / 4) % 4 {
                0 => GuestPiece::Stored {
                    file: 0,
                    at: address,
                },
                1 => GuestPiece::Zero,
                2 => GuestPiece::Below,
                _ => GuestPiece::Packed {
                    key: address / 4,
                    within,
                },
            };
            let room = 4 - within;
            Ok(GuestSpan { piece, room })
        }

        fn unpack(&self, key: u64) -> Result<Vec<u8>> {
            Ok(vec![u8::try_from(key).unwrap(); 4])
        }
    }

    fn guest(below: usize) -> Guest<Fours> {
        let file: Arc<dyn Source> = Arc::new(MemorySource::new([0xFF; 18]));
        let below: Arc<dyn Source> = Arc::new(MemorySource::new(vec![0xBB; below]));
        Guest::new(Fours, vec![file], Some(below), 32, PathBuf::from("x"))
    }

    #[test]
    fn each_kind_of_piece_is_read() {
        let mut bytes = [9; 32];
        guest(10).read_at(0, &mut bytes).unwrap();
        assert_eq!(bytes[..8], [255, 255, 255, 255, 0, 0, 0, 0]);
        assert_eq!(bytes[8..16], [0xBB, 0xBB, 0, 0, 3, 3, 3, 3]);
        assert_eq!(bytes[16..20], [255, 255, 0, 0], "the file ends at 18");
        assert_eq!(bytes[24..], [0, 0, 0, 0, 7, 7, 7, 7]);
    }

    #[test]
    fn odd_ranges_and_the_end() {
        let mut bytes = [9; 5];
        guest(32).read_at(10, &mut bytes).unwrap();
        assert_eq!(bytes, [0xBB, 0xBB, 3, 3, 3]);
        assert!(guest(32).read_at(28, &mut bytes).is_err());
    }
}
