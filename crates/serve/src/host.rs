//! The routes of one machine.

use std::sync::Arc;

use axum::Router;
use axum::extract::{Path, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, get, post};

use crate::answers::HostAnswers;
use crate::board::Board;
use crate::check::{self, CheckPlaces};
use crate::events::EventPlaces;
use crate::{pages, reports};

/// The description of the API.
const OPENAPI: &str = include_str!("../openapi.json");

/// What the routes have in common.
#[derive(Clone)]
pub(crate) struct HostRoutes {
    board: Arc<Board>,
    pub(crate) answers: Arc<dyn HostAnswers>,
    listeners: EventPlaces,
    pub(crate) checks: CheckPlaces,
}

/// The routes of one machine, whose figures are on the board: pages, API and metrics.
pub fn routes(board: Arc<Board>, answers: Arc<dyn HostAnswers>) -> Router {
    let state = HostRoutes {
        board,
        answers,
        listeners: EventPlaces::default(),
        checks: CheckPlaces::default(),
    };
    let api = table().into_iter();
    let api = api.fold(Router::new(), |all, (path, route)| all.route(path, route));
    api.with_state(state).merge(pages::machine())
}

/// The paths of the API and of the metrics, as `openapi.json` has them.
pub fn paths() -> Vec<&'static str> {
    table().into_iter().map(|(path, _)| path).collect()
}

fn table() -> Vec<(&'static str, MethodRouter<HostRoutes>)> {
    vec![
        ("/metrics", get(metrics)),
        ("/api/openapi.json", get(openapi)),
        ("/api/v1/stack", get(stack)),
        ("/api/v1/profile", get(profile)),
        ("/api/v1/devices/{name}/profile", get(device)),
        ("/api/v1/devices/{name}/history", get(history)),
        ("/api/v1/events", get(events)),
        ("/api/v1/check", post(check::check)),
        ("/api/v1/reports", get(reports::list)),
        ("/api/v1/reports/{name}", get(reports::document)),
        ("/api/v1/reports/{name}/view", get(reports::view)),
    ]
}

async fn openapi() -> Response {
    ([(header::CONTENT_TYPE, "application/json")], OPENAPI).into_response()
}

async fn metrics(State(state): State<HostRoutes>) -> Response {
    state.board.metrics()
}

async fn stack(State(state): State<HostRoutes>) -> Response {
    state.board.stack()
}

async fn profile(State(state): State<HostRoutes>) -> Response {
    state.board.profile()
}

async fn device(State(state): State<HostRoutes>, Path(name): Path<String>) -> Response {
    state.board.device(&name)
}

async fn history(State(state): State<HostRoutes>, Path(name): Path<String>) -> Response {
    state.board.history(&name)
}

async fn events(State(state): State<HostRoutes>) -> Response {
    state.listeners.listen(state.board.live())
}
