//! What is shown, as those who watch the machine last published it.
//!
//! A document is made once and handed out as it is: an answer costs a copy of a pointer, however many ask.

use std::sync::{PoisonError, RwLock};

use axum::body::Bytes;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};

use crate::refusal::Refusal;

const JSON: &str = "application/json";

/// A document, or why there is none.
pub(crate) type Document = Result<Bytes, String>;

/// The documents of one machine.
pub struct Board {
    stack: RwLock<Document>,
}

impl Board {
    /// Nothing is known yet.
    pub fn new() -> Self {
        Self {
            stack: RwLock::new(Err("the first check is under way".to_owned())),
        }
    }

    /// The document of `check --json` on this machine, or why there is none.
    pub fn set_stack(&self, document: Result<String, String>) {
        set(&self.stack, document.map(Bytes::from));
    }

    pub(crate) fn stack(&self) -> Response {
        shown(read(&self.stack))
    }
}

impl Default for Board {
    fn default() -> Self {
        Self::new()
    }
}

fn set(lock: &RwLock<Document>, document: Document) {
    *lock.write().unwrap_or_else(PoisonError::into_inner) = document;
}

fn read(lock: &RwLock<Document>) -> Document {
    lock.read().unwrap_or_else(PoisonError::into_inner).clone()
}

/// The document as JSON, or 503 with the reason.
fn shown(document: Document) -> Response {
    match document {
        Ok(body) => ([(header::CONTENT_TYPE, JSON)], body).into_response(),
        Err(why) => Refusal::new(StatusCode::SERVICE_UNAVAILABLE, why).into_response(),
    }
}
