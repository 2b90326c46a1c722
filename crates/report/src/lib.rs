//! Shows what was found: text for a terminal, JSON for scripts, a picture, a web page, and the
//! formats of monitoring servers and of continuous integration.
//!
//! Every renderer is a pure function of a [`Report`] and [`RenderOptions`]: no clock, no terminal, no
//! file, so the same input gives the same bytes and golden files can hold them. Names and labels
//! come from untrusted disks: each renderer makes them harmless for its medium.
#![deny(missing_docs)]

pub mod advice;
pub mod capture;
pub mod capture_difference;
pub mod comparison;
pub mod fix;
pub mod format;
pub mod gate;
pub mod geometry;
pub mod html;
pub mod json;
pub mod junit;
pub mod lab;
pub mod load;
pub mod machine;
pub mod migration;
pub mod model;
pub mod nagios;
pub mod options;
pub mod plan;
pub mod profile;
pub mod prometheus;
pub mod sarif;
pub mod simulation;
pub mod svg;
pub mod tear;
pub mod text;
pub mod watch;
pub mod words;

mod devices;
mod order;
mod starts;
mod view;

pub use format::ReportFormat;
pub use model::{ErrorInfo, FailOn, LayerPhases, Report, SourceKind, Target};
pub use options::{RenderOptions, Verbosity};
