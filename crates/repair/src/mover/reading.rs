//! Reading with a policy for what cannot be read.

use std::io;
use std::ops::Range;

use super::ReadErrors;
use crate::{Disk, Error, ErrorKind, Result};

/// What the kernel says of a bad medium: EIO, ENODATA, EREMOTEIO, EILSEQ (`blk_errors` in
/// `block/blk-core.c`). Anything else, such as a disk that is gone, stops the job.
const MEDIUM: [i32; 4] = [5, 61, 121, 84];

fn is_medium(error: &io::Error) -> bool {
    error
        .raw_os_error()
        .is_some_and(|code| MEDIUM.contains(&code))
}

/// Fills `bytes` from `at`. What cannot be read becomes zeros and is added to `bad`, or is an error.
pub fn read(
    disk: &mut dyn Disk,
    at: u64,
    bytes: &mut [u8],
    policy: ReadErrors,
    bad: &mut Vec<Range<u64>>,
) -> Result<()> {
    match disk.read_at(at, bytes) {
        Ok(()) => Ok(()),
        Err(error) if policy == ReadErrors::Map && is_medium(&error) => {
            block_by_block(disk, at, bytes, bad)
        }
        Err(error) => Err(failed(at, bytes.len(), error)),
    }
}

fn block_by_block(
    disk: &mut dyn Disk,
    at: u64,
    bytes: &mut [u8],
    bad: &mut Vec<Range<u64>>,
) -> Result<()> {
    let logical = usize::try_from(disk.logical_bytes()).unwrap_or(512).max(1);
    let mut at = at;
    for block in bytes.chunks_mut(logical) {
        let end = at + block.len() as u64;
        match disk.read_at(at, block) {
            Ok(()) => {}
            Err(error) if is_medium(&error) => {
                block.fill(0);
                add(bad, at..end);
            }
            Err(error) => return Err(failed(at, block.len(), error)),
        }
        at = end;
    }
    Ok(())
}

/// Neighbours become one.
fn add(bad: &mut Vec<Range<u64>>, place: Range<u64>) {
    match bad.last_mut() {
        Some(last) if last.end == place.start => last.end = place.end,
        _ => bad.push(place),
    }
}

fn failed(at: u64, length: usize, error: io::Error) -> Error {
    let place = format!("{length} bytes at byte {at}");
    if is_medium(&error) {
        return Error::new(
            ErrorKind::Device,
            format!(
                "{place} cannot be read: {error}; nothing is lost: `--resume` with read errors mapped puts zeros there \
                 and reports them, `--rollback` goes back"
            ),
        );
    }
    Error::io(format!("{place} cannot be read"), error)
}
