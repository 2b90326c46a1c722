//! Loads: what is sent is what the workload says.

mod counts;
mod places;
