//! `check` of bytes that a client sends: an image, a bundle, a pasted text. They stay in memory, and go with the answer.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::{Query, Request, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use tokio::sync::Semaphore;

use crate::body;
use crate::host::HostRoutes;
use crate::refusal::Refusal;

/// Bytes that are judged.
pub(crate) const MOST: usize = 64 << 20;
/// Checks at one time, each with its bytes.
const CHECKS: usize = 2;
/// Of a name that is shown.
const LONGEST_NAME: usize = 200;

/// The places of checks.
#[derive(Clone)]
pub(crate) struct CheckPlaces(Arc<Semaphore>);

impl Default for CheckPlaces {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(CHECKS)))
    }
}

#[derive(Deserialize)]
pub(crate) struct CheckQuery {
    /// The name of the file, to be shown.
    name: Option<String>,
}

/// The document of `check` on the body.
pub(crate) async fn check(
    State(state): State<HostRoutes>,
    Query(query): Query<CheckQuery>,
    request: Request,
) -> Response {
    if body::is_said_longer(request.headers(), MOST) {
        return too_large().into_response();
    }
    let Ok(place) = Arc::clone(&state.checks.0).try_acquire_owned() else {
        let why = format!("{CHECKS} checks are under way: try again in a moment");
        return Refusal::new(StatusCode::SERVICE_UNAVAILABLE, why).into_response();
    };
    let Some(bytes) = body::whole(request.into_body(), MOST).await else {
        return too_large().into_response();
    };
    let name: String = query.name.unwrap_or_default();
    let name: String = name.chars().take(LONGEST_NAME).collect();
    let work = move || {
        // Given back when the check has ended, also if nobody waits for it any more.
        let _place = place;
        judged(&state, &name, &bytes)
    };
    match tokio::task::spawn_blocking(work).await {
        Ok(answer) => answer,
        Err(_) => Refusal::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            "the check failed: this is a bug, which these bytes show",
        )
        .into_response(),
    }
}

fn judged(state: &HostRoutes, name: &str, bytes: &Bytes) -> Response {
    let name = if name.is_empty() { "pasted" } else { name };
    if bytes.is_empty() {
        return Refusal::new(StatusCode::BAD_REQUEST, "there are no bytes to check")
            .into_response();
    }
    match state.answers.check(name, bytes) {
        Ok(document) => ([(header::CONTENT_TYPE, "application/json")], document).into_response(),
        Err(why) => Refusal::new(StatusCode::UNPROCESSABLE_ENTITY, why).into_response(),
    }
}

fn too_large() -> Refusal {
    Refusal::new(
        StatusCode::PAYLOAD_TOO_LARGE,
        format!(
            "{} MiB at most: `ioalign check FILE` reads larger ones",
            MOST >> 20
        ),
    )
}
