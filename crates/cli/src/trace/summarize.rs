//! `ioalign trace summarize`.

use std::io::Write;

use anyhow::Result;
use ioalign_observe::error::{Error, ErrorKind};
use ioalign_observe::formats::Hints;
use ioalign_observe::pairing::Stage;
use ioalign_observe::{Progress, Settings, summarize};

use crate::args::{StageArg, SummarizeArgs};
use crate::exit::{Exit, UsageError};

/// Runs the verb.
pub fn run(arguments: &SummarizeArgs) -> Result<Exit> {
    let mut settings = Settings {
        format: arguments.format.clone(),
        threads: arguments.jobs,
        hints: Hints {
            offset_unit: arguments.offset_unit,
            time_unit: arguments.time_unit,
            columns: arguments.columns.clone(),
        },
        stage: arguments.stage.map(|stage| match stage {
            StageArg::Queue => Stage::Queue,
            StageArg::Issue => Stage::Issue,
        }),
        ..Settings::default()
    };
    settings
        .analysis
        .grids
        .extend(arguments.grid.iter().cloned());
    let progress = Progress::default();
    let summary = summarize(&arguments.files, &settings, &progress).map_err(asked)?;
    let mut out = std::io::stdout().lock();
    serde_json::to_writer_pretty(&mut out, &summary.profile)?;
    writeln!(out)?;
    Ok(Exit::Code(0))
}

/// What a trace leaves open is wrong use until it is said: exit 64.
fn asked(error: Error) -> anyhow::Error {
    match error.kind() {
        ErrorKind::Ask => UsageError(error.to_string()).into(),
        _ => error.into(),
    }
}
