//! The end of the last partition: brought to the end of a disk that has grown, or cut off where no layout
//! has room.
//!
//! A partition is a line in a table and can have any length. What is in it has one of its own, and only its
//! own tool can change that: after a partition has grown its tool is told, before one is cut its tool is run.

mod extent;
mod grow;
mod shrink;
mod tool;

pub use extent::extent;
pub use grow::{Growth, commands, grown};
pub(crate) use shrink::first_that_works;
pub use shrink::{Shrink, cut, shortened, shrink};
pub use tool::run;
