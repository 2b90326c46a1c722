//! How answers of `trace` are written.

use std::io::{IsTerminal, Write};

use anyhow::{Context, Result};
use ioalign_report::{Options, Verbosity};
use serde::Serialize;

use crate::args::LookArgs;

/// The look that the arguments and the terminal ask for.
pub fn options(look: &LookArgs) -> Options {
    let no_color = look.no_color || std::env::var_os("NO_COLOR").is_some_and(|v| !v.is_empty());
    let verbosity = match (look.quiet, look.verbose) {
        (true, _) => Verbosity::Quiet,
        (_, 0) => Verbosity::Normal,
        _ => Verbosity::Verbose,
    };
    Options {
        color: std::io::stdout().is_terminal() && !no_color,
        ascii: look.ascii,
        verbosity,
        ..Options::default()
    }
}

/// Text to standard output.
pub fn write(text: &str) -> Result<()> {
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes())
        .and_then(|()| out.flush())
        .context("standard output")
}

/// One document to standard output.
pub fn json(document: &impl Serialize) -> Result<()> {
    write(&self::document(document)?)
}

/// One document as text.
pub fn document(document: &impl Serialize) -> Result<String> {
    let text = serde_json::to_string_pretty(document)?;
    Ok(format!(
        "{}\n",
        ioalign_report::json::escape_invisible(text)
    ))
}
