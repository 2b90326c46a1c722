//! `ioalign lab run`.

use std::path::Path;

use anyhow::Result;
use ioalign_core::lab_document::LabDocument;
use ioalign_lab::experiment::LabExperiment;
use ioalign_lab::host;
use ioalign_lab::run::{LabRun, this_program};

use super::{experiment, failed};
use crate::args::{LabRunArgs, LabSizeArgs, LookArgs, ReplaceArgs};
use crate::exit::{Exit, UsageError};
use crate::interrupt::Interrupt;
use crate::output_file::Destination;
use crate::{look, say};
use ioalign_check::machine;

/// Runs one.
pub fn run(arguments: &LabRunArgs) -> Result<Exit> {
    let experiment = experiment(&arguments.experiment)?;
    let output = arguments.output.as_deref();
    if let Some(path) = output {
        format(path)?;
        destination(path, arguments.replace).check()?;
    }
    let interrupt = Interrupt::watched()?;
    let document = run_one(experiment, &arguments.size, &arguments.look, &interrupt)?;
    if let Some(path) = output {
        write(path, arguments.replace, &document)?;
    }
    show(&document, &arguments.look)?;
    Ok(ending(&document))
}

/// Runs an experiment in the wanted size.
pub fn run_one(
    experiment: LabExperiment,
    size: &LabSizeArgs,
    shown: &LookArgs,
    interrupt: &Interrupt,
) -> Result<LabDocument> {
    let mut experiment = if size.quick {
        experiment.quick()
    } else {
        experiment
    };
    experiment.rows = size.rows.unwrap_or(experiment.rows);
    let name = experiment.name.clone();
    let quiet = shown.quiet;
    let run = LabRun {
        experiment: &experiment,
        quick: size.quick,
        real_time: size.real_time,
        fresh: size.fresh,
        timeout: size.timeout,
        program: &this_program().map_err(failed)?,
        cache: &host::cache().map_err(failed)?,
        interrupt: &interrupt.flag(),
        progress: &|text| {
            if !quiet {
                say::note(format_args!("{name}: {text}"));
            }
        },
    };
    let mut document = run.run().map_err(failed)?;
    document.tool = crate::check::tool();
    document.machine = machine::read(&[]).map(|mut machine| {
        // The disks of this machine are not those of the experiment.
        machine.disks.clear();
        machine
    });
    Ok(document)
}

/// 1 where something is not as it was predicted.
pub fn ending(document: &LabDocument) -> Exit {
    match document.holds() {
        true => Exit::Done,
        false => Exit::Code(1),
    }
}

/// To standard output.
pub fn show(document: &LabDocument, shown: &LookArgs) -> Result<()> {
    if shown.json {
        return look::json(document);
    }
    look::write(&ioalign_report::lab::text(document, &look::options(shown)))
}

/// Writes a page or a document.
pub fn write(path: &Path, replace: ReplaceArgs, document: &LabDocument) -> Result<()> {
    let text = match format(path)? {
        LabFormat::Html => ioalign_report::lab::html(document),
        LabFormat::Json => serde_json::to_string_pretty(document)? + "\n",
    };
    destination(path, replace).write(|out| out.write_all(text.as_bytes()))
}

fn destination(path: &Path, replace: ReplaceArgs) -> Destination<'_> {
    Destination::report(Some(path), replace, &[])
}

/// By the ending of the file.
enum LabFormat {
    Html,
    Json,
}

fn format(path: &Path) -> Result<LabFormat> {
    let ending = path.extension().map(|ending| ending.to_ascii_lowercase());
    match ending.as_deref().and_then(|ending| ending.to_str()) {
        Some("html" | "htm") => Ok(LabFormat::Html),
        Some("json") => Ok(LabFormat::Json),
        _ => Err(UsageError("-o: the ending of the file is html or json".to_owned()).into()),
    }
}
