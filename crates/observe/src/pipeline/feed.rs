//! Threads: one reads and cuts a file, others parse, the caller's takes the records in order.
//!
//! Chunks go to the parsers in turn and come back in turn, so order needs no sorting, and every
//! channel is bounded, so memory does not grow with the trace.

use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{self, Scope};

use super::record_stream::{ParseOutcome, Parsed, RecordStream, SpentBuffers, WAITING};
use super::{TraceMachine, TraceProgress, TraceRead, TraceSettings};
use crate::error::{ObserveError, Result};
use crate::formats::{Parse, Parser, TraceFormat};
use crate::input::chunks::Chunker;
use crate::input::{ByteStream as Bytes, Input};
use crate::record::{TraceRecord, TraceRecords};

/// Bytes a chunk where one file is read.
const CHUNK: usize = 256 << 10;
/// Bytes a chunk where many files are merged, so that memory stays small.
const SMALL_CHUNK: usize = 128 << 10;
/// The same where one thread reads and parses, and has only records to hand on: the more may wait, the
/// less often a thread has to be woken.
const WAITING_ALONE: usize = 4;
/// Merged records that are handed on together.
const READY: usize = 4096;

/// A chunk on its way to a parser.
struct Chunk {
    buffer: Vec<u8>,
    records: TraceRecords,
    /// Bytes before it that belong to a line or record longer than any trace has.
    too_long: u64,
}

/// Reads all files into `machine`.
pub fn all(
    inputs: Vec<(Input, &'static TraceFormat)>,
    settings: &TraceSettings,
    progress: &TraceProgress,
    machine: &mut TraceMachine,
) -> Result<Vec<TraceRead>> {
    let one = inputs.len() == 1;
    thread::scope(|scope| {
        let mut streams = Vec::new();
        for (input, format) in inputs {
            streams.push(start(scope, input, format, settings, progress, one)?);
        }
        if one {
            single(&mut streams, machine)?;
        } else {
            merged(&mut streams, machine)?;
        }
        let stopped = progress.stop.load(Ordering::Relaxed);
        Ok(streams
            .into_iter()
            .map(|stream| stream.ended(stopped))
            .collect())
    })
}

fn start<'scope>(
    scope: &'scope Scope<'scope, '_>,
    input: Input,
    format: &'static TraceFormat,
    settings: &TraceSettings,
    progress: &'scope TraceProgress,
    one: bool,
) -> Result<RecordStream> {
    if let Some(groups) = super::groups::row_groups(&input, format)? {
        let count = if one { threads(settings) } else { 1 };
        return Ok(super::groups::start(scope, input, &groups, count, progress));
    }
    let mut hints = settings.hints.clone();
    // A format that names no device is of one: that of each file is another.
    hints.device = (!one || settings.devices_by_file).then(|| {
        input
            .path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned()
    });
    let parser =
        (format.parser)(&input.head, &hints).map_err(|error| error.in_file(&input.path))?;
    let facts = parser.facts();
    let count = if one { threads(settings) } else { 1 };
    let mut parsers = vec![parser];
    while parsers.len() < count {
        match parsers.first().and_then(|first| first.split()) {
            Some(another) => parsers.push(another),
            None => break,
        }
    }
    let size = if one { CHUNK } else { SMALL_CHUNK };
    let file = TraceRead::new(&input, format.name, facts);
    let chunker = Chunker::new(input.reader, format.framing, size);
    let waiting = match parsers.len() {
        1 => WAITING_ALONE + 1,
        several => (WAITING * 2 + 1) * several,
    };
    let (spent, buffers) = sync_channel(waiting);
    let receivers = spawn(scope, parsers, chunker, buffers, progress);
    Ok(RecordStream {
        parsers: receivers,
        turn: 0,
        spent,
        place: 0,
        file,
        cut: input.cut,
    })
}

fn threads(settings: &TraceSettings) -> usize {
    // The consumer is a thread too, and the reader's work is small.
    let spare = || thread::available_parallelism().map_or(1, |n| n.get().saturating_sub(1).max(1));
    settings.threads.unwrap_or_else(spare).clamp(1, 64)
}

