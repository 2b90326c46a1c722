//! blktrace's binary records of version 7, little-endian, all of one CPU in one file: what blkparse,
//! btt and fio read. Layout: `include/uapi/linux/blktrace_api.h`.

use std::collections::HashMap;
use std::io;

use super::events::{BlockEvent, BlockEventKind, EmitEvent, Events};
use super::{Fact, OutputBuffer, TraceRow, WritableFormat, WriteTrace, WrittenRows, numbered};
use crate::record::Op;

/// blktrace, binary.
pub const TARGET: WritableFormat = WritableFormat {
    name: "blktrace",
    title: "blktrace binary records",
    writer: |out, all| {
        let records = BlktraceRecords {
            pipe: OutputBuffer::new(out),
            sequence: 0,
            names: HashMap::new(),
            now: 0,
        };
        Ok(Box::new(Blktrace(Events::new(records, all))))
    },
    tick: 1,
    latency_tick: Some(1),
    unit: 512,
    processes: true,
    all_ops: true,
    device: numbered,
};

const MAGIC: u32 = 0x6561_7407;
const NOTIFY: u32 = 1 << 26;
const MESSAGE: u32 = NOTIFY | 2;
/// Bytes of the name of a process in a note, the last of them zero.
const COMM: usize = 16;

struct Blktrace(Events<BlktraceRecords>);

impl WriteTrace for Blktrace {
    fn write(&mut self, row: &TraceRow) -> io::Result<()> {
        self.0.add(row)
    }

    fn finish(&mut self, _: &[Fact]) -> io::Result<WrittenRows> {
        self.0.finish()
    }
}

struct BlktraceRecords {
    pipe: OutputBuffer,
    sequence: u32,
    names: HashMap<u32, Box<str>>,
    now: u64,
}

/// The fields that vary.
#[derive(Default)]
struct BlktraceEventFields<'a> {
    sector: u64,
    bytes: u32,
    action: u32,
    pid: u32,
    device: u32,
    payload: &'a [u8],
}

impl BlktraceRecords {
    #[inline]
    fn put(&mut self, fields: &BlktraceEventFields) -> io::Result<()> {
        self.sequence = self.sequence.wrapping_add(1);
        let out = &mut self.pipe.bytes;
        out.extend_from_slice(&MAGIC.to_le_bytes());
        out.extend_from_slice(&self.sequence.to_le_bytes());
        out.extend_from_slice(&self.now.to_le_bytes());
        out.extend_from_slice(&fields.sector.to_le_bytes());
        let cpu = 0;
        for word in [fields.bytes, fields.action, fields.pid, fields.device, cpu] {
            out.extend_from_slice(&word.to_le_bytes());
        }
        let len = u16::try_from(fields.payload.len()).unwrap_or(0);
        // The error, which is none.
        out.extend_from_slice(&[0, 0]);
        out.extend_from_slice(&len.to_le_bytes());
        out.extend_from_slice(fields.payload);
        self.pipe.row_done()
    }

    /// The name of a process, before its first event.
    #[inline]
    fn introduce(&mut self, pid: u32, name: &str) -> io::Result<()> {
        if name.is_empty() || self.names.get(&pid).is_some_and(|known| &**known == name) {
            return Ok(());
        }
        self.names.insert(pid, name.into());
        let mut payload = [0; COMM];
        let room = payload.iter_mut().take(COMM - 1);
        room.zip(name.bytes()).for_each(|(to, from)| *to = from);
        let payload = &payload[..];
        self.put(&BlktraceEventFields {
            action: NOTIFY,
            pid,
            payload,
            ..BlktraceEventFields::default()
        })
    }
}

impl EmitEvent for BlktraceRecords {
    #[inline]
    fn event(&mut self, event: &BlockEvent) -> io::Result<()> {
        self.now = u64::try_from(event.time).unwrap_or(0);
        self.introduce(event.pid, event.name)?;
        let (major, minor) = event.device;
        self.put(&BlktraceEventFields {
            sector: event.sector,
            bytes: event.bytes,
            action: action(event.happened) | category(event.op),
            pid: event.pid,
            device: major << 20 | minor & 0xf_ffff,
            payload: &[],
        })
    }

    fn device(&mut self, (major, minor): (u32, u32), name: &str) -> io::Result<()> {
        let text = format!("ioalign: {major},{minor} is {name}");
        let payload = text.as_bytes();
        let payload = payload.get(..payload.len().min(1000)).unwrap_or_default();
        self.put(&BlktraceEventFields {
            action: MESSAGE,
            payload,
            ..BlktraceEventFields::default()
        })
    }

    fn end(&mut self) -> io::Result<()> {
        self.pipe.finish()
    }
}

/// The action, and its category bit.
const fn action(happened: BlockEventKind) -> u32 {
    match happened {
        BlockEventKind::Queue => 1 | 1 << 20,
        BlockEventKind::GetRequest => 4,
        BlockEventKind::Insert => 12,
        BlockEventKind::Issue => 7 | 1 << 22,
        BlockEventKind::Complete => 8 | 1 << 23,
    }
}

const fn category(op: Op) -> u32 {
    match op {
        Op::Read => 1 << 16,
        Op::Write => 1 << 17,
        Op::Discard => 1 << 17 | 1 << 29,
        Op::Flush => 1 << 18,
        Op::Other => 1 << 25,
    }
}
