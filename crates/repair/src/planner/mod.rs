//! Where every layer should start, from what is wanted, by arithmetic over all grids, with the proof.

pub mod array;
pub mod solve;

pub use array::{Array, Level, Maker};
pub use solve::{Constraint, GivenUp, Solution, solve};
