//! Checks that refuse a request before anything is sent.

use ioalign_core::Bytes;
use ioalign_device::{Target, atomic_file_limits, no_atomic_writes, no_buffered_atomic_writes};

use super::options::EngineOptions;
use crate::{Error, ErrorKind, Result};

/// The most that the kernel moves at once is a page short of 2 GiB.
const MOST_BYTES: u64 = 1 << 30;
/// I/Os in flight a worker.
const MOST_DEPTH: u32 = 4096;
/// Threads.
const MOST_WORKERS: u32 = 1024;

/// Whether the target takes I/O of this size at this offset.
pub(crate) fn check_io(target: &Target, bytes: u64, offset: u64, align: Option<u64>) -> Result<()> {
    if bytes == 0 || bytes > MOST_BYTES {
        return Err(
            refuse(format!("I/Os of {} cannot be sent", Bytes::new(bytes)))
                .advise("take a size between 1 byte and 1 GiB"),
        );
    }
    if align == Some(0) {
        return Err(refuse("places cannot be multiples of 0"));
    }
    let parts = [
        ("I/Os of", Some(bytes)),
        ("places at an offset of", Some(offset)),
        ("places that are multiples of", align),
    ];
    for (what, value) in parts {
        check_unit(target, what, value.unwrap_or(0))?;
    }
    check_room(target, bytes, offset)
}

fn check_unit(target: &Target, what: &str, value: u64) -> Result<()> {
    let Some(direct) = target.direct() else {
        return Ok(());
    };
    let unit = direct.offset_bytes;
    if value.is_multiple_of(unit) {
        return Ok(());
    }
    let why = format!(
        "{what} {} cannot be reached past the page cache: O_DIRECT takes multiples of {} here",
        Bytes::new(value),
        Bytes::new(unit)
    );
    Err(refuse(why).of_target(target.path()).advise(format!(
        "take multiples of {}, or --buffered",
        Bytes::new(unit)
    )))
}

fn check_room(target: &Target, bytes: u64, offset: u64) -> Result<()> {
    let largest = target
        .members()
        .iter()
        .map(|member| member.size_bytes)
        .max();
    let largest = largest.unwrap_or(0);
    if offset.saturating_add(bytes) <= largest {
        return Ok(());
    }
    let why = format!(
        "an I/O of {} at offset {} lies beyond its end at {}",
        Bytes::new(bytes),
        Bytes::new(offset),
        Bytes::new(largest)
    );
    Err(refuse(why)
        .of_target(target.path())
        .advise("take a smaller offset or size, or a larger target"))
}

/// Whether a target may be written.
pub(crate) fn check_writes(target: &Target, options: &EngineOptions) -> Result<()> {
    if options.write && target.writable() {
        return Ok(());
    }
    Err(Error::new(
        ErrorKind::Refused,
        "would be written to, which was not allowed",
    )
    .of_target(target.path())
    .advise("add --write to overwrite what is in it, or measure reads"))
}

/// Whether a target writes this many bytes in one piece, as the kernel says of it.
pub(crate) fn check_atomic(target: &Target, bytes: u64) -> Result<()> {
    if target.direct().is_none() {
        return Err(no_buffered_atomic_writes().of_target(target.path()));
    }
    let mut members = target.members().iter();
    match members.find(|member| !atomic_file_limits(&member.path).hold(bytes)) {
        None => Ok(()),
        Some(member) => Err(no_atomic_writes(bytes).of_target(&member.path)),
    }
}

/// Whether this number of I/Os and threads makes sense.
pub(crate) fn check_load(queue_depth: u32, workers: u32, read_ratio: f64) -> Result<()> {
    if !(1..=MOST_DEPTH).contains(&queue_depth) {
        return Err(refuse(format!(
            "a queue depth of {queue_depth}: 1 to {MOST_DEPTH} are possible"
        )));
    }
    if !(1..=MOST_WORKERS).contains(&workers) {
        return Err(refuse(format!(
            "{workers} workers: 1 to {MOST_WORKERS} are possible"
        )));
    }
    if !(0.0..=1.0).contains(&read_ratio) {
        return Err(refuse(format!(
            "a share of reads of {read_ratio}: it lies between 0 and 1"
        )));
    }
    Ok(())
}

fn refuse(why: impl Into<String>) -> Error {
    Error::new(ErrorKind::Unsupported, why)
}
