//! The reports of a folder: a list, the documents, and their views for people.

use axum::extract::{Path, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;

use crate::answers::{ReportView, ServedReports};
use crate::host::HostRoutes;
use crate::refusal::Refusal;

/// Of a page that `report` has made: it has its style in it, and neither scripts nor anything from elsewhere.
const PAGE_POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox; base-uri 'none'; \
                           form-action 'none'; frame-ancestors 'none'";

/// The list.
#[derive(Serialize)]
struct ReportList {
    schema: &'static str,
    /// Whether a folder is served at all.
    served: bool,
    #[serde(flatten)]
    found: ServedReports,
}

/// All reports, newest first.
pub(crate) async fn list(State(state): State<HostRoutes>) -> Response {
    blocking(move || {
        let found = state.answers.reports();
        let list = ReportList {
            schema: "ioalign.reports/1",
            served: found.is_some(),
            found: found.unwrap_or_default(),
        };
        axum::Json(list).into_response()
    })
    .await
}

/// The document of one.
pub(crate) async fn document(
    State(state): State<HostRoutes>,
    Path(name): Path<String>,
) -> Response {
    blocking(move || match state.answers.report(&name) {
        Some(text) => ([(header::CONTENT_TYPE, "application/json")], text).into_response(),
        None => absent(),
    })
    .await
}

/// One for people.
pub(crate) async fn view(State(state): State<HostRoutes>, Path(name): Path<String>) -> Response {
    blocking(move || match state.answers.report_view(&name) {
        Some(ReportView::Page(page)) => {
            let policy = HeaderValue::from_static(PAGE_POLICY);
            let head = [(header::CONTENT_SECURITY_POLICY, policy)];
            (head, axum::response::Html(page)).into_response()
        }
        Some(ReportView::Text(text)) => text.into_response(),
        None => absent(),
    })
    .await
}

async fn blocking(work: impl FnOnce() -> Response + Send + 'static) -> Response {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|_| {
        let why = "the report cannot be shown: this is a bug";
        Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, why).into_response()
    })
}

fn absent() -> Response {
    Refusal::new(StatusCode::NOT_FOUND, "there is no such report").into_response()
}
