//! The meaning of a failed I/O for the device.

use std::io;

use ioalign_core::Bytes;

use super::files::Files;
use super::queued_io::{QueueOp, QueuedIo};
use crate::{Error, ErrorKind};

/// The error of a result; `None`: the I/O is complete.
pub(crate) fn failure(files: &Files, io: &QueuedIo, result: i32) -> Option<Error> {
    let error = match u32::try_from(result) {
        Ok(_) if io.op == QueueOp::Flush => return None,
        Ok(done) if done == io.bytes => return None,
        Ok(done) => cut_short(io, done),
        Err(_) => refused(io, io::Error::from_raw_os_error(result.saturating_neg())),
    };
    Some(match files.member(io.file) {
        Some(member) => error.of_target(&member.path),
        None => error,
    })
}

fn cut_short(io: &QueuedIo, done: u32) -> Error {
    Error::new(
        ErrorKind::Device,
        format!("{} ended after {done} bytes", words(io)),
    )
    .advise("it has become shorter, or was detached, while it was in use")
}

fn refused(io: &QueuedIo, error: io::Error) -> Error {
    let code = error.raw_os_error();
    let failed = Error::device(format!("{} failed", words(io)), error);
    match code {
        Some(libc::EINVAL | libc::EOPNOTSUPP) if io.op == QueueOp::AtomicWrite => failed.advise(
            "it does not write this in one piece: `ioalign check` with --atomic says which layer refuses",
        ),
        Some(libc::EINVAL) => failed.advise(
            "it does not take I/O of this size or alignment: try multiples of its sector, or --buffered",
        ),
        Some(libc::EIO | libc::EREMOTEIO | libc::EBADMSG | libc::ENODATA) => failed.advise(
            "the device, or the file that it lies in, does not give or take these bytes: see the kernel's log",
        ),
        Some(libc::ENOSPC | libc::EDQUOT) if io.op == QueueOp::AtomicWrite => failed.advise(
            "the file system writes it elsewhere first, and has too little room: free as much as the file has",
        ),
        Some(libc::ENOSPC | libc::EDQUOT) => {
            failed.advise("the device has shrunk, or the file system below it is full")
        }
        Some(libc::ENODEV | libc::ENXIO | libc::ENOMEDIUM | libc::ESHUTDOWN) => {
            failed.advise("the device was removed while it was in use")
        }
        Some(libc::EOPNOTSUPP) => {
            failed.advise("the device cannot be asked for completions: leave polling off")
        }
        Some(libc::EPERM | libc::EROFS) => failed.advise("it is read-only: measure reads"),
        _ => failed,
    }
}

fn words(io: &QueuedIo) -> String {
    let (bytes, at) = (Bytes::new(io.bytes.into()), io.offset);
    match io.op {
        QueueOp::Read => format!("a read of {bytes} at byte {at}"),
        QueueOp::Write => format!("a write of {bytes} at byte {at}"),
        QueueOp::AtomicWrite => format!("an atomic write of {bytes} at byte {at}"),
        QueueOp::Flush => "a flush".to_owned(),
    }
}