type Chunks = Chunker<Bytes>;
/// One parser reads for itself; several have a reader that deals out chunks.
fn spawn<'scope>(
    scope: &'scope Scope<'scope, '_>,
    mut parsers: Vec<Parser>,
    chunker: Chunks,
    buffers: SpentBuffers,
    progress: &'scope TraceProgress,
) -> Vec<Receiver<ParseOutcome>> {
    if let [_] = parsers.as_slice()
        && let Some(parser) = parsers.pop()
    {
        let (done, outcomes) = sync_channel(WAITING_ALONE);
        scope.spawn(move || alone(parser, chunker, &buffers, &done, progress));
        return vec![outcomes];
    }
    let mut receivers = Vec::new();
    let mut senders = Vec::new();
    for mut parser in parsers {
        let (chunk, chunks) = sync_channel::<std::io::Result<Chunk>>(WAITING);
        let (done, outcomes) = sync_channel(WAITING);
        scope.spawn(move || {
            for chunk in chunks {
                let parsed = chunk.map(|chunk| parse(&mut *parser, chunk));
                if done.send(parsed).is_err() {
                    return;
                }
            }
        });
        senders.push(chunk);
        receivers.push(outcomes);
    }
    scope.spawn(move || deal(chunker, &senders, &buffers, progress));
    receivers
}

fn parse(parser: &mut dyn Parse, chunk: Chunk) -> Parsed {
    let (buffer, mut records) = (chunk.buffer, chunk.records);
    records.clear();
    if chunk.too_long > 0 {
        let why = "longer than a megabyte without an end";
        records.skipped.add(0, &[], why);
    }
    parser.parse(&buffer, &mut records);
    Parsed {
        records,
        buffer,
        more: false,
    }
}

fn alone(
    mut parser: Parser,
    mut chunker: Chunks,
    buffers: &SpentBuffers,
    done: &SyncSender<ParseOutcome>,
    progress: &TraceProgress,
) {
    // The bytes stay here: one buffer, which the cache keeps, is filled again and again.
    let mut bytes = Vec::new();
    loop {
        let (_, records) = buffers.try_recv().unwrap_or_default();
        let Some(next) = read(&mut chunker, (bytes, records), progress) else {
            return;
        };
        let failed = next.is_err();
        let mut parsed = next.map(|chunk| parse(&mut *parser, chunk));
        bytes = parsed
            .as_mut()
            .map_or_else(|_| Vec::new(), |parsed| std::mem::take(&mut parsed.buffer));
        if done.send(parsed).is_err() || failed {
            return;
        }
    }
}

fn deal(
    mut chunker: Chunks,
    parsers: &[SyncSender<std::io::Result<Chunk>>],
    buffers: &SpentBuffers,
    progress: &TraceProgress,
) {
    for parser in parsers.iter().cycle() {
        let buffers = buffers.try_recv().unwrap_or_default();
        let Some(next) = read(&mut chunker, buffers, progress) else {
            return;
        };
        let failed = next.is_err();
        if parser.send(next).is_err() || failed {
            return;
        }
    }
}

fn read(
    chunker: &mut Chunks,
    (mut buffer, records): (Vec<u8>, TraceRecords),
    progress: &TraceProgress,
) -> Option<std::io::Result<Chunk>> {
    // The bytes that were read to detect the format always count.
    let begun = progress.bytes.load(Ordering::Relaxed) > 0;
    let stopped = || progress.stop.load(Ordering::Relaxed);
    if begun && stopped() {
        return None;
    }
    let before = chunker.too_long;
    match chunker.next(&mut buffer) {
        Ok(true) => {
            let bytes = buffer.len() as u64;
            progress.bytes.fetch_add(bytes, Ordering::Relaxed);
            Some(Ok(Chunk {
                buffer,
                records,
                too_long: chunker.too_long - before,
            }))
        }
        // A trace that ends in such a line still has it counted.
        Ok(false) if chunker.too_long > before => Some(Ok(Chunk {
            buffer,
            records,
            too_long: chunker.too_long - before,
        })),
        Ok(false) => None,
        // A compressed stream that was ended early has no proper end.
        Err(_) if stopped() => None,
        Err(error) => Some(Err(error)),
    }
}

