//! The destination of a comparison.

use std::path::PathBuf;

use anyhow::Result;
use ioalign_core::comparison::Comparison;
use ioalign_report::RenderOptions;
use ioalign_report::comparison::ComparisonFormat;

use crate::args::ShownArgs;
use crate::look;
use crate::output_file::Destination;

/// To the file that was named, or to standard output.
pub fn write(comparison: &Comparison, shown: &ShownArgs) -> Result<()> {
    let format = shown.format();
    let mut options: RenderOptions = look::options(&shown.look);
    options.color &= format == ComparisonFormat::Text && shown.output.is_none();
    let text = format.render(comparison, &options);
    let targets = [PathBuf::from(&comparison.target)];
    destination(shown, &targets).write(|out| out.write_all(text.as_bytes()))
}

/// The destination; never a target.
pub fn destination<'a>(shown: &'a ShownArgs, targets: &[PathBuf]) -> Destination<'a> {
    Destination::report(
        shown.output.as_deref(),
        shown.replace,
        &with_members(targets),
    )
}

/// Targets, and the files in those that are folders.
pub fn with_members(targets: &[PathBuf]) -> Vec<PathBuf> {
    let entries = |path: &PathBuf| std::fs::read_dir(path).into_iter().flatten().flatten();
    let members = targets.iter().flat_map(entries).map(|entry| entry.path());
    targets.iter().cloned().chain(members).collect()
}
