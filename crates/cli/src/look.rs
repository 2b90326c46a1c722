//! How verbs write their answers: text with the look that was asked for, JSON as it is made.

use std::io::{BufWriter, IsTerminal, Write};

use anyhow::{Context, Result};
use ioalign_report::json::Visible;
use ioalign_report::{RenderOptions, Verbosity};
use serde::Serialize;

use crate::args::LookArgs;

/// The look that the arguments and the terminal ask for.
pub fn options(look: &LookArgs) -> RenderOptions {
    RenderOptions {
        color: std::io::stdout().is_terminal() && color(look.no_color),
        ascii: look.ascii,
        verbosity: verbosity(look.quiet, look.verbose),
        ..RenderOptions::default()
    }
}

/// The columns that text may take: `COLUMNS`, or the terminal's, or 80.
pub fn width() -> usize {
    let typed = std::env::var("COLUMNS").ok();
    let typed = typed.and_then(|columns| columns.parse().ok());
    let own = || rustix::termios::tcgetwinsize(std::io::stdout()).ok();
    let columns = typed.or_else(|| own().map(|size| usize::from(size.ws_col)));
    columns
        .filter(|columns| *columns > 0)
        .map_or(80, |columns| columns.clamp(RenderOptions::NARROWEST, 200))
}

/// Whether colour is welcome on a terminal.
pub fn color(refused: bool) -> bool {
    !refused && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

/// How much is said, by `--quiet` and how often `--verbose` was given.
pub const fn verbosity(quiet: bool, verbose: u8) -> Verbosity {
    match (quiet, verbose) {
        (true, _) => Verbosity::Quiet,
        (_, 0) => Verbosity::Normal,
        _ => Verbosity::Verbose,
    }
}

/// Text to standard output.
pub fn write(text: &str) -> Result<()> {
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes())
        .and_then(|()| out.flush())
        .context("standard output")
}

/// One document to standard output, as it is made: that of thousands of devices is large.
pub fn json(document: &impl Serialize) -> Result<()> {
    json_to(std::io::stdout().lock(), document).context("standard output")
}

/// The same to anything.
pub fn json_to(out: impl Write, document: &impl Serialize) -> std::io::Result<()> {
    let mut out = Visible(BufWriter::with_capacity(1 << 16, out));
    serde_json::to_writer_pretty(&mut out, document)
        .map_err(std::io::Error::from)
        .and_then(|()| out.write_all(b"\n"))
        .and_then(|()| out.flush())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_json_cannot_act_on_a_terminal() {
        let mut out = Visible(Vec::new());
        let name = "sd\u{9b}31m\u{7f}\u{202e}é";
        serde_json::to_writer(&mut out, &name).unwrap();
        let text = String::from_utf8(out.0).unwrap();
        assert_eq!(text, r#""sd\u009b31m\u007f\u202eé""#);
        assert_eq!(serde_json::from_str::<String>(&text).unwrap(), name);
    }
}
