//! From bytes to user units: one scale for all rows, so that places below each other are the same.

use ioalign_core::units::ratio;

use super::scene::{Cells, Scene, SceneRow};

/// Left and right end of every ruler.
pub const X0: f64 = 20.0;
pub const X1: f64 = 620.0;

/// Cells narrower than this are not drawn.
const FINEST: f64 = 5.0;

/// Places on the rulers.
pub struct RulerScale {
    left: u64,
    span: u64,
}

impl RulerScale {
    pub fn of(scene: &Scene<'_>) -> Self {
        Self {
            left: scene.left,
            span: scene.span().max(1),
        }
    }

    /// The width of this many bytes.
    pub fn wide(&self, bytes: u64) -> f64 {
        ratio(bytes, self.span) * (X1 - X0)
    }

    /// The start of the request.
    pub fn start(&self) -> f64 {
        X0 + self.wide(self.left)
    }

    /// The position of an address of `row`, within the ruler.
    pub fn x(&self, row: &SceneRow<'_>, address: u64) -> f64 {
        let x = if address >= row.at {
            self.start() + self.wide(address - row.at)
        } else {
            self.start() - self.wide(row.at - address)
        };
        x.clamp(X0, X1)
    }

    /// The part of the layer that is in view: it may begin or end on the ruler.
    pub fn extent(&self, row: &SceneRow<'_>, size: Option<u64>) -> (u64, u64) {
        let from = row.at.saturating_sub(self.left);
        let to = row.at.saturating_add(self.span - self.left);
        (from, size.map_or(to, |size| to.min(size.max(row.at))))
    }

    /// Whether blocks of this size can be distinguished.
    pub fn drawable(&self, size: u64) -> bool {
        self.wide(size) >= FINEST
    }

    /// The boundaries of `cells` in `[from, to]`.
    pub fn boundaries(&self, cells: Cells<'_>, (from, to): (u64, u64)) -> Vec<u64> {
        if !self.drawable(cells.size) {
            return Vec::new();
        }
        let first = match cells.offset(from) {
            0 => Some(from),
            past => from.checked_add(cells.size - past),
        };
        std::iter::successors(first, |at| at.checked_add(cells.size))
            .take_while(|at| *at <= to)
            .collect()
    }
}
