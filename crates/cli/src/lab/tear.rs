//! `ioalign lab tear`: real databases on a disk that loses power.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Result, bail};
use ioalign_core::tear_document::{
    SCHEMA, TearArrangement, TearDocument, TearOutcome, TestedEngine,
};
use ioalign_core::{Severity, rules};
use ioalign_tear::trial::{MadeDatabases, TrialOptions, run as tried};
use serde_json::Value;

use crate::args::LabTearArgs;
use crate::exit::Exit;
use crate::interrupt::Interrupt;
use crate::{look, say};
use ioalign_check::machine;

/// Units of a quick run, and its losses of power.
const QUICK_UNITS: [u64; 2] = [4096, 16384];
const QUICK_POINTS: u32 = 3;
const USUAL_POINTS: u32 = 20;

/// Tries every arrangement.
pub fn run(arguments: &LabTearArgs) -> Result<Exit> {
    if !rustix::process::geteuid().is_root() {
        bail!("lab tear mounts file systems on loop devices: run it as root");
    }
    let interrupt = Interrupt::watched()?;
    let (engines, points) = (engines(arguments), points(arguments));
    let mut document = TearDocument {
        schema: SCHEMA.to_owned(),
        tool: crate::check::tool(),
        machine: machine::read(&[]).unwrap_or_default(),
        points,
        seed: arguments.seed,
        arrangements: Vec::new(),
        partial: None,
    };
    let mut made = MadeDatabases::default();
    let wanted = TearArrangement::all(&engines);
    let wanted: Vec<_> = wanted
        .into_iter()
        .filter(|one| is_wanted(arguments, one))
        .collect();
    for (number, arrangement) in wanted.iter().enumerate() {
        let progress = |outcome: &TearOutcome| {
            if !arguments.look.quiet {
                say::note(format_args!(
                    "{}/{}: {}, {} losses of power, {} with damaged pages",
                    number + 1,
                    wanted.len(),
                    ioalign_report::tear::name(outcome),
                    outcome.losses_of_power,
                    outcome.damaged,
                ));
            }
            !interrupt.asked()
        };
        let options = TrialOptions {
            points,
            every_point: arguments.every_point,
            seed: arguments.seed,
            check: &said_of,
            goes_on: &progress,
        };
        let outcome = tried(*arrangement, &mut made, &options)?;
        if interrupt.asked() {
            document.partial = Some(format!(
                "interrupted: {} of {} arrangements",
                number,
                wanted.len()
            ));
            break;
        }
        document.arrangements.push(outcome);
    }
    show(&document, arguments)?;
    Ok(ending(&document))
}

fn engines(arguments: &LabTearArgs) -> Vec<TestedEngine> {
    match arguments.database.as_slice() {
        [] => TestedEngine::ALL.to_vec(),
        some => some.iter().map(|one| (*one).into()).collect(),
    }
}

fn points(arguments: &LabTearArgs) -> u32 {
    let usual = if arguments.quick {
        QUICK_POINTS
    } else {
        USUAL_POINTS
    };
    arguments.points.unwrap_or(usual)
}

fn is_wanted(arguments: &LabTearArgs, arrangement: &TearArrangement) -> bool {
    match arguments.unit.as_slice() {
        [] if arguments.quick => QUICK_UNITS.contains(&arrangement.unit_bytes),
        [] => true,
        some => some.contains(&arrangement.unit_bytes),
    }
}

/// What `check` says of the pages of a database: in a process of its own, as its user would.
fn said_of(path: &Path) -> Option<String> {
    // Which journal SQLite keeps is the choice of each connection.
    if !path.is_dir() {
        return None;
    }
    let program = std::env::current_exe().ok()?;
    let output = Command::new(program)
        .args(["check", "--json"])
        .arg(path)
        .stdin(Stdio::null())
        .output()
        .ok()?;
    let document: Value = serde_json::from_slice(&output.stdout).ok()?;
    let findings = document["targets"]
        .as_array()?
        .iter()
        .flat_map(|target| target["findings"].as_array());
    let torn = findings
        .flatten()
        .find(|finding| finding["rule"] == rules::TORN_PAGE_RISK);
    let severity = torn.and_then(|finding| finding["severity"].as_str());
    Some(severity.unwrap_or(Severity::Ok.name()).to_owned())
}

fn show(document: &TearDocument, arguments: &LabTearArgs) -> Result<()> {
    if arguments.look.json {
        return look::json(document);
    }
    look::write(&ioalign_report::tear::text(
        document,
        &look::options(&arguments.look),
    ))
}

fn ending(document: &TearDocument) -> Exit {
    if document.partial.is_some() {
        return Exit::Interrupted;
    }
    match document.arrangements.iter().all(TearOutcome::holds) {
        true => Exit::Done,
        false => Exit::Code(1),
    }
}
