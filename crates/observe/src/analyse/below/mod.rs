//! Layers below the traced device: where an I/O arrives on each, through the maps of a stack.
//!
//! A chain of shifts needs no work: the grids move to the device instead. Only where a map deals one I/O
//! out over several places (stripes, extents, image files) each I/O is followed, piece by piece.

mod place;
mod route;

pub use place::StackIndex;
pub use route::Route;
