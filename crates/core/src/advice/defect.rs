//! A layer off its grid, as `check` reports it: from this run, or read from its JSON.

use serde::Serialize;

use crate::cost::{self, CostRow};
use crate::phase::{Phase, PhaseSet};
use crate::severity::Severity;
use crate::units::{Bytes, ratio};

/// One checked device, image or capture.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CheckedTarget {
    /// As the operator named it.
    pub name: String,
    /// Its verdict.
    pub verdict: Severity,
    /// Its findings, notes among them.
    pub defects: Vec<Defect>,
    /// Whether it could not be read.
    pub unread: bool,
    /// The names and ids of its layers.
    pub devices: Vec<String>,
}

impl CheckedTarget {
    /// All names by which other documents may know it or a part of it.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        let layers = self.devices.iter().map(String::as_str);
        std::iter::once(self.name.as_str()).chain(layers)
    }
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
    /// The name for people: `partition p1`, `file system ext4 on p1`.
    pub layer_name: Option<String>,
    /// The same of the guilty layer.
    pub guilty_layer_name: Option<String>,
    /// The names of the layers that its I/O goes through, above and below the cause.
    #[serde(skip)]
    pub devices: Vec<String>,
    /// The grid's size.
    pub unit_bytes: Option<u64>,
    /// How far past a boundary the layer starts.
    pub offset_bytes: Option<u64>,
    /// Whether a write of a part of a cell reads the rest of it first.
    pub rewrites: bool,
    /// Its computed cost, one row for each size.
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
    /// Whether a decision is needed: the defect is not waived.
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

    /// Share of I/Os of this size that touch one cell more than they must because of the defect, or that write a
    /// part of a cell which is rewritten as a whole, and would not on the grid.
    pub fn crossing(&self, io: u64, write: bool) -> f64 {
        let Some(unit) = self.unit_bytes.filter(|unit| *unit > 0) else {
            return 0.0;
        };
        let share = |row: &CostRow| affected(row, unit, write && self.rewrites);
        let exact = self.rows.iter().find(|row| row.io.get() == io);
        if let Some(row) = exact {
            return share(row);
        }
        if let Some(offset) = self.offset_bytes.filter(|offset| *offset > 0) {
            return crossing_at(io, unit, offset, write && self.rewrites);
        }
        let distance = |row: &&CostRow| ratio(row.io.get().max(io), row.io.get().min(io).max(1));
        let nearest = self
            .rows
            .iter()
            .min_by(|a, b| distance(a).total_cmp(&distance(b)));
        nearest.map_or(0.0, share)
    }
}

/// The same for I/O whose places begin `offset` bytes past a boundary.
pub fn crossing_at(io: u64, unit: u64, offset: u64, rewrites: bool) -> f64 {
    let phases = PhaseSet {
        phases: vec![Phase {
            offset: offset % unit.max(1),
            weight: 1.0,
        }],
    };
    let row = cost::row(Bytes::new(io), Bytes::new(unit), &phases);
    affected(&row, unit, rewrites)
}

/// Share of the I/Os that pay: cells touched beyond the fewest possible, or more cells written in part than on the grid.
fn affected(row: &CostRow, unit: u64, rewrites: bool) -> f64 {
    let io = row.io.get();
    let fewest = io.div_ceil(unit.max(1));
    let extra = (row.cells_ratio - 1.0) * ratio(fewest, 1);
    let on_grid = cost::count(io, unit, 0);
    let partial = if rewrites && on_grid.ios > 0 {
        row.rmw_ratio - ratio(on_grid.partial, on_grid.ios)
    } else {
        0.0
    };
    extra.max(partial).clamp(0.0, 1.0)
}
