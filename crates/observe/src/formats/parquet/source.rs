//! The bytes of a Parquet file, read by place: threads that share a file do not move each other's position,
//! as they would with the crate's own reader of a `File`.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::os::unix::fs::FileExt;
use std::sync::Arc;

use bytes::Bytes;
use parquet::errors::{ParquetError, Result};
use parquet::file::reader::{ChunkReader, Length};

/// A file on a disk, or one in memory.
#[derive(Clone)]
pub enum ParquetBytes {
    /// With its length.
    File(Arc<File>, u64),
    /// All of it.
    Memory(Bytes),
}

impl ParquetBytes {
    /// A file.
    pub fn file(file: File) -> io::Result<Self> {
        let len = file.metadata()?.len();
        Ok(Self::File(Arc::new(file), len))
    }

    /// Fewer bytes than asked for only at the end.
    fn read_at(&self, buffer: &mut [u8], place: u64) -> io::Result<usize> {
        match self {
            Self::File(file, _) => file.read_at(buffer, place),
            Self::Memory(bytes) => {
                let rest = usize::try_from(place).ok().and_then(|at| bytes.get(at..));
                rest.unwrap_or_default().read(buffer)
            }
        }
    }
}

impl Length for ParquetBytes {
    fn len(&self) -> u64 {
        match self {
            Self::File(_, len) => *len,
            Self::Memory(bytes) => bytes.len() as u64,
        }
    }
}

impl ChunkReader for ParquetBytes {
    type T = BufReader<BytesFrom>;

    fn get_read(&self, start: u64) -> Result<Self::T> {
        Ok(BufReader::new(BytesFrom(self.clone(), start)))
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        // Checked before memory is taken for it.
        let end = start.checked_add(length as u64);
        if end.is_none_or(|end| end > self.len()) {
            let what = "a part lies past the end of the file";
            return Err(ParquetError::EOF(what.to_owned()));
        }
        if let Self::Memory(bytes) = self
            && let Ok(from) = usize::try_from(start)
        {
            return Ok(bytes.slice(from..from.saturating_add(length)));
        }
        let mut buffer = vec![0; length];
        BytesFrom(self.clone(), start).read_exact(&mut buffer)?;
        Ok(buffer.into())
    }
}

/// From a place on.
pub struct BytesFrom(ParquetBytes, u64);

impl Read for BytesFrom {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let got = self.0.read_at(buffer, self.1)?;
        self.1 += got as u64;
        Ok(got)
    }
}
