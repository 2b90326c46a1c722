//! Writers of traces: what `trace convert` and `trace generate` write, one small file a format.
//!
//! I/Os come in the order of issue, each with its latency, and leave as rows, or as events in their
//! own order. I/Os that a format cannot hold are counted, never changed silently.

pub mod blkparse;
pub mod blktrace;
pub mod csv;
mod digits;
mod events;
pub mod iolog;
pub mod msr;
pub mod parquet;

use std::io::{self, Write};

use crate::record::{Io, TraceDevice};

/// One I/O with its names.
#[derive(Copy, Clone, Debug)]
pub struct TraceRow<'a> {
    /// The I/O; its device and process numbers tell nothing here.
    pub io: &'a Io,
    /// Its device.
    pub device: &'a TraceDevice,
    /// Process number and name, where known; a name may be empty.
    pub process: Option<(u32, &'a str)>,
}

/// The written I/Os.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct WrittenRows {
    /// I/Os.
    pub ios: u64,
    /// I/Os left out, because the format cannot hold such.
    pub left_out: u64,
    /// I/Os written without something that is known of them: latency, process, the exact time.
    pub cut: u64,
}

/// A fact for the head or foot of a trace that has room for such: name and value.
pub type Fact = (String, String);

/// Writes one trace.
pub trait WriteTrace: Send {
    /// The next I/O, in the order of issue.
    fn write(&mut self, row: &TraceRow) -> io::Result<()>;

    /// Ends the trace; facts are kept by formats that have room for them.
    fn finish(&mut self, facts: &[Fact]) -> io::Result<WrittenRows>;
}

/// The destination of the bytes.
pub type Out = Box<dyn Write + Send>;

/// A format that can be written.
#[derive(Debug)]
pub struct WritableFormat {
    /// As `--to` and `--format` name it.
    pub name: &'static str,
    /// Its title.
    pub title: &'static str,
    /// Begins a trace. With `all_events`, events that tell nothing new are written too (blktrace Q, G
    /// and I), as a real trace has them.
    pub writer: fn(out: Out, all_events: bool) -> io::Result<Box<dyn WriteTrace>>,
    /// Times are multiples of this many nanoseconds.
    pub tick: u64,
    /// Nanoseconds of a unit of latency; `None` where there is none.
    pub latency_tick: Option<u64>,
    /// Offsets and lengths are multiples of this.
    pub unit: u32,
    /// Whether it knows processes.
    pub processes: bool,
    /// Whether it knows discards and flushes.
    pub all_ops: bool,
    /// The name of a made device: the first, second, …
    pub device: fn(u32) -> TraceDevice,
}

/// All of them.
pub const TARGETS: &[&WritableFormat] = &[
    &blktrace::TARGET,
    &blkparse::TARGET,
    &csv::TARGET,
    &msr::TARGET,
    &iolog::TARGET,
    &parquet::TARGET,
];

/// The one with this name.
pub fn named(name: &str) -> Option<&'static WritableFormat> {
    TARGETS.iter().copied().find(|target| target.name == name)
}

/// A disk of the SCSI driver, by number.
fn numbered(index: u32) -> TraceDevice {
    // Sixteen minor numbers a disk.
    TraceDevice::Number {
        major: 8,
        minor: 16 * (index + 1),
    }
}

/// The same by name: sdb, sdc, … sdz, sdaa.
fn lettered(index: u32) -> String {
    let letter = |n: u32| char::from(b'a' + u8::try_from(n % 26).unwrap_or(0));
    let number = index + 1;
    let first = (number >= 26).then(|| letter(number / 26 - 1));
    [
        "sd".to_owned(),
        first.into_iter().chain([letter(number)]).collect(),
    ]
    .concat()
}

/// Bytes collected before they go out.
const BUFFER: usize = 256 << 10;

/// Bytes on their way out: rows are put into memory, which is passed on when there is much of it.
struct OutputBuffer {
    out: Out,
    bytes: Vec<u8>,
}

impl OutputBuffer {
    fn new(out: Out) -> Self {
        Self {
            out,
            bytes: Vec::with_capacity(BUFFER + 4096),
        }
    }

    #[inline]
    fn row_done(&mut self) -> io::Result<()> {
        if self.bytes.len() < BUFFER {
            return Ok(());
        }
        self.flush()
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.write_all(&self.bytes)?;
        self.bytes.clear();
        Ok(())
    }

    fn finish(&mut self) -> io::Result<()> {
        self.flush()?;
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_made_devices() {
        assert_eq!(
            (lettered(0), lettered(24), lettered(25)),
            ("sdb".into(), "sdz".into(), "sdaa".into())
        );
        assert_eq!(numbered(0).to_string(), "8:16");
    }
}
