//! Server-sent events: the last second, every second, to whoever listens.

use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};

use crate::refusal::Refusal;

/// Listeners at one time: each keeps a connection.
const LISTENERS: usize = 64;

/// The places of listeners.
#[derive(Clone)]
pub(crate) struct EventPlaces(Arc<Semaphore>);

impl Default for EventPlaces {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(LISTENERS)))
    }
}

struct Listener {
    live: watch::Receiver<Bytes>,
    /// Given back with the listener.
    _place: OwnedSemaphorePermit,
}

impl EventPlaces {
    /// A stream: what is there at once, then every new one. A listener that is slow misses some, and makes nobody wait.
    pub(crate) fn listen(&self, mut live: watch::Receiver<Bytes>) -> Response {
        let Ok(place) = Arc::clone(&self.0).try_acquire_owned() else {
            let why = format!("{LISTENERS} listen already");
            return Refusal::new(StatusCode::SERVICE_UNAVAILABLE, why).into_response();
        };
        live.mark_changed();
        let listener = Listener {
            live,
            _place: place,
        };
        let events = stream::unfold(listener, |mut listener| async {
            loop {
                listener.live.changed().await.ok()?;
                let event = listener.live.borrow_and_update().clone();
                if !event.is_empty() {
                    return Some((Ok::<_, std::convert::Infallible>(event), listener));
                }
            }
        });
        let kind = [(header::CONTENT_TYPE, "text/event-stream")];
        (kind, Body::from_stream(events)).into_response()
    }
}
