//! Support bundles in memory: a folder's worth of small files, read from a tarball and never unpacked.
//!
//! Nothing of a bundle is ever written to a disk, so no name in it can lead anywhere: [`Tree`] is all
//! there is, its links are resolved inside it, and what it holds is bounded.

mod content;
pub mod tree;

pub use content::{Content, ContentSource};
pub use tree::Tree;
