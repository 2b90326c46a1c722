//! The routes of one machine.

use std::sync::Arc;

use axum::Router;
use axum::extract::State;
use axum::response::Response;
use axum::routing::get;

use crate::board::Board;

/// The routes of one machine, whose figures are on the board.
pub fn routes(board: Arc<Board>) -> Router {
    Router::new()
        .route("/api/v1/stack", get(stack))
        .with_state(board)
}

async fn stack(State(board): State<Arc<Board>>) -> Response {
    board.stack()
}
