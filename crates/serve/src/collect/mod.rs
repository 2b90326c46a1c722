//! The routes of a fleet: pushes in, answers out.
//!
//! A push shows the token of its agent; everything else asks for the token of the server, as the pages of one machine do.
//! The database is asked in threads of its own.

mod answers;
mod counts;
mod push;
mod readers;
mod server;
mod waivers;

use std::sync::Arc;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::routing::{delete, get, post};
use ioalign_fleet::envelope::MOST_BYTES;

use crate::pages;

pub use server::{FleetLog, FleetServer};

/// The routes that ask for the token of the server.
pub fn routes(server: Arc<FleetServer>) -> Router {
    let api = Router::new()
        .route("/metrics", get(answers::metrics))
        .route("/api/v1/fleet/overview", get(answers::overview))
        .route("/api/v1/fleet/worst", get(answers::worst))
        .route("/api/v1/fleet/rules", get(answers::rules))
        .route("/api/v1/fleet/models", get(answers::models))
        .route("/api/v1/fleet/ages", get(answers::ages))
        .route("/api/v1/fleet/busy", get(answers::busy))
        .route("/api/v1/fleet/gains", get(answers::gains))
        .route("/api/v1/fleet/claims", get(answers::claims))
        .route("/api/v1/fleet/changes", get(answers::changes))
        .route("/api/v1/fleet/search", get(answers::search))
        .route("/api/v1/fleet/hosts/{host}", get(answers::host))
        .route("/api/v1/fleet/compare", get(answers::compare))
        .route("/api/v1/fleet/reports/{report}", get(answers::report))
        .route("/api/v1/fleet/export/{file}", get(answers::export))
        .route("/api/v1/fleet/waivers", get(waivers::list))
        .with_state(server);
    api.merge(pages::fleet())
}

/// The routes that ask for the token of an agent.
pub fn agent_routes(server: Arc<FleetServer>) -> Router {
    let push = post(push::push).layer(DefaultBodyLimit::max(MOST_BYTES));
    Router::new()
        .route("/api/v1/push", push)
        .route("/api/v1/fleet/waivers", post(waivers::make))
        .route("/api/v1/fleet/waivers/{waiver}", delete(waivers::take_back))
        .with_state(server)
}
