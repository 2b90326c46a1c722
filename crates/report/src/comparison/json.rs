//! `ioalign.comparison/1`: the comparison itself, with nothing in it that could act on a terminal.

use ioalign_core::comparison::Comparison;

/// The document, with a line end.
pub fn render(comparison: &Comparison) -> String {
    crate::json::pretty(comparison)
}
