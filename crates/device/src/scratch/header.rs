//! Recognises a scratch file that was made here and that no other program has written to.
//!
//! Its last 4 KiB are a header with the file's own inode, length and file system: contents that were copied over it,
//! or to another file, do not have it. The header also names a modification time that the file gets after each run.
//! The time is a minute before the file was made, so that no write of another program can leave it: a file system
//! made in the file, or bytes written in its middle, change it although the header is still there. Programs that
//! set the time back (`touch -d`, `rsync --inplace --times`) leave another [sum](sample) of the contents. I/O never
//! reaches the header, because it is behind the used part.

use std::fs::File;
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::time::{SystemTime, UNIX_EPOCH};

use rustix::fs::{OFlags, Timespec, Timestamps, fcntl_getfl, fcntl_setfl, fstatvfs, futimens};

use super::sample;
use crate::create::random;

/// Size of a header, at the end of the file.
pub(crate) const HEADER_BYTES: u64 = 4096;
const MAGIC: &[u8; 24] = b"ioalign scratch file v2\n";
const USED: usize = 24 + 16 + 5 * 8;
/// Some file systems count in steps of two seconds.
const TIME_STEP: i64 = 2;
const BEFORE: i64 = 60;

/// A file that was made here, as long as it is open.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct ScratchHeader {
    id: [u64; 2],
    inode: u64,
    file_system: u64,
    /// The usable part, from the beginning of the file.
    pub(crate) payload_bytes: u64,
    changed: i64,
    /// Of what this program has left in it.
    sample: u32,
}

/// The result of checking a file.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Recognised {
    /// Nobody but this program has written to it.
    Ours(ScratchHeader),
    /// It was made here, and has been changed since, or a run on it was killed.
    Changed,
    /// A file that is not ours.
    Foreign,
}

impl ScratchHeader {
    /// Looks at an open file.
    pub(crate) fn read(file: &File) -> io::Result<Recognised> {
        let found = file.metadata()?;
        let Some(payload_bytes) = found.len().checked_sub(HEADER_BYTES) else {
            return Ok(Recognised::Foreign);
        };
        let mut bytes = [0; USED + 4];
        file.read_exact_at(&mut bytes, payload_bytes)?;
        let Some(header) = Self::parse(&bytes) else {
            return Ok(Recognised::Foreign);
        };
        let here = Self {
            inode: found.ino(),
            file_system: fstatvfs(file)?.f_fsid,
            payload_bytes,
            ..header
        };
        if header != here {
            return Ok(Recognised::Foreign);
        }
        let is_unchanged = (found.mtime(), found.mtime_nsec()) == (header.changed, 0);
        Ok(
            if is_unchanged && header.sample_of(file)? == header.sample {
                Recognised::Ours(header)
            } else {
                Recognised::Changed
            },
        )
    }

    /// Writes one behind the first `payload_bytes` of a file, which ends there.
    pub(crate) fn write(file: &File, payload_bytes: u64) -> io::Result<Self> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let now = now.map_or(0, |time| i64::try_from(time.as_secs()).unwrap_or(0));
        let header = Self {
            id: [random()?, random()?],
            inode: file.metadata()?.ino(),
            file_system: fstatvfs(file)?.f_fsid,
            payload_bytes,
            changed: (now - BEFORE) / TIME_STEP * TIME_STEP,
            sample: 0,
        };
        header.put(file)?;
        file.set_len(payload_bytes + HEADER_BYTES)?;
        file.sync_all()?;
        header.seal(file)
    }

    fn put(&self, file: &File) -> io::Result<()> {
        let mut bytes = self.bytes();
        bytes.resize(usize::try_from(HEADER_BYTES).unwrap_or(0), 0);
        file.write_all_at(&bytes, self.payload_bytes)
    }

    fn sample_of(&self, file: &File) -> io::Result<u32> {
        sample::sum(file, self.payload_bytes, self.id[0])
    }

    /// Gives the file its time back and notes what is in it, if the header is still there: to be done when all I/O has
    /// ended.
    pub(crate) fn seal(&self, file: &File) -> io::Result<Self> {
        buffered(file)?;
        let found = file.metadata()?;
        let mut bytes = [0; USED + 4];
        if found.len() != self.payload_bytes + HEADER_BYTES {
            return Ok(*self);
        }
        file.read_exact_at(&mut bytes, self.payload_bytes)?;
        if Self::parse(&bytes).as_ref() != Some(self) {
            return Ok(*self);
        }
        let sealed = Self {
            sample: self.sample_of(file)?,
            ..*self
        };
        if sealed != *self {
            sealed.put(file)?;
        }
        file.sync_all()?;
        let time = Timespec {
            tv_sec: self.changed,
            tv_nsec: 0,
        };
        let times = Timestamps {
            last_access: time,
            last_modification: time,
        };
        futimens(file, &times)?;
        Ok(sealed)
    }

    fn bytes(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        let numbers = [
            self.id[0],
            self.id[1],
            self.inode,
            self.file_system,
            self.payload_bytes,
        ];
        for number in numbers {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        bytes.extend_from_slice(&self.changed.to_le_bytes());
        bytes.extend_from_slice(&u64::from(self.sample).to_le_bytes());
        let sum = crc32fast::hash(&bytes);
        bytes.extend_from_slice(&sum.to_le_bytes());
        bytes
    }

    fn parse(bytes: &[u8; USED + 4]) -> Option<Self> {
        let (body, sum) = bytes.split_at(USED);
        let (magic, numbers) = body.split_at(MAGIC.len());
        if magic != MAGIC || sum != crc32fast::hash(body).to_le_bytes() {
            return None;
        }
        let mut numbers = numbers
            .chunks_exact(8)
            .filter_map(|number| number.try_into().ok().map(u64::from_le_bytes));
        Some(Self {
            id: [numbers.next()?, numbers.next()?],
            inode: numbers.next()?,
            file_system: numbers.next()?,
            payload_bytes: numbers.next()?,
            changed: numbers.next()?.cast_signed(),
            sample: u32::try_from(numbers.next()?).ok()?,
        })
    }
}

/// The header takes no heed of what `O_DIRECT` asks for.
fn buffered(file: &File) -> io::Result<()> {
    let flags = fcntl_getfl(file)?;
    if flags.contains(OFlags::DIRECT) {
        fcntl_setfl(file, flags - OFlags::DIRECT)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_comes_back_and_damage_is_seen() {
        let header = ScratchHeader {
            id: [1, 2],
            inode: 3,
            file_system: 4,
            payload_bytes: 5,
            changed: -6,
            sample: 7,
        };
        let bytes: [u8; USED + 4] = header.bytes().try_into().unwrap();
        assert_eq!(ScratchHeader::parse(&bytes), Some(header));
        for at in 0..bytes.len() {
            let mut other = bytes;
            other[at] ^= 1;
            assert_eq!(ScratchHeader::parse(&other), None, "byte {at}");
        }
    }
}
