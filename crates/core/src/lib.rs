//! The pure heart of ioalign: no I/O, no clock, no global state.
//!
//! Storage is a stack of layers, each with a grid of boundaries. This crate holds
//! the vocabulary ([`units`], [`grid`], [`layer`], [`stack`]) and the questions that
//! need nothing but arithmetic: where a layer starts on every grid below it
//! ([`phase`]), what crossing a boundary costs ([`cost`]), and what to say about it
//! ([`judge`], [`finding`]). [`rules`] explains every rule that a finding can name.
#![deny(missing_docs)]

pub mod advice;
pub mod array;
pub mod atomic_write;
pub mod capture_difference;
pub mod capture_document;
pub mod comparison;
pub mod consequence;
pub mod cost;
pub mod csv;
pub mod day;
pub mod direct_io;
pub mod discard;
pub mod finding;
pub mod fix_document;
pub mod gate_document;
pub mod geometry_document;
pub mod grid;
pub mod judge;
pub mod lab_document;
pub mod layer;
pub mod layer_id;
pub mod load;
pub mod machine;
pub mod map;
pub mod migration_document;
pub mod move_marker;
pub mod move_words;
pub mod numbers;
pub mod on_disk;
pub mod phase;
pub mod plan_document;
pub mod profile;
pub mod random;
mod reach;
pub mod remark;
pub mod role;
pub mod rules;
pub mod severity;
pub mod shell;
pub mod simulation_document;
pub mod stack;
pub mod tear_document;
pub mod time;
pub mod units;
pub mod watch_document;
pub mod workload;
pub mod write_counters;
pub mod write_unit;
pub mod zstd;

pub use finding::{Finding, Suggestion, Waiver};
pub use grid::{Boundaries, Confidence, Grid, GridClaim, GridKind, Origin, Tier};
pub use layer::detail::{
    ArrayLevel, DatabaseEngine, DeviceNumber, ImageFormat, ImageVariant, TableKind,
};
pub use layer::{Edge, Kind, Layer, MoveInFlight};
pub use layer_id::LayerId;
pub use map::{Map, Run, Runs};
pub use move_marker::{MarkerFound, MoveMarker};
pub use phase::{Phase, PhaseSet};
pub use random::Random;
pub use remark::{ImageFault, Place, Remark};
pub use role::Role;
pub use severity::Severity;
pub use stack::Stack;
pub use units::{Bytes, SectorSize, Sectors};
