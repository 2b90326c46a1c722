//! A table with a heading, in bytes and nanoseconds; nothing is lost.

use std::borrow::Cow;
use std::io;

use ioalign_core::csv::cell;

use super::digits::number;
use super::{Fact, OutputBuffer, TraceRow, WritableFormat, WriteTrace, WrittenRows, lettered};
use crate::record::{NO_LATENCY, TraceDevice};

/// Our table.
pub const TARGET: WritableFormat = WritableFormat {
    name: "csv",
    title: "a table with a heading, bytes and nanoseconds",
    writer: |out, _| {
        let mut pipe = OutputBuffer::new(out);
        pipe.bytes.extend_from_slice(HEADING);
        Ok(Box::new(CsvWriter {
            pipe,
            written: WrittenRows::default(),
        }))
    },
    tick: 1,
    latency_tick: Some(1),
    unit: 1,
    processes: true,
    all_ops: true,
    device: |index| TraceDevice::Name(lettered(index).into()),
};

const HEADING: &[u8] = b"time_ns,op,offset_bytes,length_bytes,latency_ns,device,pid,process\n";

struct CsvWriter {
    pipe: OutputBuffer,
    written: WrittenRows,
}

impl WriteTrace for CsvWriter {
    fn write(&mut self, row: &TraceRow) -> io::Result<()> {
        let (io, out) = (row.io, &mut self.pipe.bytes);
        // The time before 1970 of a trace that has such is of no use to a table.
        number(out, u64::try_from(io.time).unwrap_or(0));
        out.push(b',');
        out.extend_from_slice(io.op.name().as_bytes());
        out.push(b',');
        number(out, io.offset);
        out.push(b',');
        number(out, u64::from(io.len));
        out.push(b',');
        if io.latency != NO_LATENCY {
            number(out, io.latency);
        }
        out.push(b',');
        device(out, row.device);
        out.push(b',');
        if let Some((pid, name)) = row.process {
            number(out, u64::from(pid));
            out.push(b',');
            text(out, name);
        } else {
            out.push(b',');
        }
        out.push(b'\n');
        self.written.ios += 1;
        self.pipe.row_done()
    }

    fn finish(&mut self, _: &[Fact]) -> io::Result<WrittenRows> {
        self.pipe.finish()?;
        Ok(self.written)
    }
}

fn device(out: &mut Vec<u8>, device: &TraceDevice) {
    match device {
        TraceDevice::Name(name) => text(out, name),
        TraceDevice::Number { major, minor } => {
            number(out, u64::from(*major));
            out.push(b':');
            number(out, u64::from(*minor));
        }
    }
}

/// A name. Our reader takes a quote in a field for its end.
fn text(out: &mut Vec<u8>, name: &str) {
    let name = match name.contains('"') {
        true => Cow::Owned(name.replace('"', "_")),
        false => Cow::Borrowed(name),
    };
    out.extend_from_slice(cell(&name).as_bytes());
}
