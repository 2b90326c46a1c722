//! What `plan` shows: the grids, the layers with the proof of their starts, and the commands.
//!
//! Its JSON is `ioalign.plan/1`. Fields that are not written there serve sentences alone.

use serde::Serialize;

use crate::grid::{Confidence, GridKind, Origin, Tier};
use crate::layer::Kind;
use crate::machine::Machine;
use crate::units::Bytes;

/// The name of the JSON form.
pub const SCHEMA: &str = "ioalign.plan/1";

/// A layout, and the commands that make it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PlanDocument {
    /// [`SCHEMA`].
    pub schema: &'static str,
    /// The machine whose stack was checked, where the document of `check` names one.
    pub machine: Option<Machine>,
    /// Whose commands: `linux`, `windows`.
    pub platform: &'static str,
    /// The distance of the boundaries that all kept grids share.
    pub period_bytes: Bytes,
    /// The first of them.
    pub phase_bytes: Bytes,
    /// Lowest first.
    pub layers: Vec<PlannedLayer>,
    /// The grids that were kept, in the order in which they were taken.
    pub grids: Vec<PlannedGrid>,
    /// The grids that could not be had with those.
    pub given_up: Vec<GivenUpGrid>,
    /// A file system whose blocks are smaller than a unit below.
    pub block_below_unit: Option<PlannedBlockBelow>,
    /// The extended partition of an MBR.
    pub extended: Option<PlannedExtended>,
    /// The numbers of LVM.
    pub lvm: Option<PlannedLvm>,
    /// Every start, and every end of a partition, on every grid.
    pub proof: Vec<ProofLine>,
    /// The commands, in order.
    pub commands: Vec<PlanStep>,
    /// The logical sector.
    #[serde(skip)]
    pub sector_bytes: Bytes,
    /// What stays off a kept grid although it is wanted on it.
    #[serde(skip)]
    pub missed: Option<MissedGrid>,
    /// Names in the commands that stand for disks.
    #[serde(skip)]
    pub placeholders: Vec<String>,
}

/// A layer of the plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PlannedLayer {
    /// What it is.
    pub kind: Kind,
    /// Its name: `p2`, `vg0`.
    pub name: String,
    /// Its first byte, counted on the ground.
    pub start_bytes: Bytes,
    /// Its first byte, counted in the layer below.
    pub offset_bytes: Bytes,
    /// Its size, where it follows from what was said.
    pub size_bytes: Option<Bytes>,
}

/// A grid that layers have to start on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PlannedGrid {
    /// What its cells are.
    pub kind: GridKind,
    /// The distance of its boundaries.
    pub size_bytes: Bytes,
    /// The first of them.
    pub phase_bytes: Bytes,
    /// What being off it costs.
    pub tier: Tier,
    /// Where the claim comes from.
    pub origin: Origin,
    /// How far it is believed.
    pub confidence: Confidence,
    /// Who says so.
    pub source: String,
}

/// A grid that could not be had.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct GivenUpGrid {
    /// The grid.
    pub grid: PlannedGrid,
    /// The kind of the grid that it shares no boundary with.
    pub against: Option<GridKind>,
    /// The boundaries that all share are too far apart.
    pub too_far: bool,
    /// The size of the grid that it shares no boundary with.
    #[serde(skip)]
    pub against_bytes: Bytes,
}

/// A file system that writes less at a time than what lies below changes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PlannedBlockBelow {
    /// The rule that `check` names it by.
    pub rule: &'static str,
    /// The smallest piece that the file system allocates.
    pub block_bytes: Bytes,
    /// What is changed at a time below.
    pub unit_bytes: Bytes,
    /// The kind of the grid below.
    pub grid: GridKind,
    /// Whether the file system is XFS, which newer kernels mount with larger blocks.
    #[serde(skip)]
    pub is_xfs: bool,
}

/// An extended partition.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PlannedExtended {
    /// Its first byte.
    pub start_bytes: Bytes,
    /// Its size, where that of the disk is known.
    pub size_bytes: Option<Bytes>,
}

/// What LVM's tools are called with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PlannedLvm {
    /// `pvcreate --dataalignment`.
    pub data_alignment_bytes: Bytes,
    /// `pvcreate --dataalignmentoffset`.
    pub data_alignment_offset_bytes: Bytes,
    /// `vgcreate --physicalextentsize`.
    pub extent_bytes: Bytes,
    /// `lvcreate --chunksize` of a thin pool.
    pub chunk_bytes: Option<Bytes>,
}

/// A start, or the end of a partition, on a grid.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ProofLine {
    /// Kind and name: `partition:p2`.
    pub layer: String,
    /// Where the layer starts.
    pub start_bytes: Bytes,
    /// Where the line is about the end of a partition.
    pub end_bytes: Option<Bytes>,
    /// The kind of the grid.
    pub grid: GridKind,
    /// The distance of its boundaries.
    pub size_bytes: Bytes,
    /// The first of them.
    pub phase_bytes: Bytes,
    /// How far past a boundary it lies.
    pub remainder_bytes: Bytes,
    /// The name alone.
    #[serde(skip)]
    pub name: String,
}

/// The grid that the uppermost layer is off, and costs most.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissedGrid {
    /// The name of the layer.
    pub layer: String,
    /// Where it starts.
    pub start: Bytes,
    /// How far that is past a boundary.
    pub remainder: Bytes,
    /// The kind of the grid.
    pub kind: GridKind,
    /// The distance of its boundaries.
    pub size: Bytes,
}

/// What the lines of a step are.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum StepLines {
    /// Commands of the platform's shell: they can stand in a script.
    Commands,
    /// What a person types into a program, key by key.
    Dialogue,
    /// Text for a file of settings, or something to look at: in a script a comment.
    Settings,
    /// Another way to do what the step before does: not part of a script.
    Alternative,
}

/// Something to type.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PlanStep {
    /// What it does, in a few words.
    pub title: String,
    /// What the lines are.
    pub kind: StepLines,
    /// The command lines, or the dialogue.
    pub lines: Vec<String>,
    /// What is on the target is lost.
    pub destroys_data: bool,
    /// Numbers in it that cannot be changed later.
    pub fixed: Vec<String>,
    /// What to know about it.
    pub notes: Vec<String>,
}

impl PlanStep {
    /// A step of commands that destroys nothing.
    pub fn new(title: &str, lines: Vec<String>) -> Self {
        Self {
            title: title.to_owned(),
            kind: StepLines::Commands,
            lines,
            destroys_data: false,
            fixed: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// The same with other lines than commands.
    #[must_use]
    pub const fn of_kind(mut self, kind: StepLines) -> Self {
        self.kind = kind;
        self
    }

    /// The same, after which the data of the target are lost.
    #[must_use]
    pub const fn destroys(mut self) -> Self {
        self.destroys_data = true;
        self
    }

    /// With a number that cannot be changed later.
    #[must_use]
    pub fn fixed(mut self, what: &str) -> Self {
        self.fixed.push(what.to_owned());
        self
    }

    /// With a note.
    #[must_use]
    pub fn note(mut self, what: impl Into<String>) -> Self {
        self.notes.push(what.into());
        self
    }
}
