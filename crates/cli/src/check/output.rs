//! Where the report goes and how it looks there.

use std::fs::File;
use std::io::{IsTerminal, Write};
use std::os::unix::fs::FileTypeExt;
use std::path::Path;

use anyhow::{Context, Result, bail};
use ioalign_core::Severity;
use ioalign_core::layer::Kind;
use ioalign_report::{Format, Options, Report};

use crate::args::{CheckArgs, OutputArgs};
use crate::beside::temporary;
use crate::look;

/// Renders the report and writes it.
pub fn write(report: &Report, arguments: &CheckArgs) -> Result<()> {
    let output = &arguments.output;
    let options = render_options(output, arguments.rows);
    let text = output.format().render(report, &options);
    to(output.output.as_deref(), |out| {
        out.write_all(text.as_bytes())
    })
}

/// Writes what `put` puts to the file that is named, else to standard output.
pub fn to(
    file: Option<&Path>,
    put: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
) -> Result<()> {
    match file {
        Some(path) => replace(path, put)
            .with_context(|| format!("{}: cannot write the report", path.display())),
        None => {
            let mut stdout = std::io::stdout().lock();
            put(&mut stdout)
                .and_then(|()| stdout.flush())
                .context("standard output")
        }
    }
}

/// Whether the report is shown on a terminal.
pub fn on_terminal(output: &OutputArgs) -> bool {
    output.output.is_none() && std::io::stdout().is_terminal()
}

/// The look that the arguments and the terminal ask for.
fn render_options(output: &OutputArgs, max_rows: usize) -> Options {
    let text = output.format() == Format::Text;
    Options {
        color: text && on_terminal(output) && look::color(output.no_color),
        ascii: output.ascii,
        verbosity: look::verbosity(output.quiet, output.verbose),
        max_rows,
        ..Options::default()
    }
}

/// A reader of the file sees the old report or the new one, never half of one.
fn replace(
    path: &Path,
    put: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
) -> std::io::Result<()> {
    if is_disk(path) {
        return Err(std::io::Error::other("it is a block device"));
    }
    if is_special(path) {
        return File::options()
            .write(true)
            .open(path)
            .and_then(|mut file| put(&mut file));
    }
    let temporary = temporary(path);
    File::create(&temporary)
        .and_then(|mut file| put(&mut file))
        .and_then(|()| std::fs::rename(&temporary, path))
        .inspect_err(|_| {
            // The error that matters is the first one.
            let _ = std::fs::remove_file(&temporary);
        })
}

/// `/dev/null`, a terminal, a pipe: written to, for a file in their place would be harm.
fn is_special(path: &Path) -> bool {
    path.metadata()
        .is_ok_and(|found| !found.is_file() && !found.is_dir())
}

/// A report in the place of a disk, or at its start, would be harm as well.
fn is_disk(path: &Path) -> bool {
    path.metadata()
        .is_ok_and(|found| found.file_type().is_block_device())
}

/// Whether a report can be written there: asked before hours of load, not after them. Nothing is left of the
/// question, and what is in the file stays in it.
pub fn possible(file: Option<&Path>) -> Result<()> {
    let Some(path) = file else { return Ok(()) };
    let name = || format!("{}: cannot write the report", path.display());
    if is_disk(path) || path.is_dir() {
        bail!("{}: it is no file", name());
    }
    if is_special(path) {
        return Ok(());
    }
    // As it will be: made beside it, and renamed.
    let temporary = temporary(path);
    let mut options = File::options();
    options.write(true).create_new(true);
    options.open(&temporary).with_context(name)?;
    std::fs::remove_file(&temporary).with_context(name)
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
