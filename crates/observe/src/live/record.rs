//! `--record`: events as blktrace's binary records of version 7, which `trace` and blkparse read.
//!
//! One file for all processors and devices. Names of processes go before their first event, and what
//! the ring lost is told by a message at the end.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use aya::maps::{MapData, RingBuf};

use super::attach::Watch;
use super::device::Device;
use super::ring::{Event, Happened};
use crate::error::{Error, ErrorKind, Result};
use crate::record::Op;

const MAGIC: u32 = 0x6561_7407;
/// How long an empty ring is left alone.
const PAUSE: Duration = Duration::from_millis(2);

/// Action: what happened, and of what category (`include/uapi/linux/blktrace_api.h`).
const QUEUE: u32 = 1 | 1 << 20;
const REQUEUE: u32 = 6 | 1 << 21;
const ISSUE: u32 = 7 | 1 << 22;
const COMPLETE: u32 = 8 | 1 << 23;
const NOTIFY: u32 = 1 << 26;
const NOTIFY_TIME: u32 = NOTIFY | 1;
const NOTIFY_MESSAGE: u32 = NOTIFY | 2;

/// What was written.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Recorded {
    /// Events.
    pub events: u64,
    /// Bytes of the file.
    pub bytes: u64,
}

/// Writes events to a file while it lives.
pub struct Recorder {
    stop: Arc<AtomicBool>,
    thread: JoinHandle<io::Result<Writer<BufWriter<File>>>>,
}

impl Recorder {
    /// Begins to write what `watch` sees to an open file.
    pub fn start(watch: &mut Watch, file: File) -> Result<Self> {
        let ring = watch
            .ring()
            .ok_or_else(|| Error::new(ErrorKind::Unsupported, "There is no ring of events"))?;
        let mut writer = Writer::new(BufWriter::with_capacity(1 << 18, file), watch.devices());
        let stop = Arc::new(AtomicBool::new(false));
        let asked = Arc::clone(&stop);
        let work = move || writer.begin().and_then(|()| follow(ring, writer, &asked));
        let thread = thread::Builder::new().name("record".into()).spawn(work);
        let thread = thread.map_err(|error| Error::io("Cannot start a thread", error))?;
        Ok(Self { stop, thread })
    }

    /// Ends the file, once the program is detached. `lost` events did not fit into the ring.
    pub fn finish(self, lost: u64) -> Result<Recorded> {
        self.stop.store(true, Ordering::Release);
        let crashed = |_| io::Error::other("the writer crashed");
        let done = self
            .thread
            .join()
            .map_err(crashed)
            .and_then(|done| done?.finish(lost));
        done.map_err(|error| Error::io("Cannot write the record", error))
    }
}

fn follow<W: Write>(
    mut ring: RingBuf<MapData>,
    mut writer: Writer<W>,
    stop: &AtomicBool,
) -> io::Result<Writer<W>> {
    loop {
        // Asked before the last look, so that nothing is left behind.
        let last = stop.load(Ordering::Acquire);
        while let Some(item) = ring.next() {
            if let Some(event) = Event::read(&item) {
                writer.event(&event)?;
            }
        }
        if last {
            return Ok(writer);
        }
        thread::sleep(PAUSE);
    }
}

/// Makes records of events.
struct Writer<W> {
    out: W,
    devices: Vec<(u32, bool)>,
    names: HashMap<u32, [u8; 16]>,
    began: Option<u64>,
    sequence: u32,
    written: Recorded,
}

/// The fields of `struct blk_io_trace` that vary.
#[derive(Default)]
struct Fields<'a> {
    time: u64,
    sector: u64,
    bytes: u32,
    action: u32,
    pid: u32,
    device: u32,
    cpu: u32,
    error: u16,
    payload: &'a [u8],
}

impl<W: Write> Writer<W> {
    fn new(out: W, devices: &[Device]) -> Self {
        Self {
            out,
            devices: devices
                .iter()
                .map(|device| (device.dev(), device.by_bio))
                .collect(),
            names: HashMap::new(),
            began: None,
            sequence: 0,
            written: Recorded::default(),
        }
    }

    /// The wall clock at the beginning.
    fn begin(&mut self) -> io::Result<()> {
        let now = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        let seconds = u32::try_from(now.as_secs()).unwrap_or(u32::MAX);
        let payload = [seconds.to_le_bytes(), now.subsec_nanos().to_le_bytes()].concat();
        self.put(&Fields {
            action: NOTIFY_TIME,
            payload: &payload,
            ..Fields::default()
        })
    }

