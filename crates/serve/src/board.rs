//! What is shown, as those who watch the machine last published it.
//!
//! A document is made once and handed out as it is: an answer costs a copy of a pointer, however many ask.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError, RwLock};

use axum::body::Bytes;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use tokio::sync::watch;

use crate::history::LiveHistory;
use crate::live::{self, LiveMoment};
use crate::refusal::Refusal;

const JSON: &str = "application/json";
/// The media type of the Prometheus text format.
const METRICS: &str = "text/plain; version=0.0.4; charset=utf-8";

/// A document, or why there is none.
pub(crate) type Document = Result<Bytes, String>;

/// The documents of one machine.
pub struct Board {
    stack: RwLock<Document>,
    profile: RwLock<Document>,
    /// A profile for each device with I/O.
    devices: RwLock<BTreeMap<String, Bytes>>,
    metrics: RwLock<MetricsParts>,
    history: Mutex<LiveHistory>,
    /// The last second, as an event.
    live: watch::Sender<Bytes>,
}

/// The metrics come from two sources, and are joined when one of them changes.
#[derive(Default)]
struct MetricsParts {
    check: String,
    watch: String,
    whole: Bytes,
}

impl Board {
    /// Nothing is known yet.
    pub fn new() -> Self {
        let nothing = |why: &str| RwLock::new(Err(why.to_owned()));
        Self {
            stack: nothing("the first check is under way"),
            profile: nothing("nothing was counted yet"),
            devices: RwLock::default(),
            metrics: RwLock::default(),
            history: Mutex::default(),
            live: watch::Sender::new(Bytes::new()),
        }
    }

    /// The document of `check --json` on this machine, or why there is none.
    pub fn set_stack(&self, document: Result<String, String>) {
        set(&self.stack, document.map(Bytes::from));
    }

    /// The profile since the watch began, whole and for each device, or why there is none.
    pub fn set_profile(&self, document: Result<String, String>, devices: BTreeMap<String, String>) {
        set(&self.profile, document.map(Bytes::from));
        let devices = devices.into_iter();
        let devices = devices.map(|(name, document)| (name, Bytes::from(document)));
        *write(&self.devices) = devices.collect();
    }

    /// The metrics of `check`.
    pub fn set_check_metrics(&self, text: String) {
        self.join(|parts| parts.check = text);
    }

    /// The metrics of the watch.
    pub fn set_watch_metrics(&self, text: String) {
        self.join(|parts| parts.watch = text);
    }

    fn join(&self, change: impl FnOnce(&mut MetricsParts)) {
        let mut parts = write(&self.metrics);
        change(&mut parts);
        parts.whole = Bytes::from([parts.check.as_str(), parts.watch.as_str()].concat());
    }

    /// What happened since the last time: to be called every second.
    pub fn publish(&self, moment: &LiveMoment) {
        let document = live::document(moment);
        let mut history = self.history.lock().unwrap_or_else(PoisonError::into_inner);
        history.add(&document);
        drop(history);
        self.live.send_replace(live::event(&document));
    }

    pub(crate) fn stack(&self) -> Response {
        shown(read(&self.stack))
    }

    pub(crate) fn profile(&self) -> Response {
        shown(read(&self.profile))
    }

    /// Of one device: an empty object where it had no I/O, or none is counted.
    pub(crate) fn device(&self, name: &str) -> Response {
        let devices = self.devices.read().unwrap_or_else(PoisonError::into_inner);
        let found = devices.get(name).cloned();
        shown(Ok(found.unwrap_or(Bytes::from_static(b"{}"))))
    }

    pub(crate) fn metrics(&self) -> Response {
        let parts = self.metrics.read().unwrap_or_else(PoisonError::into_inner);
        ([(header::CONTENT_TYPE, METRICS)], parts.whole.clone()).into_response()
    }

    /// The last minutes of one device.
    pub(crate) fn history(&self, name: &str) -> Response {
        let history = self.history.lock().unwrap_or_else(PoisonError::into_inner);
        let document = history.document(name);
        drop(history);
        shown(Ok(Bytes::from(document)))
    }

    pub(crate) fn live(&self) -> watch::Receiver<Bytes> {
        self.live.subscribe()
    }
}

impl Default for Board {
    fn default() -> Self {
        Self::new()
    }
}

fn write<T>(lock: &RwLock<T>) -> std::sync::RwLockWriteGuard<'_, T> {
    lock.write().unwrap_or_else(PoisonError::into_inner)
}

fn set(lock: &RwLock<Document>, document: Document) {
    *write(lock) = document;
}

fn read(lock: &RwLock<Document>) -> Document {
    lock.read().unwrap_or_else(PoisonError::into_inner).clone()
}

/// The document as JSON, or 503 with the reason.
fn shown(document: Document) -> Response {
    match document {
        Ok(body) => ([(header::CONTENT_TYPE, JSON)], body).into_response(),
        Err(why) => Refusal::new(StatusCode::SERVICE_UNAVAILABLE, why).into_response(),
    }
}
