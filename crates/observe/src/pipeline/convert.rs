//! From files to another file: the same way as to a profile, with a writer at its end.

use std::io;
use std::path::PathBuf;

use ioalign_core::profile::{TraceFile, Unpaired};

use super::{TraceMachine, TraceRead, TraceSettings, absolute, feed, open};
use crate::error::{ObserveError, Result};
use crate::formats::parquet::groups::{DROPPED, OFFSETS};
use crate::pairing::IoSink;
use crate::progress::TraceProgress;
use crate::record::{Io, NameDirectory};
use crate::write::{Fact, TraceRow, WriteTrace, WrittenRows};

/// The result of a conversion.
#[derive(Clone, Debug, Default)]
pub struct Converted {
    /// The written I/Os.
    pub written: WrittenRows,
    /// Latencies that became known too late: the I/O had been written.
    pub late: u64,
    /// Records of the source that did not pair.
    pub unpaired: Unpaired,
    /// The sources.
    pub files: Vec<TraceFile>,
}

/// Reads all traces, of one machine and one time, and writes them as one. The writer is asked for when
/// the sources are known to be traces: an output is not made empty for nothing.
pub fn convert(
    paths: &[PathBuf],
    settings: &TraceSettings,
    progress: &TraceProgress,
    writer: impl FnOnce() -> io::Result<Box<dyn WriteTrace>>,
) -> Result<Converted> {
    let inputs = open(paths, settings, progress)?;
    let absolute = absolute(&inputs)?;
    let failed = |error| ObserveError::io("Cannot write the trace", error);
    let mut machine = TraceMachine::new(settings);
    machine.outlet = Some(Outlet {
        writer: writer().map_err(failed)?,
        late: 0,
        failed: None,
    });
    let files = feed::all(inputs, settings, progress, &mut machine)?;
    machine.convert(&files, absolute)
}

impl TraceMachine {
    fn convert(mut self, files: &[TraceRead], absolute: bool) -> Result<Converted> {
        let Some(mut outlet) = self.outlet.take() else {
            return Ok(Converted::default());
        };
        let (pairing, mut sink) = (&mut self.pairing, outlet.with(&self.directory));
        self.order.finish(&mut |rows| pairing.push(rows, &mut sink));
        pairing.finish(&mut sink);
        let mut out = Converted {
            late: outlet.late,
            unpaired: self.pairing.unpaired.named(self.order.late),
            files: files.iter().map(TraceRead::facts).collect(),
            ..Converted::default()
        };
        let failed = |error| ObserveError::io("Cannot write the trace", error);
        if let Some(error) = outlet.failed {
            return Err(failed(error));
        }
        out.written = outlet
            .writer
            .finish(&facts(&out, absolute))
            .map_err(failed)?;
        Ok(out)
    }
}

/// The facts about the source in the footer.
fn facts(converted: &Converted, absolute: bool) -> Vec<Fact> {
    let dropped: u64 = converted.files.iter().map(|file| file.dropped).sum();
    let json = |value: serde_json::Result<String>| value.unwrap_or_default();
    let offsets = if absolute { "whole-disk" } else { "device" };
    [
        (DROPPED, dropped.to_string()),
        (OFFSETS, offsets.to_owned()),
        (
            "ioalign.sources",
            json(serde_json::to_string(&converted.files)),
        ),
        (
            "ioalign.unpaired",
            json(serde_json::to_string(&converted.unpaired)),
        ),
    ]
    .map(|(key, value)| (key.to_owned(), value))
    .into()
}

/// The destination of I/Os.
pub struct Outlet {
    writer: Box<dyn WriteTrace>,
    late: u64,
    failed: Option<io::Error>,
}

impl Outlet {
    /// Knows the names, too.
    pub(super) const fn with<'a>(&'a mut self, directory: &'a NameDirectory) -> NamedOutlet<'a> {
        NamedOutlet {
            outlet: self,
            directory,
        }
    }

    /// Whether writing failed: nothing is written any more.
    pub(super) const fn has_failed(&self) -> bool {
        self.failed.is_some()
    }
}

/// An outlet and the names of what goes through.
pub(super) struct NamedOutlet<'a> {
    outlet: &'a mut Outlet,
    directory: &'a NameDirectory,
}

impl NamedOutlet<'_> {
    fn write(&mut self, io: &Io) -> io::Result<()> {
        let others = crate::record::TraceDevice::Name("(others)".into());
        let row = TraceRow {
            io,
            device: self.directory.device_of(io.device).unwrap_or(&others),
            process: self.directory.process_of(io.process),
        };
        self.outlet.writer.write(&row)
    }
}

impl IoSink for NamedOutlet<'_> {
    fn ios(&mut self, ios: &[Io]) {
        for io in ios {
            if self.outlet.failed.is_some() {
                return;
            }
            if let Err(error) = self.write(io) {
                self.outlet.failed = Some(error);
            }
        }
    }

    fn late(&mut self, _: &Io) {
        self.outlet.late += 1;
    }
}