    fn event(&mut self, event: &Event) -> io::Result<()> {
        let device = usize::try_from(event.slot)
            .ok()
            .and_then(|slot| self.devices.get(slot));
        let Some((device, by_bio)) = device.copied() else {
            return Ok(());
        };
        // Events of several processors come a little out of order; none may be before the beginning.
        let began = *self
            .began
            .get_or_insert(event.time.saturating_sub(1_000_000));
        let time = event.time.saturating_sub(began);
        self.name(event, time)?;
        self.put(&Fields {
            time,
            sector: event.sector,
            bytes: event.bytes,
            action: action(event.happened, event.op, by_bio),
            pid: event.pid,
            device,
            cpu: u32::from(event.cpu),
            error: u16::try_from(event.error & 0xffff).unwrap_or(0),
            payload: &[],
        })?;
        self.written.events += 1;
        Ok(())
    }

    fn name(&mut self, event: &Event, time: u64) -> io::Result<()> {
        // A completion may come in anybody's context.
        if event.happened == Happened::Complete || self.names.get(&event.pid) == Some(&event.comm) {
            return Ok(());
        }
        self.names.insert(event.pid, event.comm);
        self.put(&Fields {
            time,
            action: NOTIFY,
            pid: event.pid,
            payload: &event.comm,
            ..Fields::default()
        })
    }

    fn put(&mut self, fields: &Fields) -> io::Result<()> {
        let mut record = Vec::with_capacity(48 + fields.payload.len());
        self.sequence = self.sequence.wrapping_add(1);
        record.extend(MAGIC.to_le_bytes());
        record.extend(self.sequence.to_le_bytes());
        record.extend(fields.time.to_le_bytes());
        record.extend(fields.sector.to_le_bytes());
        for word in [
            fields.bytes,
            fields.action,
            fields.pid,
            fields.device,
            fields.cpu,
        ] {
            record.extend(word.to_le_bytes());
        }
        record.extend(fields.error.to_le_bytes());
        let len = u16::try_from(fields.payload.len()).unwrap_or(0);
        record.extend(len.to_le_bytes());
        record.extend(fields.payload);
        self.written.bytes += record.len() as u64;
        self.out.write_all(&record)
    }

    /// The message about losses, always: a file without it was cut off.
    fn finish(mut self, lost: u64) -> io::Result<Recorded> {
        let events = self.written.events;
        let text = format!("ioalign: {events} events, {lost} dropped");
        self.put(&Fields {
            action: NOTIFY_MESSAGE,
            payload: text.as_bytes(),
            ..Fields::default()
        })?;
        self.out.flush()?;
        Ok(self.written)
    }
}

const fn action(happened: Happened, op: Op, by_bio: bool) -> u32 {
    let act = match happened {
        Happened::Issue if by_bio => QUEUE,
        Happened::Issue => ISSUE,
        Happened::Complete => COMPLETE,
        Happened::Requeue => REQUEUE,
        Happened::Straddle => NOTIFY,
    };
    let category = match op {
        Op::Read => 1 << 16,
        Op::Write => 1 << 17,
        Op::Discard => 1 << 17 | 1 << 29,
        Op::Flush => 1 << 18,
        Op::Other => 1 << 25,
    };
    act | category
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::{self, Hints};
    use crate::record::{Kind, Records};

    fn event(happened: Happened, time: u64, op: Op) -> Event {
        Event {
            time,
            sector: 63,
            bytes: 4096,
            slot: 0,
            pid: 7,
            happened,
            op,
            cpu: 1,
            error: 0,
            crossed: 0,
            comm: *b"fio\0\0\0\0\0\0\0\0\0\0\0\0\0",
        }
    }

    #[test]
    fn what_is_written_is_read_by_trace() {
        let device = Device {
            name: "sda".into(),
            number: (8, 16),
            queues: 1,
            tags: 1,
            by_bio: false,
            stamped: false,
            grids: Vec::new(),
        };
        let mut bytes = Vec::new();
        let mut writer = Writer::new(&mut bytes, &[device]);
        writer.begin().unwrap();
        for op in Op::ALL {
            writer
                .event(&event(Happened::Issue, 5_000_000, op))
                .unwrap();
            writer
                .event(&event(Happened::Complete, 5_000_900, op))
                .unwrap();
        }
        let written = writer.finish(3).unwrap();
        assert_eq!((written.events, written.bytes), (10, bytes.len() as u64));
        let format = formats::detect(&bytes).unwrap();
        let mut parser = (format.parser)(&bytes, &Hints::default()).unwrap();
        let mut records = Records::default();
        parser.parse(&bytes, &mut records);
        assert_eq!((records.rows.len(), records.skipped.rows), (10, 0));
        let ops: Vec<_> = records
            .rows
            .iter()
            .step_by(2)
            .map(|row| row.io.op)
            .collect();
        assert_eq!(ops, Op::ALL);
        let first = records.rows.first().unwrap();
        assert_eq!(
            (first.kind, first.io.offset, first.io.len),
            (Kind::Issue, 63 * 512, 4096)
        );
        assert_eq!(records.names.told, [(7, "fio".into())]);
        assert_eq!(records.dropped, 3);
    }
}
