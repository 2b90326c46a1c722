//! `ioalign trace`: recorded I/O in, a profile out.

mod bar;
mod littles_law;
mod look;
mod stack;
mod summarize;

use anyhow::Result;

use crate::args::{TraceArgs, TraceVerb};
use crate::exit::Exit;

/// Runs the verb.
pub fn run(arguments: &TraceArgs) -> Result<Exit> {
    match &arguments.verb {
        TraceVerb::Summarize(arguments) => summarize::run(arguments),
        TraceVerb::LittlesLaw(arguments) => littles_law::run(arguments),
    }
}
