//! blkparse's default text: `8,16 1 357 0.000241205 5821 D W 63 + 8 [fio]`.

use std::io;

use super::digits::{number, padded, seconds};
use super::events::{BlockEvent, BlockEventKind, EmitEvent, Events};
use super::{Fact, OutputBuffer, TraceRow, WritableFormat, WriteTrace, WrittenRows, numbered};
use crate::record::Op;

/// blkparse.
pub const TARGET: WritableFormat = WritableFormat {
    name: "blkparse",
    title: "blkparse text",
    writer: |out, all| {
        let lines = BlkparseLines {
            pipe: OutputBuffer::new(out),
            sequence: 0,
        };
        Ok(Box::new(BlkparseWriter {
            events: Events::new(lines, all),
            left_out: 0,
        }))
    },
    tick: 1,
    latency_tick: Some(1),
    unit: 512,
    processes: true,
    all_ops: true,
    device: numbered,
};

struct BlkparseWriter {
    events: Events<BlkparseLines>,
    left_out: u64,
}

impl WriteTrace for BlkparseWriter {
    fn write(&mut self, row: &TraceRow) -> io::Result<()> {
        // Lengths are sectors here.
        if !row.io.len.is_multiple_of(512) {
            self.left_out += 1;
            return Ok(());
        }
        self.events.add(row)
    }

    fn finish(&mut self, _: &[Fact]) -> io::Result<WrittenRows> {
        let mut written = self.events.finish()?;
        written.left_out += self.left_out;
        Ok(written)
    }
}

struct BlkparseLines {
    pipe: OutputBuffer,
    sequence: u64,
}

impl EmitEvent for BlkparseLines {
    fn event(&mut self, event: &BlockEvent) -> io::Result<()> {
        self.sequence += 1;
        let out = &mut self.pipe.bytes;
        padded(out, u64::from(event.device.0), 3, b' ');
        out.push(b',');
        let before = out.len();
        number(out, u64::from(event.device.1));
        out.resize(out.len().max(before + 3), b' ');
        out.extend_from_slice(b"  0 ");
        padded(out, self.sequence, 8, b' ');
        out.push(b' ');
        seconds(out, event.time, 5);
        out.push(b' ');
        padded(out, u64::from(event.pid), 5, b' ');
        out.extend_from_slice(letter(event.happened));
        out.extend_from_slice(rwbs(event.op));
        if event.op.has_place() {
            number(out, event.sector);
            out.extend_from_slice(b" + ");
            number(out, u64::from(event.bytes / 512));
            out.push(b' ');
        }
        out.push(b'[');
        let name = if event.happened == BlockEventKind::Complete {
            "0"
        } else {
            event.name
        };
        out.extend_from_slice(name.as_bytes());
        out.extend_from_slice(b"]\n");
        self.pipe.row_done()
    }

    fn device(&mut self, (major, minor): (u32, u32), name: &str) -> io::Result<()> {
        // A line that is no event: blkparse prints such for messages.
        let line = format!(
            "{major:3},{minor:<3}  0        0     0.000000000     0  m   N ioalign: {name}\n"
        );
        self.pipe.bytes.extend_from_slice(line.as_bytes());
        Ok(())
    }

    fn end(&mut self) -> io::Result<()> {
        self.pipe.finish()
    }
}

const fn letter(happened: BlockEventKind) -> &'static [u8] {
    match happened {
        BlockEventKind::Queue => b"  Q ",
        BlockEventKind::GetRequest => b"  G ",
        BlockEventKind::Insert => b"  I ",
        BlockEventKind::Issue => b"  D ",
        BlockEventKind::Complete => b"  C ",
    }
}

const fn rwbs(op: Op) -> &'static [u8] {
    match op {
        Op::Read => b"  R ",
        Op::Write => b"  W ",
        Op::Discard => b"  D ",
        Op::Flush => b"  F ",
        Op::Other => b"  N ",
    }
}
