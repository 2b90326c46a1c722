//! `ioalign trace summarize`.

use std::io::Write;

use anyhow::Result;
use ioalign_observe::{Progress, Settings, summarize};

use crate::args::SummarizeArgs;
use crate::exit::Exit;

/// Runs the verb.
pub fn run(arguments: &SummarizeArgs) -> Result<Exit> {
    let mut settings = Settings {
        format: arguments.format.clone(),
        threads: arguments.jobs,
        ..Settings::default()
    };
    settings
        .analysis
        .grids
        .extend(arguments.grid.iter().cloned());
    let progress = Progress::default();
    let summary = summarize(&arguments.files, &settings, &progress)?;
    let mut out = std::io::stdout().lock();
    serde_json::to_writer_pretty(&mut out, &summary.profile)?;
    writeln!(out)?;
    Ok(Exit::Code(0))
}
