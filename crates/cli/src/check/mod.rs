//! `ioalign check`: targets in, a report out.

mod backing;
mod captures;
mod confine;
mod direct_io;
mod find;
mod folder;
mod lean;
mod next;
mod nothing;
mod opening;
mod output;
mod stream;
mod target;

use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::Result;
use ioalign_core::day::Day;
use ioalign_core::judge::{self, lint::Lint};
use ioalign_inspect::archive;
use ioalign_inspect::assemble::AssembleOptions;
use ioalign_inspect::captures::FORMATS;
use ioalign_inspect::filesystems::database;
use ioalign_report::{RenderOptions, Report, SourceKind, Target};

pub use backing::files_of;

use crate::args::CheckArgs;
use crate::exit::{self, Exit, UsageError};
use crate::interrupt::Interrupt;
use crate::policy::{self, Policy};
use find::{FoundTargets, find};

/// The name of what has none.
const CAPTURE: &str = "capture";

/// Everything the targets have in common.
pub struct CheckJob {
    /// How targets are read.
    pub inspect: AssembleOptions,
    /// How they are judged.
    pub judge: judge::JudgeOptions,
    /// The captured host, where one is named.
    pub sysroot: Option<PathBuf>,
    /// Follow images below their files.
    pub chain: bool,
    /// Judge the extents of files.
    pub extents: bool,
    /// Ask what direct I/O to each target demands.
    pub direct_io: bool,
    /// The format of the texts, where the operator names it.
    pub text_format: Option<String>,
}

/// Runs the verb.
pub fn run(arguments: &CheckArgs) -> Result<Exit> {
    let policy = policy(arguments)?;
    let job = CheckJob::new(arguments, &policy.questions)?;
    let interrupt = Interrupt::default();
    if arguments.output.output.is_some() {
        // The file beside the one that is written must not outlive a Ctrl-C.
        interrupt.watch()?;
    }
    let found = find(arguments, &job)?;
    let head = Report {
        machine: opening::machine(&found, &job, &arguments.output),
        ..head(&policy)
    };
    confine::confine(&found, &job, arguments);
    let exit = if stream::fits(arguments, &found) {
        let crew = folder::Crew::new(found.files.len(), &job, arguments, &interrupt)?;
        stream::run(found, &crew, &policy, arguments, &head)?
    } else {
        let files: Vec<_> = found.files.iter().map(|file| file.path.clone()).collect();
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

/// Name and version, as reports open with it.
pub fn tool() -> String {
    format!("ioalign {}", env!("CARGO_PKG_VERSION"))
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
        [only] => judged.extend(folder::judge_one(only, job)),
        files => {
            let crew = folder::Crew::new(files.len(), job, arguments, interrupt)?;
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

impl CheckJob {
    fn new(arguments: &CheckArgs, policy: &judge::JudgeOptions) -> Result<Self> {
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
        Ok(Self {
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
            text_format,
        })
    }

    /// Whether a file is judged by what is in it: not as a device of a captured host, nor by where it
    /// lies, nor as a text that is named to be one.
    const fn reads_contents(&self) -> bool {
        self.sysroot.is_none() && !self.extents && !self.chain && self.text_format.is_none()
    }

    /// The default job: what `check FILE` does.
    pub fn plain() -> Self {
        Self {
            inspect: AssembleOptions::default(),
            judge: judge::JudgeOptions::default(),
            sysroot: None,
            chain: false,
            extents: false,
            direct_io: false,
            text_format: None,
        }
    }
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
        targets: vec![target::host(&CheckJob::plain(), &[])],
        machine: crate::machine::read(&[]),
        ..head(&Policy::default())
    }
}

/// The report of bytes that came without a file, without a policy.
pub fn given(name: &str, bytes: &[u8]) -> Report {
    Report {
        targets: vec![target::given(name, bytes)],
        ..head(&Policy::default())
    }
}

/// Judges a capture in memory, as `check FILE` does, for the server of a fleet: its document, or why it is none.
pub fn captured(bytes: &[u8]) -> Result<Vec<u8>, String> {
    let target = target::given(CAPTURE, bytes);
    let head = bytes.get(..archive::HEAD).unwrap_or(bytes);
    if target.source != SourceKind::Capture || !archive::may_be(head) {
        return Err("it is no tarball of a host".to_owned());
    }
    let is_empty = target.stack.layers().next().is_none();
    if let Some(error) = target.error.as_ref().filter(|_| is_empty) {
        return Err(error.message.clone());
    }
    let report = Report {
        targets: vec![target],
        tool: tool(),
        ..Report::default()
    };
    Ok(ioalign_report::json::render(&report, &RenderOptions::default()).into_bytes())
}

/// Judges one file for other verbs.
pub fn one(path: &Path, job: &CheckJob) -> Target {
    target::judge(path, job)
}

/// Judges a text, image or device for other commands.
pub fn any(path: &Path) -> Target {
    let job = CheckJob::plain();
    let (texts, _) = captures::split(&[path.to_owned()], None);
    if texts.is_empty() {
        target::judge(path, &job)
    } else {
        target::texts(&job, &texts)
    }
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
