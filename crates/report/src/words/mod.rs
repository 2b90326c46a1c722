//! The words and numbers that all renderers share.

pub mod clean;
pub mod counted;
pub mod discards;
pub mod ended;
pub mod facts;
pub mod headline;
pub mod kinds;
pub mod place;
pub mod reason;
pub mod remedy;
pub mod rmw;
pub mod sentence;
pub use ioalign_core::{numbers, time};

pub use clean::{clean, shorten_middle};
