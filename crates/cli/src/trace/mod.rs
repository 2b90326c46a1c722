//! `ioalign trace`: recorded I/O in, a profile out.

mod bar;
mod convert;
mod file;
mod generate;
mod littles_law;
mod merge;
mod spark;
mod sql;
mod stack;
mod summarize;

use anyhow::Result;

use crate::args::{TraceArgs, TraceVerb};
use crate::exit::Exit;

use crate::look;
pub use merge::read as profile;
pub use summarize::{asked, reading};

/// Runs the verb.
pub fn run(arguments: &TraceArgs) -> Result<Exit> {
    match &arguments.verb {
        TraceVerb::Summarize(arguments) => summarize::run(arguments),
        TraceVerb::LittlesLaw(arguments) => littles_law::run(arguments),
        TraceVerb::Convert(arguments) => convert::run(arguments),
        TraceVerb::Generate(arguments) => generate::run(arguments),
        TraceVerb::Sql(arguments) => sql::run(arguments),
        TraceVerb::Merge(arguments) => merge::run(arguments),
    }
}
