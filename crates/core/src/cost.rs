//! What being off a grid costs, counted exactly over one period.

use serde::Serialize;

use crate::units::Bytes;

/// Cost of I/O of one size against one grid.
#[derive(Copy, Clone, Debug, PartialEq, Serialize)]
pub struct CostRow {
    /// Size of each I/O.
    #[serde(rename = "io_bytes")]
    pub io: Bytes,
    /// Share of I/Os that would fit in one cell but touch two.
    pub straddle_ratio: f64,
    /// Cells touched over the fewest possible: 2.0 means twice the requests below.
    pub cells_ratio: f64,
    /// Cells written in part, an I/O: each is a read-modify-write on an `rmw` grid.
    pub rmw_ratio: f64,
}
