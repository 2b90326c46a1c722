//! Where a device's addresses lie, and the grids that they are judged by.

use std::sync::Arc;

use super::below::Route;
use super::placed::PlacedGrid;

/// What is known about a device before its I/O is counted.
#[derive(Clone, Debug, Default)]
pub struct DevicePlacement {
    /// Its layer in the stack.
    pub layer: Option<String>,
    /// The size of the layer, if the stack knows it.
    pub bytes: Option<u64>,
    /// Bytes added to every offset.
    pub shift: i64,
    /// Grids that offsets are judged by directly.
    pub grids: Vec<PlacedGrid>,
    /// The route to layers where an I/O is split, with their grids.
    pub route: Option<Arc<Route>>,
}
