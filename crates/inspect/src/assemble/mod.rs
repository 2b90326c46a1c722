//! Puts what the readers found together into one stack.

pub mod md;
