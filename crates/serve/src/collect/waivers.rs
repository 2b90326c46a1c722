//! Waivers: read by all, made and taken back by agents that may.

use std::sync::Arc;

use axum::Json;
use axum::extract::rejection::JsonRejection;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use ioalign_fleet::store::NewWaiver;
use ioalign_fleet::{AgentRight, collector};

use super::answers::{asked, json};
use super::server::FleetServer;
use crate::refusal::Refusal;

/// All waivers.
pub(super) async fn list(State(server): State<Arc<FleetServer>>) -> Response {
    json(server, "waivers", ioalign_fleet::FleetStore::waivers).await
}

/// Makes one; its owner is the agent whose token it is.
pub(super) async fn make(
    State(server): State<Arc<FleetServer>>,
    headers: HeaderMap,
    waiver: Result<Json<NewWaiver>, JsonRejection>,
) -> Response {
    let owner = match server.agent(&headers, AgentRight::Waive) {
        Ok(owner) => owner,
        Err(refusal) => return *refusal,
    };
    let Json(waiver) = match waiver {
        Ok(waiver) => waiver,
        Err(error) => {
            return Refusal::new(StatusCode::BAD_REQUEST, error.body_text()).into_response();
        }
    };
    json(server, "waiver", move |store| {
        store.waive(&waiver, &owner, (collector::now(), &collector::today()))
    })
    .await
}

/// Takes one back.
pub(super) async fn take_back(
    State(server): State<Arc<FleetServer>>,
    headers: HeaderMap,
    Path(waiver): Path<i64>,
) -> Response {
    if let Err(refusal) = server.agent(&headers, AgentRight::Waive) {
        return *refusal;
    }
    let gone = asked(&server, move |store| {
        store.unwaive(waiver, &collector::today())
    })
    .await;
    match gone {
        Ok(true) => StatusCode::NO_CONTENT.into_response(),
        Ok(false) => Refusal::new(StatusCode::NOT_FOUND, "there is no such waiver").into_response(),
        Err(refusal) => refusal,
    }
}
