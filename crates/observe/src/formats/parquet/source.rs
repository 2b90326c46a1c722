//! The bytes of a Parquet file: any place of it, or a column from its front to its end.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::os::unix::fs::FileExt;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::{Bytes, BytesMut};
use parquet::errors::{ParquetError, Result};
use parquet::file::reader::{ChunkReader, Length};

/// Bytes of a column read at a time: some pages, and little enough that all columns stay in a processor's
/// cache.
const AHEAD: usize = 48 << 10;
/// More than the header of a page has.
const HEADER: usize = 512;

/// A file read by place, so that threads do not move each other's position.
#[derive(Clone)]
pub struct At {
    source: Source,
    len: u64,
}

#[derive(Clone)]
enum Source {
    File(Arc<File>),
    Memory(Bytes),
}

impl At {
    /// A file.
    pub fn file(file: File) -> io::Result<Self> {
        let len = file.metadata()?.len();
        let source = Source::File(Arc::new(file));
        Ok(Self { source, len })
    }

    /// The same in memory.
    pub fn memory(bytes: Vec<u8>) -> Self {
        let len = bytes.len() as u64;
        let source = Source::Memory(bytes.into());
        Self { source, len }
    }

    /// Fewer bytes than asked for only at the end.
    fn read_at(&self, buffer: &mut [u8], place: u64) -> io::Result<usize> {
        match &self.source {
            Source::File(file) => file.read_at(buffer, place),
            Source::Memory(bytes) => {
                let from = usize::try_from(place)
                    .ok()
                    .and_then(|place| bytes.get(place..));
                from.unwrap_or_default().read(buffer)
            }
        }
    }
}

impl Length for At {
    fn len(&self) -> u64 {
        self.len
    }
}

impl ChunkReader for At {
    type T = BufReader<From>;

    fn get_read(&self, start: u64) -> Result<Self::T> {
        Ok(BufReader::new(From::new(self, start, Bytes::new())))
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        // Checked before memory is taken for it.
        let end = start
            .checked_add(length as u64)
            .filter(|end| *end <= self.len);
        if end.is_none() {
            return Err(ParquetError::EOF(
                "a part lies past the end of the file".to_owned(),
            ));
        }
        if let Source::Memory(bytes) = &self.source
            && let Ok(from) = usize::try_from(start)
        {
            return Ok(bytes.slice(from..from.saturating_add(length)));
        }
        let mut buffer = vec![0; length];
        From::new(self, start, Bytes::new()).read_exact(&mut buffer)?;
        Ok(buffer.into())
    }
}

/// From a place on.
pub struct From {
    at: At,
    place: u64,
    /// The first bytes of it, where they are known.
    held: Bytes,
}

impl From {
    fn new(at: &At, start: u64, held: Bytes) -> Self {
        let at = at.clone();
        let place = start.saturating_add(held.len() as u64);
        Self { at, place, held }
    }
}

impl Read for From {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if !self.held.is_empty() {
            let got = self.held.len().min(buffer.len());
            self.held.split_to(got).as_ref().read(buffer)?;
            return Ok(got);
        }
        let got = self.at.read_at(buffer, self.place)?;
        self.place += got as u64;
        Ok(got)
    }
}

/// A column that is read from its front to its end, several pages at a time: two calls of the kernel a
/// page would take as long as its numbers.
pub struct Ahead {
    at: At,
    /// Where these bytes are, and they.
    held: Mutex<(u64, Bytes)>,
}

impl Ahead {
    /// Nothing read yet.
    pub const fn new(at: At) -> Self {
        Self {
            at,
            held: Mutex::new((0, Bytes::new())),
        }
    }

    /// `needed` bytes or more from a place on; fewer only at the end of the file.
    fn from(&self, start: u64, needed: usize) -> Result<Bytes> {
        let left = usize::try_from(self.at.len.saturating_sub(start)).unwrap_or(usize::MAX);
        let (least, most) = (needed.min(left), needed.max(AHEAD).min(left));
        let Source::File(file) = &self.at.source else {
            return self.at.get_bytes(start, most);
        };
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let (place, bytes) = &mut *held;
        let skip = start.checked_sub(*place).map(usize::try_from);
        let skip = skip.and_then(std::result::Result::ok);
        let skip = skip.map_or(bytes.len(), |skip| skip.min(bytes.len()));
        if bytes.len() - skip < least {
            *bytes = further(std::mem::take(bytes), skip, (file, start), most)?;
            *place = start;
            return Ok(bytes.clone());
        }
        Ok(bytes.slice(skip..))
    }
}

/// Bytes of a file from `start` on, of which those after `skip` are held: in the same space, if nobody else holds
/// them.
fn further(held: Bytes, skip: usize, (file, start): (&File, u64), len: usize) -> Result<Bytes> {
    let copied = |held: Bytes| BytesMut::from(&*held);
    let mut bytes = held.try_into_mut().unwrap_or_else(copied);
    let known = bytes.len() - skip;
    bytes.copy_within(skip.., 0);
    bytes.resize(len, 0);
    let rest = bytes.get_mut(known..).unwrap_or_default();
    file.read_exact_at(rest, start.saturating_add(known as u64))?;
    Ok(bytes.freeze())
}

impl Length for Ahead {
    fn len(&self) -> u64 {
        self.at.len
    }
}

impl ChunkReader for Ahead {
    type T = From;

    fn get_read(&self, start: u64) -> Result<Self::T> {
        let bytes = self.from(start, HEADER)?;
        Ok(From::new(&self.at, start, bytes))
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        let bytes = self.from(start, length)?;
        if bytes.len() < length {
            return Err(ParquetError::EOF(
                "a part lies past the end of the file".to_owned(),
            ));
        }
        Ok(bytes.slice(..length))
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn a_column_read_ahead_is_the_file() {
        let all: Vec<u8> = (0..400_000_u32).flat_map(u32::to_le_bytes).collect();
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&all).unwrap();
        for at in [At::file(file).unwrap(), At::memory(all.clone())] {
            let ahead = Ahead::new(at);
            let mut place = 5;
            let mut kept = Vec::new();
            for len in [1, 90_000, 40_000, 7, 300_000, 100, 96 << 10, 60_000] {
                let start = place as u64;
                let mut head = [0; 9];
                ahead
                    .get_read(start)
                    .unwrap()
                    .read_exact(&mut head)
                    .unwrap();
                assert_eq!(head, all[place..place + 9]);
                let bytes = ahead.get_bytes(start, len).unwrap();
                assert_eq!(bytes, all[place..place + len]);
                // Some stay in use while others are read.
                kept.extend((len > 50_000).then_some((place, bytes)));
                place += len;
            }
            assert!(
                kept.iter()
                    .all(|(place, bytes)| *bytes == all[*place..place + bytes.len()])
            );
            assert!(ahead.get_bytes(all.len() as u64 - 8, 9).is_err());
            assert!(ahead.get_bytes(u64::MAX - 8, 9).is_err());
            assert_eq!(
                ahead.get_bytes(all.len() as u64 - 8, 8).unwrap(),
                all[all.len() - 8..]
            );
        }
    }
}
