//! The model against counts made in another way, against measured arrays, and against closed forms.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic)]

mod geometry;
mod lab;
mod system;
mod twin;
