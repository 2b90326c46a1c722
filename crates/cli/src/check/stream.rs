//! Many targets as JSON: each is written as soon as those before it are, and no longer held.

use std::io::{BufWriter, Write};

use anyhow::Result;
use ioalign_check::{FoundTargets, NamedFolders};
use ioalign_core::Severity;
use ioalign_core::severity::verdict;
use ioalign_report::{Report, ReportFormat, Target, json};

use super::crew::Crew;
use super::output;
use crate::args::CheckArgs;
use crate::exit::{self, Exit, ExitMode};
use crate::policy::Policy;

/// This many are judged before the first of them is written: enough for all processors, and about 10
/// MiB.
const AT_ONCE: usize = 512;
/// Bytes that are collected before they are written.
const BUFFER: usize = 64 << 10;

/// Whether the targets can be shown one by one: the other formats put the worst first or make tables,
/// and the codes of that mode look at the layers of all.
pub fn fits(arguments: &CheckArgs, found: &FoundTargets) -> bool {
    found.files.len() > 1
        && arguments.output.format() == ReportFormat::Json
        && arguments.exit_mode() != ExitMode::VirtAlignmentScan
}

/// Judges the targets and writes them below `head`, a report without any.
pub fn run(
    found: FoundTargets,
    crew: &Crew<'_>,
    policy: &Policy,
    arguments: &CheckArgs,
    head: &Report,
) -> Result<Exit> {
    let mut tally = ExitTally::default();
    let files: Vec<_> = found
        .files
        .iter()
        .map(|file| file.file().to_owned())
        .collect();
    let chunks = found.files.chunks(AT_ONCE);
    let chunks = std::iter::once(found.judged).chain(chunks.map(|files| crew.judge(files)));
    let mut folders = Some(found.folders);
    let chunks = chunks.map(Some).chain(std::iter::once(None));
    let targets = chunks.flat_map(|chunk| {
        let mut targets = match (chunk, &mut folders) {
            (Some(targets), Some(folders)) => {
                targets.iter().for_each(|target| folders.judged(target));
                targets
            }
            // After the last: what is said of folders without any.
            (_, folders) => folders.take().map(NamedFolders::silent).unwrap_or_default(),
        };
        policy.apply(&mut targets);
        targets.iter().for_each(|target| tally.add(target, head));
        targets
    });
    output::destination(arguments, &files).write(|out| {
        let mut out = BufWriter::with_capacity(BUFFER, out);
        json::write(&mut out, head, targets)?;
        out.flush()
    })?;
    let mode = arguments.exit_mode();
    Ok(exit::code(mode, tally.counted, tally.unreadable))
}

/// The facts of all targets that the exit code needs.
struct ExitTally {
    counted: Severity,
    unreadable: bool,
}

impl Default for ExitTally {
    fn default() -> Self {
        Self {
            counted: Severity::Ok,
            unreadable: false,
        }
    }
}

impl ExitTally {
    fn add(&mut self, target: &Target, report: &Report) {
        self.counted = verdict([self.counted, report.fail.counted_of(target)]);
        self.unreadable |= target.error.is_some();
    }
}
