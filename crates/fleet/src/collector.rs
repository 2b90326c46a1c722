//! The way of a push into the store: judged by as many threads as ask, written by one.
//!
//! The writer takes all that is waiting into one transaction, so a commit, which waits for the disk, is shared by many
//! pushes when many come and delays none when few do. A push is acknowledged after its commit.

use std::num::NonZeroU32;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, SyncSender, TrySendError};
use std::time::{SystemTime, UNIX_EPOCH};

use ioalign_core::day::Day;
use serde::Serialize;

use crate::envelope::PushEnvelope;
use crate::error::{FleetError, FleetResult};
use crate::rates::IoRates;
use crate::store::{AddedReport, FleetStore, NewReport, StorePlace};
use crate::{hash, judged};

/// Pushes a transaction.
const TOGETHER: usize = 256;
/// Judged pushes that wait; more are sent away to come again.
const WAITING: usize = 1024;
/// The largest document of a capture.
const MOST_DOCUMENT: usize = 64 << 20;

/// Judges a capture: the document `ioalign.check/1` of one target, or why it is no capture.
pub type CaptureJudge = dyn Fn(&[u8]) -> Result<Vec<u8>, String> + Send + Sync;

/// The acknowledgement of a push.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PushReceipt {
    /// Always `ioalign.receipt/1`.
    pub schema: &'static str,
    /// The number of the report.
    pub report: i64,
    /// It was there already.
    pub duplicate: bool,
}

/// Hears what became of a push.
type PushAnswer = Box<dyn FnOnce(FleetResult<PushReceipt>) + Send>;

/// Takes pushes.
pub struct Collector {
    judge: Arc<CaptureJudge>,
    queue: SyncSender<(NewReport, PushAnswer)>,
}

impl Collector {
    /// Opens the store and starts the writer, which ends with the last of its collectors. `keep`: reports of each host.
    ///
    /// # Errors
    /// When the store cannot be opened.
    pub fn start(
        place: &StorePlace,
        judge: Arc<CaptureJudge>,
        keep: Option<NonZeroU32>,
    ) -> FleetResult<Self> {
        let store = FleetStore::open(place)?.keeping(keep);
        let (queue, waiting) = mpsc::sync_channel(WAITING);
        let started = std::thread::Builder::new()
            .name("fleet-writer".to_owned())
            .spawn(move || write(store, &waiting));
        started.map_err(|error| FleetError::Unavailable(format!("no thread: {error}")))?;
        Ok(Self { judge, queue })
    }

    /// Keeps a judged push; `answer` hears of it when it is on the disk, in the writer's thread.
    ///
    /// # Errors
    /// When too many are waiting: `answer` hears nothing then.
    pub fn submit(
        &self,
        report: NewReport,
        answer: impl FnOnce(FleetResult<PushReceipt>) + Send + 'static,
    ) -> FleetResult<()> {
        self.queue
            .try_send((report, Box::new(answer)))
            .map_err(|error| {
                FleetError::Unavailable(match error {
                    TrySendError::Full(_) => format!("{WAITING} pushes are waiting"),
                    TrySendError::Disconnected(_) => "the writer has ended".to_owned(),
                })
            })
    }

    /// Judges a push, keeps it, and waits until it is on the disk.
    ///
    /// # Errors
    /// [`FleetError::Refused`] for what would fail again, [`FleetError::Unavailable`] for what may work later.
    pub fn take(&self, push: &[u8], pushed_by: &str) -> FleetResult<PushReceipt> {
        let (answer, answered) = mpsc::sync_channel(1);
        self.submit(self.judged(push, pushed_by)?, move |receipt| {
            // Who no longer waits will push again, and it will be a duplicate.
            let _ = answer.send(receipt);
        })?;
        let ended = |_| FleetError::Unavailable("the writer has ended".to_owned());
        answered.recv().map_err(ended)?
    }

    /// Reads and judges a push.
    ///
    /// # Errors
    /// [`FleetError::Refused`], with what is wrong.
    pub fn judged(&self, push: &[u8], pushed_by: &str) -> FleetResult<NewReport> {
        let envelope = PushEnvelope::decode(push)?;
        let rates = envelope.profile.as_deref().map(IoRates::read).transpose()?;
        // A reader that panics is a fault of ours, and no reason to lose the pushes of others.
        let document = catch_unwind(AssertUnwindSafe(|| (self.judge)(&envelope.capture)));
        let document = document
            .map_err(|_| FleetError::Refused("the judge has failed on this capture".to_owned()))?
            .map_err(|why| FleetError::Refused(format!("no capture: {why}")))?;
        if document.len() > MOST_DOCUMENT {
            return Err(FleetError::Refused(
                "its report is larger than 64 MiB".to_owned(),
            ));
        }
        let judged = judged::read(document, rates.as_ref())?;
        Ok(NewReport {
            content_hash: hash::of(push),
            capture_hash: hash::of_parts(&[judged.tool.as_bytes(), &envelope.capture]),
            host_id: envelope.host_id,
            host: envelope.host,
            taken_at: envelope.taken_at_seconds,
            received_at: now(),
            pushed_by: pushed_by.to_owned(),
            judged,
        })
    }
}

/// Seconds since 1970.
pub fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| {
        i64::try_from(since.as_secs()).unwrap_or(i64::MAX)
    })
}

/// The present day, `YYYY-MM-DD`; the first of 1970 where the clock stands before that.
pub fn today() -> String {
    Day::at(u64::try_from(now()).unwrap_or_default()).to_string()
}

fn write(mut store: FleetStore, waiting: &Receiver<(NewReport, PushAnswer)>) {
    while let Ok(first) = waiting.recv() {
        let mut batch = vec![first];
        batch.extend(waiting.try_iter().take(TOGETHER - 1));
        let today = today();
        let reports: Vec<&NewReport> = batch.iter().map(|(report, _)| report).collect();
        let added = store.add(&reports, &today);
        let is_alone = batch.len() == 1;
        for (index, (report, answer)) in batch.into_iter().enumerate() {
            let added = match &added {
                Ok(added) => added.get(index).copied().ok_or_else(lost),
                Err(error) if is_alone => Err(error.clone()),
                // One of them may be at fault: each alone.
                Err(_) => alone(&mut store, &report, &today),
            };
            answer(added.map(receipt));
        }
    }
}

fn receipt(added: AddedReport) -> PushReceipt {
    PushReceipt {
        schema: "ioalign.receipt/1",
        report: added.report,
        duplicate: added.is_duplicate,
    }
}

fn alone(store: &mut FleetStore, report: &NewReport, today: &str) -> FleetResult<AddedReport> {
    store
        .add(&[report], today)?
        .first()
        .copied()
        .ok_or_else(lost)
}

fn lost() -> FleetError {
    FleetError::Unavailable("the store gave no answer for a report".to_owned())
}
