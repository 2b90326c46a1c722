//! Filling a file with random bytes.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::sync::atomic::Ordering;

use ioalign_core::{Bytes, Random};
use rustix::fs::{FallocateFlags, fallocate, fstatvfs};
use rustix::io::Errno;

use crate::target_request::TargetRequest;
use crate::{Error, ErrorKind, Result};

const CHUNK: usize = 1 << 20;

/// Fills part of a file, so that every block of it exists.
pub(super) fn fill(file: &File, from: u64, to: u64, want: &TargetRequest) -> Result<()> {
    let failed = |error: std::io::Error| explain(error, file, to - from);
    match fallocate(file, FallocateFlags::empty(), from, to - from) {
        // If it is unknown, the writes show it.
        Err(Errno::OPNOTSUPP | Errno::NOSYS) | Ok(()) => {}
        Err(error) => return Err(failed(error.into())),
    }
    let mut random = Random::new(from ^ 0x5eed);
    let mut bytes = vec![0; CHUNK];
    let mut at = from;
    while at < to {
        if want
            .stop
            .as_ref()
            .is_some_and(|stop| stop.load(Ordering::Relaxed))
        {
            return Err(Error::new(
                ErrorKind::Interrupted,
                "stopped while it was being filled",
            ));
        }
        for word in bytes.chunks_exact_mut(8) {
            word.copy_from_slice(&random.next().to_le_bytes());
        }
        let len = usize::try_from(to - at).map_or(CHUNK, |rest| rest.min(CHUNK));
        let part = bytes.get(..len).unwrap_or_default();
        file.write_all_at(part, at).map_err(failed)?;
        at += len as u64;
    }
    file.sync_all().map_err(failed)
}

fn explain(error: std::io::Error, file: &File, wanted: u64) -> Error {
    let left = fstatvfs(file).map_or(0, |fs| fs.f_bavail.saturating_mul(fs.f_frsize));
    let full = matches!(
        error.kind(),
        std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded
    );
    let failed = Error::io(format!("{} cannot be written", Bytes::new(wanted)), error);
    if full {
        let left = Bytes::new(left >> 20 << 20);
        failed.advise(format!(
            "its file system has {left} left: give a smaller size"
        ))
    } else {
        failed
    }
}
