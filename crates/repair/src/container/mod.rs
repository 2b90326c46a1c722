//! Images as disks: what a guest would see of them, read and written.
//!
//! Reading is `ioalign-inspect`'s: it knows every kind and chain. Here is what it takes to write: in place so
//! that a crash loses nothing that was flushed and harms nothing else (`blocks`), and as new images.

mod blocks;
mod copy;
mod create;
mod fields;
mod file_copy;
mod open;
mod pieces;
mod qcow2;
mod reading;
mod refusal;
mod sound;
mod store;
mod vdi;
mod vhd;
mod vhdx;
mod vmdk;

pub use copy::{holds_view, write_new, write_new_with, write_view};
pub use create::{create, create_in, create_store};
pub use file_copy::{copied_file, file_as_disk, source_as_disk};
pub use ioalign_core::layer::detail::ImageFormat;
pub use open::{open, open_source, open_store};
pub use store::Store;
