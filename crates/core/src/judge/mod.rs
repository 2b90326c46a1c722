//! The judgement: every data layer against every grid below it, and the rules that need more.
//!
//! Only layers that carry data are judged, at the top of their stack: a partition that LVM
//! repairs is no defect, and a BIOS boot partition at sector 34 is none either.

mod blocks;
mod database;
mod ends;
mod geometry;
mod hints;
mod remarks;
mod rounded;
mod sectors;
mod starts;
mod suggest;
mod thin;
mod unread;

use crate::finding::{Finding, Severity, verdict};
use crate::grid::Grid;
use crate::layer::{Kind, LayerId};
use crate::map::Map;
use crate::phase::{PhaseSet, phases};
use crate::stack::Stack;
use crate::units::SectorSize;

/// What the operator wants to know beside the plain verdict.
#[derive(Copy, Clone, Debug, Default)]
pub struct Options {
    /// Would it work on a disk with this logical sector?
    pub target_logical: Option<SectorSize>,
}

/// The offsets of one layer on one grid below it.
#[derive(Clone, Debug, PartialEq)]
pub struct LayerPhases {
    /// The layer.
    pub layer: LayerId,
    /// Index into [`Stack::grids`].
    pub grid: usize,
    /// Where its addresses lie.
    pub phases: PhaseSet,
}

/// All that is to be said about a stack.
#[derive(Clone, Debug, Default)]
pub struct Judgement {
    /// Worst severity that concerns data.
    pub verdict: Severity,
    /// Every layer on every grid below it, where a map leads there.
    pub phases: Vec<LayerPhases>,
    /// Worst first.
    pub findings: Vec<Finding>,
}

/// Judges a stack.
pub fn judge(stack: &Stack, options: &Options) -> Judgement {
    let case = Case::new(stack);
    let mut findings = Vec::new();
    remarks::collect(&case, &mut findings);
    nothing_recognised(&case, &mut findings);
    starts::judge(&case, &mut findings);
    rounded::judge(&case, &mut findings);
    blocks::judge(&case, &mut findings);
    ends::judge(&case, &mut findings);
    geometry::judge(&case, &mut findings);
    thin::judge(&case, &mut findings);
    sectors::judge(&case, options, &mut findings);
    database::judge(&case, &mut findings);
    hints::judge(&case, &mut findings);
    unread::judge(&case, &mut findings);
    findings.sort_by(|a, b| b.severity.cmp(&a.severity).then(a.layer.cmp(&b.layer)));
    let verdict = verdict(findings.iter().map(|finding| finding.severity));
    Judgement {
        verdict,
        phases: case.phases,
        findings,
    }
}

/// A stack with what all rules ask of it.
struct Case<'a> {
    stack: &'a Stack,
    phases: Vec<LayerPhases>,
}

impl<'a> Case<'a> {
    fn new(stack: &'a Stack) -> Self {
        let mut all = Vec::new();
        for (layer, _) in stack.layers() {
            for (index, grid) in stack.grids.iter().enumerate() {
                if grid.layer >= layer {
                    continue;
                }
                let phases = phases(stack, layer, grid);
                if phases.is_known() {
                    all.push(LayerPhases {
                        layer,
                        grid: index,
                        phases,
                    });
                }
            }
        }
        Self { stack, phases: all }
    }

    /// The offsets of `layer` on each trusted grid below it.
    fn on_grids(&self, layer: LayerId) -> impl Iterator<Item = (usize, &'a Grid, &PhaseSet)> {
        let stack = self.stack;
        self.phases
            .iter()
            .filter(move |entry| entry.layer == layer)
            .filter_map(move |entry| {
                let grid = stack.grids.get(entry.grid)?;
                grid.trusted().then_some((entry.grid, grid, &entry.phases))
            })
    }

    fn phases_on(&self, layer: LayerId, grid: usize) -> Option<&PhaseSet> {
        self.phases
            .iter()
            .find(|entry| entry.layer == layer && entry.grid == grid)
            .map(|entry| &entry.phases)
    }

    fn phases_for(&self, layer: LayerId, grid: &Grid) -> Option<&PhaseSet> {
        let index = self
            .stack
            .grids
            .iter()
            .position(|other| std::ptr::eq(other, grid))?;
        self.phases_on(layer, index)
    }

