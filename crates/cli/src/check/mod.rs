//! `ioalign check`: targets in, a report out. How a target is judged is in `ioalign_check`.

mod backing;
mod confine;
mod crew;
mod lean;
mod measured;
mod output;
mod stream;

use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::Result;
use ioalign_check::{
    AtomicRequest, FoundTargets, WriteUnitRequest, captures, find, judge_one, machine, report,
    target,
};
use ioalign_core::day::Day;
use ioalign_core::judge::{self, lint::Lint};
use ioalign_core::machine::Machine;
use ioalign_inspect::assemble::AssembleOptions;
use ioalign_inspect::captures::FORMATS;
use ioalign_inspect::filesystems::database;
use ioalign_report::{Report, ReportFormat, Target};

pub use backing::files_of;
pub use ioalign_check::report::{captured, given, tool};
pub use ioalign_check::{CheckJob, any};

use crate::args::{CheckArgs, OutputArgs};
use crate::exit::{self, Exit, UsageError};
use crate::interrupt::Interrupt;
use crate::policy::{self, Policy};
use crate::say::note;

/// Runs the verb.
pub fn run(arguments: &CheckArgs) -> Result<Exit> {
    let policy = policy(arguments)?;
    let job = job(arguments, &policy.questions)?;
    let interrupt = Interrupt::default();
    if arguments.output.output.is_some() {
        // The file beside the one that is written must not outlive a Ctrl-C.
        interrupt.watch()?;
    }
    let found = find(&arguments.targets, arguments.together, &job);
    found.notes.iter().for_each(note);
    let head = Report {
        machine: opening(&found, &job, &arguments.output),
        ..head(&policy)
    };
    confine::confine(&found, &job, arguments);
    let exit = if stream::fits(arguments, &found) {
        let crew = crew::Crew::new(found.files.len(), &job, arguments, &interrupt)?;
        stream::run(found, &crew, &policy, arguments, &head)?
    } else {
        let files: Vec<_> = found
            .files
            .iter()
            .map(|file| file.file().to_owned())
            .collect();
        let targets = judge_all(found, arguments, &job, &interrupt)?;
        whole(head, targets, &policy, arguments, &files)?
    };
    if interrupt.asked() {
        return Ok(Exit::Interrupted);
    }
    Ok(exit)
}

/// One report of all targets, which begins as `report` does.
fn whole(
    mut report: Report,
    mut targets: Vec<Target>,
    policy: &Policy,
    arguments: &CheckArgs,
    files: &[PathBuf],
) -> Result<Exit> {
    policy.apply(&mut targets);
    report.targets = targets;
    output::write(&report, arguments, files)?;
    Ok(exit_of(arguments, &report))
}

/// A report without its targets.
fn head(policy: &Policy) -> Report {
    Report {
        targets: Vec::new(),
        tool: tool(),
        machine: None,
        scanned_at_seconds: now(),
        fail: policy.fail.clone(),
        policy: policy.file.clone(),
    }
}

fn policy(arguments: &CheckArgs) -> Result<Policy> {
    if arguments.no_policy {
        return Ok(Policy::default());
    }
    policy::load(arguments.policy.as_deref())
}

/// Seconds since 1970.
fn now() -> Option<u64> {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).ok()?;
    Some(since.as_secs())
}

/// The present day; the first of 1970 where the clock stands before that.
pub fn today() -> Day {
    Day::at(now().unwrap_or_default())
}

/// The machine, in formats that show it.
fn opening(found: &FoundTargets, job: &CheckJob, output: &OutputArgs) -> Option<Machine> {
    let shown = match output.format() {
        ReportFormat::Text => !output.quiet,
        ReportFormat::Json | ReportFormat::Html => true,
        _ => false,
    };
    shown.then(|| machine::of_targets(found, job))?
}

fn judge_all(
    found: FoundTargets,
    arguments: &CheckArgs,
    job: &CheckJob,
    interrupt: &Interrupt,
) -> Result<Vec<Target>> {
    let (mut judged, mut folders) = (found.judged, found.folders);
    match found.files.as_slice() {
        [] => {}
        [only] => judged.extend(judge_one(only, job)),
        files => {
            let crew = crew::Crew::new(files.len(), job, arguments, interrupt)?;
            judged.extend(crew.judge(files));
        }
    }
    judged.iter().for_each(|target| folders.judged(target));
    judged.extend(folders.silent());
    Ok(judged)
}

fn exit_of(arguments: &CheckArgs, report: &Report) -> Exit {
    let (mode, unreadable) = (arguments.exit_mode(), report.errors() > 0);
    if mode == exit::ExitMode::VirtAlignmentScan && !unreadable {
        return Exit::Code(output::virt_alignment_scan(report));
    }
    exit::code(mode, report.counted(), unreadable)
}

/// What the arguments say of all targets.
fn job(arguments: &CheckArgs, policy: &judge::JudgeOptions) -> Result<CheckJob> {
    let mut grids = arguments.grid.clone();
    grids.extend(
        arguments
            .profile_grid
            .iter()
            .flat_map(|profile| profile.grids.iter().cloned()),
    );
    let database = match &arguments.database {
        None => None,
        Some(name) => Some(database::named(name).ok_or_else(|| {
            UsageError(format!(
                "`{name}` is no known database: try innodb, innodb:16k,doublewrite=off or postgresql"
            ))
        })?),
    };
    let sector = arguments.sector_size;
    let text_format = arguments.text_format.clone();
    if let Some(name) = text_format
        .as_deref()
        .filter(|name| !captures::is_format(name))
    {
        let known: Vec<_> = FORMATS.iter().map(|format| format.name).collect();
        let what = format!("`{name}` is no format of text: {}", known.join(", "));
        return Err(UsageError(what).into());
    }
    Ok(CheckJob {
        inspect: AssembleOptions {
            sector,
            grids,
            allow_backing: arguments.allow_backing,
            database,
        },
        judge: questions(arguments, policy),
        sysroot: arguments.sysroot.clone(),
        chain: arguments.chain,
        extents: arguments.extents,
        direct_io: arguments.dio,
        atomic: arguments.atomic.map(|size| AtomicRequest {
            page: size.page(),
            prove: arguments.prove,
        }),
        write_unit: write_unit(arguments)?,
        text_format,
    })
}

fn write_unit(arguments: &CheckArgs) -> Result<Option<WriteUnitRequest>> {
    if !arguments.write_unit {
        return Ok(None);
    }
    let measured = arguments.measured.as_deref().map(measured::unit);
    Ok(Some(WriteUnitRequest {
        measured: measured.transpose()?,
    }))
}

/// The questions besides the plain verdict; an argument overrides the policy.
fn questions(arguments: &CheckArgs, policy: &judge::JudgeOptions) -> judge::JudgeOptions {
    judge::JudgeOptions {
        target_logical: arguments.target_logical.or(policy.target_logical),
        lint: Lint {
            size_multiple: arguments.size_multiple.or(policy.lint.size_multiple),
            upload: arguments.upload.or(policy.lint.upload),
            uefi: arguments.uefi || policy.lint.uefi,
        },
    }
}

/// The report of this machine, without a policy.
pub fn this_host() -> Report {
    Report {
        scanned_at_seconds: now(),
        ..report::this_host()
    }
}

/// Judges one file for other verbs.
pub fn one(path: &Path, job: &CheckJob) -> Target {
    target::judge(path, job)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_has_a_day() {
        let day: Day = "2024-01-01".parse().unwrap();
        assert!(today() > day);
    }
}
