//! The end of the last partition: brought to the end of a disk that has grown, or cut off where no layout
//! has room.
//!
//! A partition is a line in a table and can have any length. Its content has its own length, and only its own
//! tool can change that: after a partition has grown the plan names the tool, before one is shortened the
//! tool is run.

mod extent;
mod grow;
mod shrink;
mod tool;

pub use extent::extent;
pub use grow::{Growth, commands, grown};
pub(crate) use shrink::first_that_works;
pub use shrink::{Shrink, cut, shortened, shrink};
pub use tool::run;
