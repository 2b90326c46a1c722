//! Bodies of requests, with a limit.

use axum::body::{Body, Bytes, to_bytes};
use axum::http::{HeaderMap, header};

/// Whether the header says that the body is longer than this: then none of it need be read.
pub(crate) fn is_said_longer(headers: &HeaderMap, most: usize) -> bool {
    let length = headers.get(header::CONTENT_LENGTH);
    let length = length.and_then(|value| value.to_str().ok()?.parse::<usize>().ok());
    length.is_some_and(|length| length > most)
}

/// All of a body; `None`: it is longer than `most`, or ended early.
pub(crate) async fn whole(body: Body, most: usize) -> Option<Bytes> {
    to_bytes(body, most).await.ok()
}
