//! The data of the figures: cells in columns and series.

use std::collections::BTreeSet;

use ioalign_core::Bytes;
use ioalign_core::comparison::{Arm, Cell, Comparison, EstimateVerdict};

use super::quantity::Quantity;
use crate::comparison::words;

/// More columns than this cannot be distinguished.
const MOST_COLUMNS: usize = 16;

/// One arm at one load, by block size; or all arms at the only block size.
pub struct FigureView<'a> {
    pub comparison: &'a Comparison,
    pub quantity: Quantity,
    load: (u32, u32),
    /// `None`: the columns are arms.
    pub arm: Option<&'a Arm>,
    sizes: Vec<u64>,
}

/// A place on the horizontal axis.
pub struct FigureColumn<'a> {
    /// One below the other.
    pub label: [String; 2],
    block_bytes: u64,
    arm: &'a Arm,
}

/// An operation and order of I/O.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FigureSeries {
    pub op: String,
    pub pattern: String,
}

/// The gain of alignment in one cell.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Gain {
    /// The gain between the ends of its interval; `None` where there is no number to show.
    pub value: Option<[f64; 3]>,
    pub verdict: EstimateVerdict,
}

/// The level in one cell.
#[derive(Copy, Clone, Debug, PartialEq)]
pub enum Reached {
    Number(f64),
    /// The cell is invalid.
    Invalid,
}

impl<'a> FigureView<'a> {
    /// A view a load and arm.
    pub fn all(comparison: &'a Comparison) -> Vec<Self> {
        let cells = &comparison.cells;
        let loads: BTreeSet<_> = cells.iter().map(load).collect();
        let views = loads
            .into_iter()
            .flat_map(|of| Self::of_load(comparison, of));
        views.collect()
    }

    fn of_load(comparison: &'a Comparison, load_of: (u32, u32)) -> Vec<Self> {
        let cells = comparison.cells.iter();
        let of_load = cells.filter(|cell| load(cell) == load_of);
        let sizes: BTreeSet<_> = of_load.map(|cell| cell.block_bytes).collect();
        let view = |arm| Self {
            comparison,
            quantity: Quantity::of(comparison),
            load: load_of,
            arm,
            sizes: sizes.iter().copied().take(MOST_COLUMNS).collect(),
        };
        let others = comparison.arms.iter().skip(1);
        if sizes.len() == 1 && others.len() > 1 {
            vec![view(None)]
        } else {
            others.map(|arm| view(Some(arm))).collect()
        }
    }

    pub fn baseline(&self) -> Option<&'a Arm> {
        self.comparison.arms.first()
    }

    /// `aligned against +512, 16 in flight`.
    pub fn heading(&self) -> String {
        let load = words::load(self.load.0, self.load.1);
        match (self.arm, self.baseline()) {
            (Some(arm), Some(baseline)) => {
                format!("{} against {}, {load}", baseline.name, arm.name)
            }
            _ => load,
        }
    }

    /// Reads first, then writes, then mixes.
    pub fn ops(&self) -> Vec<String> {
        let mut ops: Vec<_> = self.series(None).into_iter().map(|one| one.op).collect();
        ops.dedup();
        ops
    }

    /// The series of an operation, or of all.
    pub fn series(&self, op: Option<&str>) -> Vec<FigureSeries> {
        let cells = self.cells();
        let cells = cells.filter(|cell| op.is_none_or(|op| cell.op == op));
        let all: BTreeSet<_> = cells
            .map(|cell| FigureSeries {
                op: cell.op.clone(),
                pattern: cell.pattern.clone(),
            })
            .collect();
        let mut all: Vec<_> = all.into_iter().collect();
        all.sort_by_key(|one| match one.op.as_str() {
            "read" => 0,
            "write" => 1,
            _ => 2,
        });
        all
    }

    /// The columns of this arm, or of the view's; where arms are columns, the baseline on request.
    pub fn columns(&self, arm: Option<&'a Arm>, baseline: bool) -> Vec<FigureColumn<'a>> {
        if let Some(arm) = arm.or(self.arm) {
            let column = |size: &u64| FigureColumn {
                label: split(&Bytes::new(*size).to_string()),
                block_bytes: *size,
                arm,
            };
            return self.sizes.iter().map(column).collect();
        }
        let size = self.sizes.first().copied().unwrap_or_default();
        let column = |arm: &'a Arm| FigureColumn {
            label: [shortened(&arm.name), String::new()],
            block_bytes: size,
            arm,
        };
        let arms = self.comparison.arms.iter().skip(usize::from(!baseline));
        arms.take(MOST_COLUMNS).map(column).collect()
    }

    /// The gain of alignment; `None` if it was not measured.
    pub fn gain(&self, column: &FigureColumn<'_>, series: &FigureSeries) -> Option<Gain> {
        let cell = self.cell(column, series)?;
        let metric = self.quantity.metric();
        let found = cell.estimate(&column.arm.name, metric)?;
        if cell.placebo.moved || found.verdict == EstimateVerdict::Invalid {
            return Some(Gain {
                value: None,
                verdict: EstimateVerdict::Invalid,
            });
        }
        Some(Gain {
            value: self
                .quantity
                .gained(found, self.comparison.is_of_a_change()),
            verdict: found.verdict,
        })
    }

    /// The level; `None` if nothing was measured.
    pub fn level(&self, column: &FigureColumn<'_>, series: &FigureSeries) -> Option<Reached> {
        let cell = self.cell(column, series)?;
        if cell.placebo.moved {
            return Some(Reached::Invalid);
        }
        let level = cell.level(&column.arm.name)?;
        let number = self.quantity.reached(level, cell.block_bytes)?;
        Some(Reached::Number(number))
    }

    fn cell(&self, column: &FigureColumn<'_>, series: &FigureSeries) -> Option<&'a Cell> {
        self.cells().find(|cell| {
            cell.block_bytes == column.block_bytes
                && cell.op == series.op
                && cell.pattern == series.pattern
        })
    }

    fn cells(&self) -> impl Iterator<Item = &'a Cell> {
        let wanted = self.load;
        let cells = self.comparison.cells.iter();
        cells.filter(move |cell| load(cell) == wanted)
    }
}

const fn load(cell: &Cell) -> (u32, u32) {
    (cell.queue_depth, cell.workers)
}

/// `64 KiB` on two lines.
fn split(size: &str) -> [String; 2] {
    let (number, unit) = size.split_once(' ').unwrap_or((size, ""));
    [number.to_owned(), unit.to_owned()]
}

fn shortened(name: &str) -> String {
    crate::words::shorten_middle(name, 12, "…")
}
