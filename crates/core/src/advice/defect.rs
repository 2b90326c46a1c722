//! What is off its grid, as `check` said it: of this run, or read back from its JSON.

use serde::Serialize;

use crate::cost::{self, CostRow};
use crate::finding::Severity;
use crate::phase::{Phase, PhaseSet};
use crate::units::{Bytes, ratio};

/// One checked device, image or capture.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Checked {
    /// As the operator named it.
    pub name: String,
    /// Its verdict.
    pub verdict: Severity,
    /// Its findings, notes among them.
    pub defects: Vec<Defect>,
    /// Whether it could not be read.
    pub unread: bool,
}

/// A finding, without what matters to its picture only.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Defect {
    /// Stable kebab-case id.
    pub rule: String,
    /// How bad it is.
    pub severity: Severity,
    /// The layer whose users suffer.
    pub layer: Option<String>,
    /// The first layer that left the grid.
    pub guilty_layer: Option<String>,
    /// The grid's size.
    pub unit_bytes: Option<u64>,
    /// How far past a boundary the layer starts.
    pub offset_bytes: Option<u64>,
    /// Whether a write of a part of a cell reads the rest of it first.
    pub rewrites: bool,
    /// What it costs by arithmetic, a row a size.
    #[serde(skip)]
    pub rows: Vec<CostRow>,
    /// Whether it can be changed without copying the data elsewhere.
    pub fixable_in_place: Option<bool>,
    /// One sentence with the arithmetic.
    pub why: String,
    /// Commands or steps.
    pub r#do: Vec<String>,
    /// A policy says that it does not count.
    #[serde(skip)]
    pub waived: bool,
}

impl Defect {
    /// Whether there is anything to decide: a defect that nobody has waived.
    pub fn counts(&self) -> bool {
        self.severity >= Severity::Suboptimal && !self.waived
    }

    /// Whether more than time is at stake.
    pub fn risks_data(&self) -> bool {
        self.severity >= Severity::DataRisk
    }

    /// Whether its cost is one of boundaries that I/O crosses.
    pub fn is_of_a_grid(&self) -> bool {
        self.unit_bytes.is_some_and(|unit| unit > 0)
            && (!self.rows.is_empty() || self.offset_bytes.is_some())
    }

    /// Share of I/Os of this size that touch one cell more than they must because of the defect.
    pub fn crossing(&self, io: u64) -> f64 {
        let Some(unit) = self.unit_bytes.filter(|unit| *unit > 0) else {
            return 0.0;
        };
        let exact = self.rows.iter().find(|row| row.io.get() == io);
        if let Some(row) = exact {
            return extra_cells(row, unit);
        }
        if let Some(offset) = self.offset_bytes.filter(|offset| *offset > 0) {
            return crossing_at(io, unit, offset);
        }
        let distance = |row: &&CostRow| ratio(row.io.get().max(io), row.io.get().min(io).max(1));
        let nearest = self
            .rows
            .iter()
            .min_by(|a, b| distance(a).total_cmp(&distance(b)));
        nearest.map_or(0.0, |row| extra_cells(row, unit))
    }
}

/// The same for I/O whose places begin `offset` bytes past a boundary.
pub fn crossing_at(io: u64, unit: u64, offset: u64) -> f64 {
    let phases = PhaseSet {
        phases: vec![Phase {
            offset: offset % unit.max(1),
            weight: 1.0,
        }],
    };
    extra_cells(&cost::row(Bytes::new(io), Bytes::new(unit), &phases), unit)
}

/// Cells an I/O touches beyond the fewest possible: between none and one.
fn extra_cells(row: &CostRow, unit: u64) -> f64 {
    let fewest = row.io.get().div_ceil(unit.max(1));
    ((row.cells_ratio - 1.0) * ratio(fewest, 1)).clamp(0.0, 1.0)
}
