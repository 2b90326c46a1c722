//! I/Os as the events of the block layer, in the order of events: a completion waits until no earlier
//! event can come.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::HashMap;
use std::io;

use super::{TraceRow, WrittenRows};
use crate::record::{NO_LATENCY, Op, TraceDevice};

/// More in flight than any machine has: of those past it, the completion is not written.
const MOST: usize = 1 << 20;
/// The longest time that the block layer takes between two events of one I/O.
const STEP: i64 = 100;
const SECTOR: u64 = 512;
/// Major number of devices that only have a name: reserved for experiments (`Documentation/admin-guide/devices.txt`).
const UNNUMBERED: u32 = 240;

/// The action.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum BlockEventKind {
    Queue,
    GetRequest,
    Insert,
    Issue,
    Complete,
}

/// One event.
#[derive(Copy, Clone, Debug)]
pub struct BlockEvent<'a> {
    pub happened: BlockEventKind,
    pub time: i64,
    pub sector: u64,
    pub bytes: u32,
    pub op: Op,
    pub device: (u32, u32),
    pub pid: u32,
    pub name: &'a str,
}

/// Writes events.
pub trait EmitEvent: Send {
    fn event(&mut self, event: &BlockEvent) -> io::Result<()>;
    /// A device that only has a name goes by this number.
    fn device(&mut self, number: (u32, u32), name: &str) -> io::Result<()>;
    fn end(&mut self) -> io::Result<()>;
}

/// In flight; by the moment of completion, then in the order of issue.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Open {
    end: i64,
    number: u64,
    sector: u64,
    bytes: u32,
    op: Op,
    device: (u32, u32),
}

/// Makes events of I/Os.
pub struct Events<E> {
    emit: E,
    all: bool,
    open: BinaryHeap<Reverse<Open>>,
    last: i64,
    began: Option<i64>,
    numbers: HashMap<Box<str>, u32>,
    written: WrittenRows,
}

impl<E: EmitEvent> Events<E> {
    pub fn new(emit: E, all: bool) -> Self {
        Self {
            emit,
            all,
            open: BinaryHeap::new(),
            last: 0,
            began: None,
            numbers: HashMap::new(),
            written: WrittenRows::default(),
        }
    }

    pub fn add(&mut self, row: &TraceRow) -> io::Result<()> {
        let io = row.io;
        if !io.offset.is_multiple_of(SECTOR) {
            self.written.left_out += 1;
            return Ok(());
        }
        let device = self.number(row.device)?;
        // Times before 1970 and of other clocks: the first I/O is at a microsecond.
        let began = *self
            .began
            .get_or_insert(if io.time < 0 { io.time } else { 0 });
        let time = io.time.saturating_sub(began);
        let (pid, name) = row.process.unwrap_or((0, ""));
        let event = BlockEvent {
            happened: BlockEventKind::Issue,
            time,
            sector: io.offset / SECTOR,
            bytes: io.len,
            op: io.op,
            device,
            pid,
            name,
        };
        self.begin(&event)?;
        self.written.ios += 1;
        self.wait(&event, io.latency);
        Ok(())
    }

    /// The events up to the issue.
    fn begin(&mut self, issue: &BlockEvent) -> io::Result<()> {
        use BlockEventKind::{GetRequest, Insert, Queue};
        if self.all {
            for (happened, steps) in [(Queue, 3), (GetRequest, 2), (Insert, 1)] {
                let time = (issue.time - steps * STEP).clamp(self.last, issue.time.max(self.last));
                self.put(&BlockEvent {
                    happened,
                    time,
                    ..*issue
                })?;
            }
        }
        self.put(issue)
    }

    fn put(&mut self, event: &BlockEvent) -> io::Result<()> {
        self.complete_until(event.time)?;
        self.last = self.last.max(event.time);
        self.emit.event(event)
    }

    fn wait(&mut self, event: &BlockEvent, latency: u64) {
        // A flush has no place that could distinguish its completion from that of another.
        if latency == NO_LATENCY || !event.op.has_place() {
            self.written.cut += u64::from(latency != NO_LATENCY);
            return;
        }
        if self.open.len() >= MOST {
            self.written.cut += 1;
            return;
        }
        self.open.push(Reverse(Open {
            end: event.time.saturating_add_unsigned(latency),
            number: self.written.ios,
            sector: event.sector,
            bytes: event.bytes,
            op: event.op,
            device: event.device,
        }));
    }

    fn complete_until(&mut self, time: i64) -> io::Result<()> {
        while let Some(Reverse(open)) = self.open.peek().copied() {
            if open.end > time {
                return Ok(());
            }
            self.open.pop();
            self.last = self.last.max(open.end);
            self.emit.event(&BlockEvent {
                happened: BlockEventKind::Complete,
                time: open.end,
                sector: open.sector,
                bytes: open.bytes,
                op: open.op,
                device: open.device,
                pid: 0,
                name: "",
            })?;
        }
        Ok(())
    }

    fn number(&mut self, device: &TraceDevice) -> io::Result<(u32, u32)> {
        let name = match device {
            TraceDevice::Number { major, minor } => return Ok((*major, *minor)),
            TraceDevice::Name(name) => name,
        };
        if let Some(minor) = self.numbers.get(name) {
            return Ok((UNNUMBERED, *minor));
        }
        let minor = u32::try_from(self.numbers.len()).unwrap_or(u32::MAX);
        self.numbers.insert(name.clone(), minor);
        self.emit.device((UNNUMBERED, minor), name)?;
        Ok((UNNUMBERED, minor))
    }

    pub fn finish(&mut self) -> io::Result<WrittenRows> {
        self.complete_until(i64::MAX)?;
        self.emit.end()?;
        Ok(self.written)
    }
}
