//! What direct I/O to a path demands: as the kernel says, and as reads that are tried show.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, FileTypeExt, OpenOptionsExt};
use std::path::Path;

use ioalign_core::direct_io::{DirectIoContract, MisalignedDirectIo};
use rustix::fs::{OFlags, SeekFrom, seek};
use rustix::io::Errno;

use super::demands::demands;
use crate::{Error, Result};

/// Pieces of a sparse file that are looked at.
const MOST_PIECES: usize = 4096;
/// Larger alignments than this are not tried.
const LARGEST: usize = 64 << 10;

/// Asks the kernel what direct I/O to `path` demands, and tries reads of its data. Nothing is written.
///
/// # Errors
/// It cannot be opened for reading, or is neither a file nor a block device.
pub fn direct_io_contract(path: &Path) -> Result<DirectIoContract> {
    let failed =
        |error: io::Error| Error::io("cannot be opened for reading", error).of_target(path);
    let kind = std::fs::metadata(path).map_err(failed)?.file_type();
    if !kind.is_file() && !kind.is_block_device() {
        let what = "is neither a file nor a block device: direct I/O has no contract there";
        return Err(Error::new(crate::ErrorKind::Unsupported, what).of_target(path));
    }
    let flags = OFlags::DIRECT | OFlags::NONBLOCK;
    let flags = i32::try_from(flags.bits()).unwrap_or_default();
    match OpenOptions::new().read(true).custom_flags(flags).open(path) {
        Ok(file) => Ok(of_file(&file, kind.is_block_device())),
        Err(error) if Errno::from_io_error(&error) == Some(Errno::INVAL) => Ok(DirectIoContract {
            because: vec!["its file system has no direct I/O: it refuses O_DIRECT".to_owned()],
            ..DirectIoContract::default()
        }),
        Err(error) => Err(failed(error)),
    }
}

fn of_file(file: &File, is_block: bool) -> DirectIoContract {
    let mut contract = demands(file, is_block);
    tried(file, &mut contract);
    contract
}

/// One read: its place after the start of data, its length, its place in an aligned buffer.
struct TriedRead {
    at: usize,
    len: usize,
    memory: usize,
}

impl TriedRead {
    fn is_aligned(&self, reads: usize, memory: usize) -> bool {
        self.at.is_multiple_of(reads)
            && self.len.is_multiple_of(reads)
            && self.memory.is_multiple_of(memory)
    }
}

/// Reads at places, of lengths and into buffers that are aligned to each power of two: those that the contract
/// allows have to succeed, others to fail where it says so.
fn tried(file: &File, contract: &mut DirectIoContract) {
    let Some(data) = data_of(file) else {
        return;
    };
    let power = |align: Option<u64>| align.and_then(|align| usize::try_from(align).ok());
    let reads = power(contract.offset_align_bytes);
    let memory = power(contract.memory_align_bytes);
    let mut buffer = vec![0; 4 * LARGEST];
    let lead = buffer.as_ptr().align_offset(LARGEST);
    let mut agree = true;
    let mut smallest = None;
    for read in plans(reads.unwrap_or(4096), memory.unwrap_or(512)) {
        let from = lead.saturating_add(read.memory);
        let Some(part) = buffer.get_mut(from..from.saturating_add(read.len)) else {
            continue;
        };
        let accepted = match file.read_at(part, data.saturating_add(read.at as u64)) {
            Ok(_) => true,
            Err(error) if Errno::from_io_error(&error) == Some(Errno::INVAL) => false,
            // A bad sector says nothing of alignment.
            Err(_) => continue,
        };
        contract.tries += 1;
        if accepted && read.memory == 0 {
            smallest = smallest.min(Some(read.len)).or(Some(read.len));
        }
        let expected = match (contract.misaligned, reads, memory) {
            (MisalignedDirectIo::Buffered, ..) => true,
            (_, Some(reads), Some(memory)) => read.is_aligned(reads, memory),
            _ => accepted,
        };
        agree &= accepted == expected;
    }
    if contract.tries == 0 {
        return;
    }
    contract.proved = Some(agree);
    if contract.offset_align_bytes.is_none() && contract.misaligned == MisalignedDirectIo::Unknown {
        contract.offset_align_bytes = smallest.and_then(|bytes| u64::try_from(bytes).ok());
        contract.because.push(
            "the kernel does not say (statx): reads were tried, writes are not known".to_owned(),
        );
    }
}

/// What is tried: each power of two up to twice the alignments, alone in one of the three places.
fn plans(reads: usize, memory: usize) -> Vec<TriedRead> {
    let whole = reads.clamp(4096, LARGEST);
    let mut plans = Vec::new();
    for step in (0..)
        .map(|k| 512usize << k)
        .take_while(|step| *step <= whole)
    {
        plans.push(TriedRead {
            at: step,
            len: step,
            memory: 0,
        });
        plans.push(TriedRead {
            at: step,
            len: whole,
            memory: 0,
        });
        plans.push(TriedRead {
            at: whole,
            len: step,
            memory: 0,
        });
    }
    for step in [memory, memory.saturating_mul(2)]
        .into_iter()
        .chain((memory > 1).then_some(memory / 2))
    {
        plans.push(TriedRead {
            at: 0,
            len: whole,
            memory: step.min(LARGEST),
        });
    }
    plans
}

/// The first place from which on twice [`LARGEST`] bytes are data, on a multiple of it: reads of holes show nothing.
fn data_of(file: &File) -> Option<u64> {
    let largest = LARGEST as u64;
    let size = seek(file, SeekFrom::End(0)).ok()?;
    let mut from = 0;
    for _ in 0..MOST_PIECES {
        // Devices have no holes.
        let data = match seek(file, SeekFrom::Data(from)) {
            Ok(data) => data,
            Err(Errno::NXIO) => return None,
            Err(_) => from,
        };
        let begin = data.checked_next_multiple_of(largest)?;
        let end = seek(file, SeekFrom::Hole(data)).unwrap_or(size);
        if end >= begin.checked_add(2 * largest)? {
            return Some(begin);
        }
        from = end.max(data.checked_add(1)?);
    }
    None
}
