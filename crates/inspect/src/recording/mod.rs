//! A host frozen into a bundle: exactly what `check` reads of it, without its secrets.
//!
//! The host is read as always, on a [`crate::host::Root`] that writes down every answer it gives. What
//! was answered becomes a tree ([`Frozen`]), is cleared of secrets ([`blank`]), read once more from memory and compared
//! with the live reading ([`replay`]), and written as a tarball ([`tar`]).

pub mod blank;
pub mod capture;
mod frozen;
mod manifest;
pub mod replay;
pub mod sectors;
pub mod tar;
pub mod unread;

pub use capture::{CaptureBundle, CaptureRequest, capture};
pub use frozen::{Frozen, FrozenEntry};
pub use sectors::SectorCopy;
pub use unread::{UNREAD, Unreadable};
