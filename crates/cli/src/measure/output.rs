//! Where a comparison goes.

use std::fs::OpenOptions;
use std::path::Path;

use anyhow::{Context, Result, bail};
use ioalign_core::comparison::Comparison;
use ioalign_report::Options;
use ioalign_report::comparison::Format;

use crate::args::ShownArgs;
use crate::check;
use crate::look;

/// To the file that was named, or to standard output.
pub fn write(comparison: &Comparison, shown: &ShownArgs) -> Result<()> {
    let format = shown.format();
    let mut options: Options = look::options(&shown.look);
    options.color &= format == Format::Text && shown.output.is_none();
    let text = format.render(comparison, &options);
    check::to(shown.output.as_deref(), |out| {
        out.write_all(text.as_bytes())
    })
}

/// Whether a report can be written there: asked before hours of load, not after them. Nothing is left of the
/// question, and what is in the file stays in it.
pub fn possible(file: Option<&Path>) -> Result<()> {
    let Some(path) = file.filter(|path| !check::is_special(path)) else {
        return Ok(());
    };
    let name = || format!("{}: cannot write the report", path.display());
    if path.is_dir() {
        bail!("{}: it is a folder", name());
    }
    // As it will be: made beside it, and renamed.
    let mut beside = path.file_name().unwrap_or_default().to_owned();
    beside.push(format!(".{}.try", std::process::id()));
    let beside = path.with_file_name(beside);
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    options.open(&beside).with_context(name)?;
    std::fs::remove_file(&beside).with_context(name)
}