impl RecordStream {
    /// The rows of the next chunk, in the numbers of the directory.
    fn next(&mut self, machine: &mut TraceMachine) -> Result<Option<Parsed>> {
        let Some(receiver) = self.parsers.get(self.turn).filter(|_| !machine.is_full()) else {
            return Ok(None);
        };
        let Ok(outcome) = receiver.recv() else {
            return Ok(None);
        };
        let mut parsed =
            outcome.map_err(|e| ObserveError::io("Cannot read on", e).in_file(&self.file.path))?;
        if !parsed.more {
            self.turn = (self.turn + 1) % self.parsers.len();
        }
        let records = &mut parsed.records;
        self.file.take(records);
        let skipped = std::mem::take(&mut records.skipped);
        self.file.skipped.merge(skipped, self.place);
        self.place += records.extent;
        machine.directory.learn(&records.names).apply(records);
        Ok(Some(parsed))
    }

    /// The file, when nothing is left of it; what was stopped was not cut off.
    fn ended(mut self, stopped: bool) -> TraceRead {
        if !stopped {
            self.file.ended(self.cut.load(Ordering::Relaxed));
        }
        self.file
    }

    fn give_back(&self, parsed: Parsed) {
        // A full channel only means that this buffer is not used again.
        let _ = self.spent.try_send((parsed.buffer, parsed.records));
    }
}

fn single(streams: &mut [RecordStream], machine: &mut TraceMachine) -> Result<()> {
    for stream in streams {
        while let Some(parsed) = stream.next(machine)? {
            machine.push(&parsed.records.rows);
            stream.give_back(parsed);
        }
    }
    Ok(())
}

/// A file in the merge: the current chunk and how far it is used.
struct MergeHead {
    stream: usize,
    parsed: Parsed,
    used: usize,
}

impl MergeHead {
    fn rest(&self) -> &[TraceRecord] {
        self.parsed
            .records
            .rows
            .get(self.used..)
            .unwrap_or_default()
    }

    fn time(&self) -> Option<i64> {
        self.rest().first().map(|row| row.io.time)
    }
}

/// Files of one trace, merged by time: the file whose next record is the oldest gives all that are
/// older than the next of every other.
fn merged(streams: &mut [RecordStream], machine: &mut TraceMachine) -> Result<()> {
    let mut ready = Vec::with_capacity(READY);
    let mut heads = Vec::new();
    for (stream, source) in streams.iter_mut().enumerate() {
        if let Some(head) = refill(stream, source, machine)? {
            heads.push(head);
        }
    }
    loop {
        heads.sort_by_key(MergeHead::time);
        let limit = heads.get(1).and_then(MergeHead::time);
        let Some(oldest) = heads.first_mut() else {
            machine.push(&ready);
            return Ok(());
        };
        let rest = oldest.rest();
        let count = match limit {
            Some(limit) => rest.iter().take_while(|row| row.io.time <= limit).count(),
            None => rest.len(),
        };
        ready.extend_from_slice(rest.get(..count).unwrap_or_default());
        oldest.used += count;
        if ready.len() >= READY {
            machine.push(&ready);
            ready.clear();
        }
        if oldest.rest().is_empty() {
            let done = heads.remove(0);
            let stream = done.stream;
            if let Some(source) = streams.get_mut(stream) {
                source.give_back(done.parsed);
                heads.extend(refill(stream, source, machine)?);
            }
        }
    }
}

fn refill(
    stream: usize,
    source: &mut RecordStream,
    machine: &mut TraceMachine,
) -> Result<Option<MergeHead>> {
    while let Some(parsed) = source.next(machine)? {
        if !parsed.records.rows.is_empty() {
            return Ok(Some(MergeHead {
                stream,
                parsed,
                used: 0,
            }));
        }
        source.give_back(parsed);
    }
    Ok(None)
}
