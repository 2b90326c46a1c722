//! The destination and the form of the report.

use std::io::IsTerminal;
use std::path::PathBuf;

use anyhow::Result;
use ioalign_check::report;
use ioalign_core::Severity;
use ioalign_core::layer::Kind;
use ioalign_device::create::Readers;
use ioalign_report::{RenderOptions, Report, ReportFormat};

use super::backing;
use crate::args::{CheckArgs, OutputArgs};
use crate::look;
use crate::output_file::Destination;
use crate::say;

/// Renders the report and writes it. `files`: what was judged.
pub fn write(report: &Report, arguments: &CheckArgs, files: &[PathBuf]) -> Result<()> {
    if let Some(error) = only_error(report, arguments) {
        say::note(error);
        return Ok(());
    }
    let options = render_options(&arguments.output, arguments.rows);
    let text = arguments.output.format().render(report, &options);
    destination(arguments, files).write(|out| out.write_all(text.as_bytes()))
}

/// Why the one target cannot be read, where nothing else is to be said of it: an error, not a report. The line of
/// `--quiet` stays: monitoring takes its message from standard output.
fn only_error(report: &Report, arguments: &CheckArgs) -> Option<String> {
    let output = &arguments.output;
    let for_people =
        output.format() == ReportFormat::Text && output.output.is_none() && !output.quiet;
    for_people.then(|| report::unreadable(report))?
}

/// The destination of the report. Formats that other programs collect (`prometheus`, `nagios`, `sarif`, `junit`)
/// contain no serial numbers, and are readable by the umask.
pub fn destination<'a>(arguments: &'a CheckArgs, files: &[PathBuf]) -> Destination<'a> {
    let output = &arguments.output;
    let file = output.output.as_deref();
    let mut kept = Vec::new();
    // The files below thousands of targets are looked at only where one of them could be meant.
    if file.is_some_and(|path| path.symlink_metadata().is_ok()) {
        kept.extend(arguments.targets.iter().chain(&arguments.policy).cloned());
        kept.extend(files.iter().flat_map(|file| backing::files_of(file)));
    }
    let destination = Destination::report(file, output.replace, &kept);
    match output.format() {
        ReportFormat::Prometheus
        | ReportFormat::Nagios
        | ReportFormat::Sarif
        | ReportFormat::Junit => Destination {
            readers: Readers::Usual,
            ..destination
        },
        _ => destination,
    }
}

/// Whether the report is shown on a terminal.
pub fn on_terminal(output: &OutputArgs) -> bool {
    output.output.is_none() && std::io::stdout().is_terminal()
}

/// The look that the arguments and the terminal ask for.
fn render_options(output: &OutputArgs, max_rows: usize) -> RenderOptions {
    let text = output.format() == ReportFormat::Text;
    RenderOptions {
        color: text && on_terminal(output) && look::color(output.terminal),
        ascii: look::ascii(output.terminal),
        verbosity: look::verbosity(output.quiet, output.verbose),
        width: width(output),
        max_rows,
    }
}

/// The columns that the report may take: those of the terminal that it is for.
fn width(output: &OutputArgs) -> usize {
    match output.output {
        None => look::width(),
        Some(_) => look::ELSEWHERE,
    }
}

/// That tool's contract: 3 when a partition is aligned to less than 4 KiB, 2 below 64 KiB, else 0;
/// counted as documented, where the tool itself takes 1 KiB for the lower limit.
pub fn virt_alignment_scan(report: &Report) -> u8 {
    let starts = report.targets.iter().flat_map(|target| {
        target.stack.layers().filter_map(|(_, layer)| {
            let data = layer.kind == Kind::Partition && layer.role.carries_data();
            layer
                .below
                .first()
                .filter(|_| data)
                .and_then(|edge| edge.map.start())
        })
    });
    let worst = starts.filter_map(|start| start.natural_alignment()).min();
    match worst.map(ioalign_core::Bytes::get) {
        Some(alignment) if alignment < 4096 => 3,
        Some(alignment) if alignment < 65536 => 2,
        None if report.verdict() == Severity::Unknown => 1,
        _ => 0,
    }
}
