//! Whether something is in a target: what is looked at before it is overwritten.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use ioalign_core::Random;
use rustix::fs::{SeekFrom, seek};
use rustix::io::Errno;

const MIB: u64 = 1 << 20;
/// Places between the first and the last MiB that are looked at.
const SAMPLES: u32 = 256;
const SAMPLE_BYTES: u64 = 4096;

/// The first byte of data that was found; `None`: only zeros, or the ones of erased flash. A device
/// is read at its ends and in samples, a file completely.
pub(crate) fn first_data(file: &File, size_bytes: u64) -> io::Result<Option<u64>> {
    if file.metadata()?.is_file() {
        return first_in_file(file, size_bytes);
    }
    if let Some(at) = data_within(file, 0, size_bytes.min(MIB))? {
        return Ok(Some(at));
    }
    if let Some(at) = data_within(file, size_bytes.saturating_sub(MIB), size_bytes.min(MIB))? {
        return Ok(Some(at));
    }
    // The same places every time: a refusal that comes and goes would be no help.
    let mut random = Random::new(size_bytes);
    for _ in 0..SAMPLES {
        let at = random.below(size_bytes / SAMPLE_BYTES) * SAMPLE_BYTES;
        if let Some(at) = data_within(file, at, SAMPLE_BYTES.min(size_bytes - at))? {
            return Ok(Some(at));
        }
    }
    Ok(None)
}

/// All of a file but its holes.
fn first_in_file(file: &File, size_bytes: u64) -> io::Result<Option<u64>> {
    let mut at = 0;
    while at < size_bytes {
        at = match seek(file, SeekFrom::Data(at)) {
            Ok(data) => data,
            // Holes up to the end.
            Err(Errno::NXIO) => return Ok(None),
            // Not known here: what is no hole is read as well.
            Err(_) => at,
        };
        let len = MIB.min(size_bytes.saturating_sub(at));
        if let Some(found) = data_within(file, at, len)? {
            return Ok(Some(found));
        }
        at += MIB;
    }
    Ok(None)
}

fn data_within(file: &File, at: u64, len: u64) -> io::Result<Option<u64>> {
    let mut bytes = vec![0; usize::try_from(len).unwrap_or(0)];
    let got = read_up_to(file, &mut bytes, at)?;
    let bytes = bytes.get(..got).unwrap_or_default();
    let blank = bytes.first().copied().filter(|b| matches!(b, 0 | 0xff));
    let data = bytes.iter().position(|byte| Some(*byte) != blank);
    Ok(data.map(|position| at + position as u64))
}

fn read_up_to(file: &File, bytes: &mut [u8], at: u64) -> io::Result<usize> {
    let mut got = 0;
    while let Some(rest) = bytes.get_mut(got..).filter(|rest| !rest.is_empty()) {
        match file.read_at(rest, at + got as u64) {
            Ok(0) => break,
            Ok(more) => got += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(got)
}
