//! Names of images that `fix` is to write.

pub use ioalign_check::image_name::{beside, on_the_grid};
