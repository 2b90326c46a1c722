//! `ioalign lab list`.

use anyhow::Result;
use ioalign_lab::experiment::embedded;
use serde::Serialize;

use super::failed;
use crate::args::LookArgs;
use crate::exit::Exit;
use crate::look;

/// The document of `--json`.
#[derive(Serialize)]
struct ExperimentList {
    experiments: Vec<ListedExperiment>,
}

/// One experiment.
#[derive(Serialize)]
struct ListedExperiment {
    name: String,
    about: String,
    quick_seconds: u64,
}

/// Lists them.
pub fn run(shown: &LookArgs) -> Result<Exit> {
    let experiments = embedded().map_err(failed)?;
    let listed = experiments.into_iter().map(|one| ListedExperiment {
        name: one.name,
        about: one.about,
        quick_seconds: one.quick.takes_seconds,
    });
    let list = ExperimentList {
        experiments: listed.collect(),
    };
    if shown.json {
        look::json(&list)?;
        return Ok(Exit::Done);
    }
    let rows = list.experiments.iter();
    let rows: Vec<_> = rows
        .map(|one| (one.name.as_str(), one.about.as_str(), one.quick_seconds))
        .collect();
    look::write(&ioalign_report::lab::list(&rows, &look::options(shown)))?;
    Ok(Exit::Done)
}
