//! A push: received, judged, and acknowledged when it is on the disk.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use axum::Json;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use ioalign_fleet::envelope::MOST_BYTES;
use ioalign_fleet::{AgentRight, FleetError, FleetResult, PushReceipt};
use tokio::sync::oneshot;

use super::counts::count;
use super::server::{FleetServer, later};
use crate::body;
use crate::refusal::Refusal;

/// Takes a push.
pub(super) async fn push(State(server): State<Arc<FleetServer>>, request: Request) -> Response {
    let agent = match server.agent(request.headers(), AgentRight::Push) {
        Ok(agent) => agent,
        Err(refusal) => return *refusal,
    };
    if body::is_said_longer(request.headers(), MOST_BYTES) {
        return too_large();
    }
    let Ok(place) = Arc::clone(&server.places).try_acquire_owned() else {
        count(&server.counts.unavailable);
        return later("too many pushes at one time");
    };
    let Some(bytes) = body::whole(request.into_body(), MOST_BYTES).await else {
        return too_large();
    };
    server
        .counts
        .bytes
        .fetch_add(bytes.len() as u64, Ordering::Relaxed);
    let own = Arc::clone(&server);
    let judged = tokio::task::spawn_blocking(move || {
        let report = own.collector.judged(&bytes, &agent);
        // Given back when the judge has ended, also if nobody waits for it any more.
        drop(place);
        report
    });
    let failed = |_| FleetError::Refused("the judge has failed on this capture".to_owned());
    let answered = match judged.await.map_err(failed).and_then(|report| report) {
        Ok(report) => {
            let (answer, answered) = oneshot::channel();
            let submitted = server.collector.submit(report, move |receipt| {
                // Who no longer waits will push again, and it will be a duplicate.
                let _ = answer.send(receipt);
            });
            let ended = |_| FleetError::Unavailable("the writer has ended".to_owned());
            match submitted {
                Ok(()) => answered.await.map_err(ended).and_then(|receipt| receipt),
                Err(error) => Err(error),
            }
        }
        Err(error) => Err(error),
    };
    answer(&server, answered)
}

fn answer(server: &FleetServer, answered: FleetResult<PushReceipt>) -> Response {
    let counts = &server.counts;
    match answered {
        Ok(receipt) => {
            count(if receipt.duplicate {
                &counts.duplicates
            } else {
                &counts.acknowledged
            });
            Json(receipt).into_response()
        }
        Err(error) => {
            count(match error {
                FleetError::Refused(_) => &counts.refused,
                _ => &counts.unavailable,
            });
            server.refusal(&error)
        }
    }
}

fn too_large() -> Response {
    Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, "a push has 16 MiB at most").into_response()
}
