//! `ioalign probe`: the geometry of a device, from the time of its I/O alone.

mod claims;
mod document;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use ioalign_core::geometry_document::GeometryDocument;
use ioalign_core::numbers::roughly;
use ioalign_device::Target;
use ioalign_measure::Error;
use ioalign_measure::engine::{EngineOptions, Volley};
use ioalign_measure::probe::{
    ProbeDesign, ProbeOutcome, ProbeProgress, ProbeStage, TimedDevice, probe,
};

use crate::args::{ProbeArgs, TargetArgs};
use crate::exit::{Exit, UsageError};
use crate::interrupt::Interrupt;
use crate::measure::open::{Opener, notes, refusal};
use crate::{bar, look, say};

/// Runs the verb.
pub fn run(arguments: &ProbeArgs) -> Result<Exit> {
    let interrupt = Interrupt::watched()?;
    let target = open(arguments, &interrupt)?;
    let options = EngineOptions {
        seed: arguments.seed,
        write: arguments.write,
        ..EngineOptions::default()
    };
    let mut device = Volley::new(&target, &options).map_err(refusal)?;
    let mut document = document::empty(&target, &device);
    document.notes.extend(notes(&[Arc::clone(&target)]));
    document.notes.extend(device.notes().iter().cloned());
    let design = ProbeDesign {
        max_time: Duration::from_millis(arguments.time),
        seed: arguments.seed,
        write: arguments.write,
    };
    let outcome = probed(&mut device, &design, arguments.look.quiet, &interrupt)
        .map_err(|error| refusal(error.of_target(&arguments.target)))?;
    document::fill(&mut document, &outcome);
    claims::compare(&mut document, Path::new(&arguments.target));
    if arguments.look.json {
        look::json(&document)?;
    } else {
        let options = look::options(&arguments.look);
        look::write(&ioalign_report::geometry::text(&document, &options))?;
    }
    Ok(exit(&document, &interrupt))
}

fn exit(document: &GeometryDocument, interrupt: &Interrupt) -> Exit {
    if interrupt.asked() {
        Exit::Interrupted
    } else if document.found {
        Exit::Done
    } else {
        Exit::Code(1)
    }
}

/// The target with all that `measure` refuses refused.
fn open(arguments: &ProbeArgs, interrupt: &Interrupt) -> Result<Arc<Target>> {
    let io = TargetArgs {
        write: arguments.write,
        destroy_data: arguments.destroy_data.iter().cloned().collect(),
        size: arguments.size,
        buffered: false,
        cold: false,
    };
    let opener = Opener {
        arguments: &io,
        write: arguments.write,
        atomic: Vec::new(),
        usual_size: None,
        interrupt,
    };
    if arguments.target.is_dir() {
        let name = arguments.target.display();
        let what = format!("{name} is a folder: a probe needs a device or a file");
        return Err(UsageError(what).into());
    }
    let opened = opener.all(std::slice::from_ref(&arguments.target))?;
    opened.into_iter().next().context("there is no target")
}

/// The probe with a line on standard error that says what it does and how long it may take.
fn probed(
    device: &mut dyn TimedDevice,
    design: &ProbeDesign,
    quiet: bool,
    interrupt: &Interrupt,
) -> Result<ProbeOutcome, Error> {
    if !quiet {
        say::note(format_args!(
            "at most about {}",
            roughly(design.max_time.as_secs().max(1))
        ));
    }
    let line = bar::bar(None, !quiet, "{spinner} {msg}");
    let outcome = probe(device, design, &mut |progress| {
        line.set_message(words(progress));
        line.tick();
        interrupt.flow()
    });
    line.finish_and_clear();
    outcome
}

fn words(progress: &ProbeProgress) -> String {
    let stage = match progress.stage {
        ProbeStage::Search => "pairs of reads at many distances",
        ProbeStage::Fit => "which unit and how many columns",
        ProbeStage::Confirm => "checking with other distances",
        ProbeStage::Phase => "the first boundary",
        ProbeStage::Writes => "writes at all phases",
        ProbeStage::Redundancy => "copies and parity",
    };
    let left = roughly(progress.left.as_secs());
    format!(
        "at most {left} left, {stage}, {} reads",
        ioalign_core::numbers::thousands(progress.reads)
    )
}