    /// Layers on which nothing lies and through which a workload's I/O goes.
    fn data_leaves(&self) -> impl Iterator<Item = LayerId> {
        self.stack
            .layers()
            .filter(|(id, layer)| {
                layer.role.carries_data()
                    && !matches!(layer.kind, Kind::Disk | Kind::Image | Kind::Database)
                    && self.is_data_leaf(*id)
            })
            .map(|(id, _)| id)
    }

    /// Nothing lies on it that carries data and can be followed down to it.
    ///
    /// A database is judged by its page size; the starts of its files are the file system's.
    fn is_data_leaf(&self, id: LayerId) -> bool {
        self.stack.above(id).all(|above| {
            let layer = self.stack.layer(above);
            let lost = layer
                .below
                .iter()
                .all(|edge| matches!(edge.map, Map::Opaque(_)));
            lost || layer.kind == Kind::Database || !layer.role.carries_data()
        })
    }

    fn databases(&self) -> impl Iterator<Item = LayerId> {
        self.stack
            .layers()
            .filter(|(_, layer)| layer.kind == Kind::Database)
            .map(|(id, _)| id)
    }

    /// Whether `layer` lies on `other`, directly or through others.
    fn lies_on(&self, layer: LayerId, other: LayerId) -> bool {
        layer > other
            && self
                .stack
                .layer(layer)
                .below
                .iter()
                .any(|edge| edge.below == other || self.lies_on(edge.below, other))
    }

    /// Whether a layer is an array that computes parity.
    fn has_parity(&self, layer: LayerId) -> bool {
        let level = self.stack.layer(layer).facts.get("level");
        level.is_some_and(|level| {
            ["raid4", "raid5", "raid6"]
                .iter()
                .any(|p| level.starts_with(p))
        })
    }

    /// Disks and images below a layer.
    fn bottoms(&self, layer: LayerId) -> Vec<LayerId> {
        let mut found: Vec<_> = self
            .stack
            .layers()
            .filter(|(id, below)| {
                below.below.is_empty() && (*id == layer || self.lies_on(layer, *id))
            })
            .map(|(id, _)| id)
            .collect();
        found.dedup();
        found
    }

    /// `partition sda1`: how sentences name a layer.
    fn name(&self, layer: LayerId) -> String {
        let layer = self.stack.layer(layer);
        match layer.kind {
            Kind::Partition => format!("partition {}", layer.name),
            Kind::Filesystem | Kind::Swap => match self.holder(layer) {
                Some(holder) => format!("{} on {}", layer.name, holder),
                None => layer.name.clone(),
            },
            Kind::LvmPv => format!("the extents area of {}", layer.name),
            Kind::LvmLv => format!("logical volume {}", layer.name),
            Kind::Disk | Kind::Image => layer.name.clone(),
            Kind::Md => format!("array {}", layer.name),
            Kind::ThinPool => format!("thin pool {}", layer.name),
            Kind::Crypt => format!("encrypted volume {}", layer.name),
            other => format!("{} {}", other.name(), layer.name),
        }
    }

    /// The same as the first words of a sentence, where a bare device name must not get a capital.
    fn subject(&self, layer: LayerId) -> String {
        let name = self.name(layer);
        match self.stack.layer(layer).kind {
            Kind::Disk => format!("Disk {name}"),
            Kind::Image => format!("Image {name}"),
            Kind::Filesystem => format!("File system {name}"),
            _ => capitalised(&name),
        }
    }

    fn holder(&self, layer: &crate::Layer) -> Option<&'a str> {
        let below = layer.below.first()?.below;
        Some(self.stack.layer(below).name.as_str())
    }
}

fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    match chars.next() {
        Some(first) => first.to_uppercase().chain(chars).collect(),
        None => String::new(),
    }
}

/// A bottom with nothing on it that is known: never `ok` by silence.
fn nothing_recognised(case: &Case<'_>, findings: &mut Vec<Finding>) {
    for (id, layer) in case.stack.layers() {
        let bottom = layer.below.is_empty() || layer.kind == Kind::Disk;
        let other_reason =
            layer.facts.contains_key("empty-table") || unread::reason(layer).is_some();
        if bottom && case.stack.is_leaf(id) && !other_reason {
            let why = format!(
                "Nothing is recognised on {}: no partition table, volume or file system, so \
                 nothing can be said about its alignment",
                layer.name
            );
            findings.push(Finding::new("nothing-recognised", Severity::Unknown, why).at(id));
        }
    }
}
