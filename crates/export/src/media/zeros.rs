//! Zeros in a file.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use rustix::fs::{FallocateFlags, fallocate};
use rustix::io::Errno;

/// Zeros in a file, as a hole where the file system has holes.
pub fn punch(file: &File, at: u64, len: u64) -> io::Result<()> {
    let flags = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
    match fallocate(file, flags, at, len) {
        Err(Errno::OPNOTSUPP | Errno::NOSYS) => write_zeros(file, at, len),
        Err(Errno::INVAL) if len == 0 => Ok(()),
        done => done.map_err(io::Error::from),
    }
}

fn write_zeros(file: &File, at: u64, len: u64) -> io::Result<()> {
    static ZEROS: [u8; 1 << 16] = [0; 1 << 16];
    let (mut at, end) = (at, at.saturating_add(len));
    while at < end {
        let part = usize::try_from(end - at).unwrap_or(usize::MAX);
        let part = ZEROS.get(..part).unwrap_or(&ZEROS);
        file.write_all_at(part, at)?;
        at += part.len() as u64;
    }
    Ok(())
}
