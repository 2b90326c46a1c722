//! fio's I/O log, version 3: `fio --read_iolog` plays it again. Microseconds; no latency, no processes.

use std::collections::HashSet;
use std::io;

use super::digits::number;
use super::{Fact, OutputBuffer, TraceRow, WritableFormat, WriteTrace, WrittenRows, lettered};
use crate::record::{NO_LATENCY, Op, TraceDevice};

/// fio iolog version 3.
pub const TARGET: WritableFormat = WritableFormat {
    name: "iolog3",
    title: "fio iolog version 3",
    writer: |out, _| {
        let mut pipe = OutputBuffer::new(out);
        pipe.bytes.extend_from_slice(b"fio version 3 iolog\n");
        Ok(Box::new(IologWriter {
            pipe,
            known: HashSet::new(),
            first: None,
            written: WrittenRows::default(),
        }))
    },
    tick: 1000,
    latency_tick: None,
    unit: 1,
    processes: false,
    all_ops: true,
    device: |index| TraceDevice::Name(format!("/dev/{}", lettered(index)).into()),
};

/// Devices whose file is opened at the beginning; a log with more is of no use to fio.
const MOST: usize = 4096;

struct IologWriter {
    pipe: OutputBuffer,
    known: HashSet<Box<str>>,
    first: Option<i64>,
    written: WrittenRows,
}

impl IologWriter {
    /// fio wants files added and opened before their first I/O.
    fn open(&mut self, name: &str, time: u64) {
        if self.known.len() >= MOST || self.known.contains(name) {
            return;
        }
        self.known.insert(name.into());
        for what in ["add", "open"] {
            let line = format!("{time} {name} {what}\n");
            self.pipe.bytes.extend_from_slice(line.as_bytes());
        }
    }
}

impl WriteTrace for IologWriter {
    fn write(&mut self, row: &TraceRow) -> io::Result<()> {
        let io = row.io;
        let op: &[u8] = match io.op {
            Op::Read => b" read ",
            Op::Write => b" write ",
            Op::Discard => b" trim ",
            Op::Flush => b" sync ",
            Op::Other => {
                self.written.left_out += 1;
                return Ok(());
            }
        };
        let first = *self
            .first
            .get_or_insert(if io.time < 0 { io.time } else { 0 });
        let time = u64::try_from(io.time.saturating_sub(first)).unwrap_or(0) / 1000;
        // fio reads file names up to a blank.
        let name = row.device.to_string().replace(char::is_whitespace, "_");
        self.open(&name, time);
        let out = &mut self.pipe.bytes;
        number(out, time);
        out.push(b' ');
        out.extend_from_slice(name.as_bytes());
        out.extend_from_slice(op);
        number(out, io.offset);
        out.push(b' ');
        number(out, u64::from(io.len));
        out.push(b'\n');
        self.written.ios += 1;
        self.written.cut += u64::from(io.latency != NO_LATENCY);
        self.pipe.row_done()
    }

    fn finish(&mut self, _: &[Fact]) -> io::Result<WrittenRows> {
        self.pipe.finish()?;
        Ok(self.written)
    }
}
