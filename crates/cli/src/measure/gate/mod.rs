//! `ioalign measure gate`: the load of a baseline once more, and whether it is slower than in the sessions of then.

mod baseline;
mod session;

use anyhow::Result;
use ioalign_core::gate_document::{Baseline, GateDocument, GateVerdict, SCHEMA};
use ioalign_report::{gate as report, junit};

pub use baseline::record;

use super::open::{self, Opener};
use super::output;
use crate::args::GateArgs;
use crate::exit::Exit;
use crate::interrupt::Interrupt;
use crate::look;
use crate::output_file::Destination;

/// Runs the verb.
pub fn run(arguments: &GateArgs) -> Result<Exit> {
    let baseline = baseline::read(&arguments.baseline)?;
    let levels = baseline::levels(&arguments.baseline, &baseline)?;
    let targets: Vec<_> = baseline.targets.iter().map(Into::into).collect();
    let kept = output::with_members(&targets);
    let junit = arguments.junit.as_deref();
    let junit = junit.map(|path| Destination::report(Some(path), arguments.replace, &kept));
    if let Some(junit) = &junit {
        junit.check()?;
    }
    let io = open::like(&arguments.io, Some(&baseline.conditions));
    let writes = baseline.steps.iter().any(|step| step.writes());
    open::allowed(writes, &io)?;
    let interrupt = Interrupt::watched()?;
    let opener = Opener {
        arguments: &io,
        write: writes,
        atomic: Vec::new(),
        usual_size: None,
        interrupt: &interrupt,
    };
    let targets = opener.all(&targets)?;
    let mut document = empty(arguments, &baseline);
    document.machine = super::machine_of(&targets);
    document.notes.extend(open::notes(&targets));
    document
        .notes
        .extend(baseline::unlike(&baseline, &document.machine));
    let session = session::GateSession {
        arguments,
        io: &io,
        targets: &targets,
        interrupt: &interrupt,
    };
    session.all(&baseline.steps, levels, &mut document)?;
    document.verdict = verdict(&document);
    if let Some(junit) = junit {
        let text = junit::gate(&document);
        junit.write(|out| out.write_all(text.as_bytes()))?;
    }
    match arguments.look.json {
        true => look::json(&document)?,
        false => look::write(&report::render(&document, &look::options(&arguments.look)))?,
    }
    Ok(match document.verdict {
        _ if interrupt.asked() => Exit::Interrupted,
        GateVerdict::Pass => Exit::Done,
        GateVerdict::Fail => Exit::Code(1),
        GateVerdict::Undecided => Exit::Code(3),
    })
}

fn empty(arguments: &GateArgs, baseline: &Baseline) -> GateDocument {
    GateDocument {
        schema: SCHEMA,
        tool: crate::check::tool(),
        machine: Default::default(),
        baseline: arguments.baseline.display().to_string(),
        targets: baseline.targets.clone(),
        sessions: baseline.sessions.len() as u64,
        slower_ratio: arguments.slower,
        confidence: arguments.confidence,
        verdict: GateVerdict::Undecided,
        steps: Vec::new(),
        partial: None,
        notes: Vec::new(),
    }
}

/// The worst of all steps; what was not measured is not known.
fn verdict(document: &GateDocument) -> GateVerdict {
    let worst = document.steps.iter().map(|step| step.verdict).max();
    match (worst, &document.partial) {
        (Some(GateVerdict::Fail), _) => GateVerdict::Fail,
        (_, Some(_)) | (None, _) => GateVerdict::Undecided,
        (Some(worst), None) => worst,
    }
}
