//! `--record`: events as blktrace's binary records of version 7, which `trace` and blkparse read.
//!
//! One file for all processors and devices. Names of processes are before their first event, and a
//! message at the end has the number of events that the ring lost.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use aya::maps::{MapData, RingBuf};

use super::attach::Watch;
use super::device::WatchedDevice;
use super::ring::{RingEvent, RingEventKind};
use crate::error::{ObserveError, ObserveErrorKind, Result};
use crate::formats::blktrace::RECORD_BEGINS;
use crate::record::Op;

const MAGIC: u32 = 0x6561_7407;
/// How long an empty ring is left alone.
const PAUSE: Duration = Duration::from_millis(2);
/// Younger events may be lost where the program is killed.
const UNWRITTEN: Duration = Duration::from_secs(1);

/// Action: what happened, and of what category (`include/uapi/linux/blktrace_api.h`).
const QUEUE: u32 = 1 | 1 << 20;
const REQUEUE: u32 = 6 | 1 << 21;
const ISSUE: u32 = 7 | 1 << 22;
const COMPLETE: u32 = 8 | 1 << 23;
const NOTIFY: u32 = 1 << 26;
const NOTIFY_TIME: u32 = NOTIFY | 1;
const NOTIFY_MESSAGE: u32 = NOTIFY | 2;

/// The numbers of written events.
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
    thread: JoinHandle<io::Result<RecordingWriter<BufWriter<File>>>>,
}

impl Recorder {
    /// Begins to write what `watch` sees to an open file.
    pub fn start(watch: &mut Watch, file: File) -> Result<Self> {
        let ring = watch.ring().ok_or_else(|| {
            ObserveError::new(ObserveErrorKind::Unsupported, "There is no ring of events")
        })?;
        let mut writer =
            RecordingWriter::new(BufWriter::with_capacity(1 << 18, file), watch.devices());
        let stop = Arc::new(AtomicBool::new(false));
        let asked = Arc::clone(&stop);
        let work = move || writer.begin().and_then(|()| follow(ring, writer, &asked));
        let thread = thread::Builder::new().name("record".into()).spawn(work);
        let thread = thread.map_err(|error| ObserveError::io("Cannot start a thread", error))?;
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
        done.map_err(|error| ObserveError::io("Cannot write the record", error))
    }
}

fn follow<W: Write>(
    mut ring: RingBuf<MapData>,
    mut writer: RecordingWriter<W>,
    stop: &AtomicBool,
) -> io::Result<RecordingWriter<W>> {
    let mut flushed = Instant::now();
    loop {
        // Asked before the last look, so that nothing is left behind.
        let last = stop.load(Ordering::Acquire);
        while let Some(item) = ring.next() {
            if let Some(event) = RingEvent::read(&item) {
                writer.event(&event)?;
            }
        }
        if last {
            return Ok(writer);
        }
        if flushed.elapsed() >= UNWRITTEN {
            writer.out.flush()?;
            flushed = Instant::now();
        }
        thread::sleep(PAUSE);
    }
}

/// Makes records of events.
struct RecordingWriter<W> {
    out: W,
    devices: Vec<(u32, bool)>,
    names: HashMap<u32, [u8; 16]>,
    began: Option<u64>,
    sequence: u32,
    written: Recorded,
}

/// The fields of `struct blk_io_trace` that vary.
#[derive(Default)]
struct TraceEventFields<'a> {
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

impl<W: Write> RecordingWriter<W> {
    fn new(out: W, devices: &[WatchedDevice]) -> Self {
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
        self.put(&TraceEventFields {
            action: NOTIFY_TIME,
            payload: &payload,
            ..TraceEventFields::default()
        })?;
        self.message(RECORD_BEGINS)
    }

    fn message(&mut self, text: &str) -> io::Result<()> {
        self.put(&TraceEventFields {
            action: NOTIFY_MESSAGE,
            payload: text.as_bytes(),
            ..TraceEventFields::default()
        })
    }

    fn event(&mut self, event: &RingEvent) -> io::Result<()> {
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
        self.put(&TraceEventFields {
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

    fn name(&mut self, event: &RingEvent, time: u64) -> io::Result<()> {
        // A completion may run in the context of any process.
        if event.happened == RingEventKind::Complete
            || self.names.get(&event.pid) == Some(&event.comm)
        {
            return Ok(());
        }
        self.names.insert(event.pid, event.comm);
        self.put(&TraceEventFields {
            time,
            action: NOTIFY,
            pid: event.pid,
            payload: &event.comm,
            ..TraceEventFields::default()
        })
    }

    fn put(&mut self, fields: &TraceEventFields) -> io::Result<()> {
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
        self.message(&format!("ioalign: {events} events, {lost} dropped"))?;
        self.out.flush()?;
        Ok(self.written)
    }
}

const fn action(happened: RingEventKind, op: Op, by_bio: bool) -> u32 {
    let act = match happened {
        RingEventKind::Issue if by_bio => QUEUE,
        RingEventKind::Issue => ISSUE,
        RingEventKind::Complete => COMPLETE,
        RingEventKind::Requeue => REQUEUE,
        RingEventKind::Straddle => NOTIFY,
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
    use crate::record::{RecordKind, TraceRecords};

    fn event(happened: RingEventKind, time: u64, op: Op) -> RingEvent {
        RingEvent {
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
        let device = WatchedDevice {
            name: "sda".into(),
            number: (8, 16),
            queues: 1,
            tags: 1,
            by_bio: false,
            stamped: false,
            discard: None,
            grids: Vec::new(),
        };
        let mut bytes = Vec::new();
        let mut writer = RecordingWriter::new(&mut bytes, &[device]);
        writer.begin().unwrap();
        for op in Op::ALL {
            writer
                .event(&event(RingEventKind::Issue, 5_000_000, op))
                .unwrap();
            writer
                .event(&event(RingEventKind::Complete, 5_000_900, op))
                .unwrap();
        }
        let written = writer.finish(3).unwrap();
        assert_eq!((written.events, written.bytes), (10, bytes.len() as u64));
        let format = formats::detect(&bytes).unwrap();
        let mut parser = (format.parser)(&bytes, &Hints::default()).unwrap();
        let mut records = TraceRecords::default();
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
            (RecordKind::Issue, 63 * 512, 4096)
        );
        assert_eq!(records.names.stated, [(7, "fio".into())]);
        assert_eq!((records.dropped, records.unended), (3, 0));
        assert!(records.epoch.is_some());
    }
}
