//! Parquet in the place of a stream: threads decode row groups in turn, the caller's takes them in order.

use std::sync::Mutex;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread::Scope;

use super::record_stream::{ParseOutcome, Parsed, RecordStream, SpentBuffers, WAITING};
use super::{TraceProgress, TraceRead};
use crate::error::Result;
use crate::formats::TraceFormat;
use crate::formats::parquet::groups::{Batches, Groups};
use crate::formats::parquet::{FACTS, FORMAT};
use crate::input::Input;

/// The row groups, where the input is a Parquet file; from a pipe it cannot be read.
pub fn row_groups(input: &Input, format: &'static TraceFormat) -> Result<Option<Groups>> {
    let plain = || std::fs::metadata(&input.path).is_ok_and(|data| data.is_file());
    if format.name != FORMAT.name || input.compression.is_some() || !plain() {
        return Ok(None);
    }
    Groups::open(&input.path).map(Some)
}

/// Reads by `count` threads.
pub fn start<'scope>(
    scope: &'scope Scope<'scope, '_>,
    input: Input,
    groups: &Groups,
    count: usize,
    progress: &'scope TraceProgress,
) -> RecordStream {
    let count = count.min(groups.count()).max(1);
    let (spent, buffers) = sync_channel((WAITING * 2 + 1) * count);
    let buffers = std::sync::Arc::new(Mutex::new(buffers));
    let mut parsers = Vec::new();
    for first in 0..count {
        let (done, outcomes) = sync_channel(WAITING);
        let turn = Turn {
            groups: groups.clone(),
            first,
            count,
            buffers: std::sync::Arc::clone(&buffers),
            done,
        };
        scope.spawn(move || turn.all(progress));
        parsers.push(outcomes);
    }
    let mut file = TraceRead::new(&input, FORMAT.name, FACTS);
    file.dropped = groups.notes().dropped;
    RecordStream {
        parsers,
        turn: 0,
        spent,
        place: 0,
        file,
        cut: input.cut,
    }
}

/// Every `count`th row group.
struct Turn {
    groups: Groups,
    first: usize,
    count: usize,
    buffers: std::sync::Arc<Mutex<SpentBuffers>>,
    done: SyncSender<ParseOutcome>,
}

impl Turn {
    fn all(self, progress: &TraceProgress) {
        let mut batches = Batches::default();
        for group in (self.first..self.groups.count()).step_by(self.count) {
            if progress.stop.load(Ordering::Relaxed) {
                return;
            }
            match self.one(group, &mut batches) {
                Ok(true) => {}
                Ok(false) => return,
                Err(error) => {
                    // Without a receiver there is nothing to report.
                    let _ = self.done.send(Err(error));
                    return;
                }
            }
            let bytes = self.groups.bytes(group);
            progress.bytes.fetch_add(bytes, Ordering::Relaxed);
        }
    }

    /// One row group; false without a receiver.
    fn one(&self, group: usize, batches: &mut Batches) -> std::io::Result<bool> {
        self.groups.open_rows(group, batches)?;
        loop {
            let spent = self.buffers.lock().ok().and_then(|all| all.try_recv().ok());
            let (buffer, mut records) = spent.unwrap_or_default();
            records.clear();
            let more = batches.next(&mut records)?;
            let parsed = Parsed {
                records,
                buffer,
                more,
            };
            if self.done.send(Ok(parsed)).is_err() {
                return Ok(false);
            }
            if !more {
                return Ok(true);
            }
        }
    }
}
