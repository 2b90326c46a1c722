//! Answers that refuse: a status, and one sentence as JSON.

use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};

/// A request that is not answered, and why.
#[derive(Clone, Debug)]
pub struct Refusal {
    status: StatusCode,
    why: String,
}

impl Refusal {
    /// A status, and one sentence.
    pub fn new(status: StatusCode, why: impl Into<String>) -> Self {
        Self {
            status,
            why: why.into(),
        }
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let body = serde_json::json!({ "error": self.why }).to_string();
        let kind = [(header::CONTENT_TYPE, "application/json")];
        (self.status, kind, body + "\n").into_response()
    }
}
