//! The rows of the MSR Cambridge traces: file time in 100 ns, host, disk number, `Read` or `Write`,
//! bytes, bytes, response time in 100 ns.

use std::io;

use ioalign_core::csv::cell;

use super::digits::number;
use super::{Fact, OutputBuffer, TraceRow, WritableFormat, WriteTrace, WrittenRows};
use crate::record::{NO_LATENCY, Op, TraceDevice};

/// MSR Cambridge.
pub const TARGET: WritableFormat = WritableFormat {
    name: "msr",
    title: "MSR Cambridge CSV",
    writer: |out, _| {
        Ok(Box::new(MsrWriter {
            pipe: OutputBuffer::new(out),
            written: WrittenRows::default(),
        }))
    },
    tick: 100,
    latency_tick: Some(100),
    unit: 1,
    processes: false,
    all_ops: false,
    device: |index| TraceDevice::Name(format!("ioalign,{index}").into()),
};

/// 100 ns intervals from 1601 to 1970.
const TO_1970: u64 = 116_444_736_000_000_000;

struct MsrWriter {
    pipe: OutputBuffer,
    written: WrittenRows,
}

impl WriteTrace for MsrWriter {
    fn write(&mut self, row: &TraceRow) -> io::Result<()> {
        let io = row.io;
        let op: &[u8] = match io.op {
            Op::Read => b"Read",
            Op::Write => b"Write",
            _ => {
                self.written.left_out += 1;
                return Ok(());
            }
        };
        let out = &mut self.pipe.bytes;
        number(out, TO_1970 + u64::try_from(io.time).unwrap_or(0) / 100);
        out.push(b',');
        name(out, row.device);
        out.push(b',');
        out.extend_from_slice(op);
        out.push(b',');
        number(out, io.offset);
        out.push(b',');
        number(out, u64::from(io.len));
        out.push(b',');
        // There is no way to say that it is not known.
        number(
            out,
            if io.latency == NO_LATENCY {
                0
            } else {
                io.latency / 100
            },
        );
        out.push(b'\n');
        self.written.ios += 1;
        self.pipe.row_done()
    }

    fn finish(&mut self, _: &[Fact]) -> io::Result<WrittenRows> {
        self.pipe.finish()?;
        Ok(self.written)
    }
}

/// Host and disk number.
fn name(out: &mut Vec<u8>, device: &TraceDevice) {
    match device {
        TraceDevice::Name(name) => {
            let (host, disk) = name.split_once(',').unwrap_or((name, "0"));
            out.extend_from_slice(cell(host).as_bytes());
            out.push(b',');
            out.extend_from_slice(cell(disk).as_bytes());
        }
        TraceDevice::Number { major, minor } => {
            number(out, u64::from(*major));
            out.push(b',');
            number(out, u64::from(*minor));
        }
    }
}
