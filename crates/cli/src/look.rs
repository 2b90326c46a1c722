//! How verbs write their answers: text with the look that was asked for, JSON as it is made.

use std::io::{BufWriter, IsTerminal, Write};

use anyhow::{Context, Result};
use ioalign_report::json::Visible;
use ioalign_report::{RenderOptions, Verbosity};
use serde::Serialize;

use crate::args::{LookArgs, TerminalArgs};

/// The look that the arguments and the terminal ask for.
pub fn options(look: &LookArgs) -> RenderOptions {
    RenderOptions {
        width: width(),
        color: std::io::stdout().is_terminal() && color(look.terminal),
        ascii: ascii(look.terminal),
        verbosity: verbosity(look.quiet, look.verbose),
        ..RenderOptions::default()
    }
}

/// The look of verbs without options for it.
pub fn uncoloured() -> RenderOptions {
    RenderOptions {
        width: width(),
        ascii: ascii(TerminalArgs::default()),
        ..RenderOptions::default()
    }
}

/// The columns of text that is not for a terminal.
pub const ELSEWHERE: usize = 100;

/// The columns that text may take: `COLUMNS`, or the terminal's, or 100.
pub fn width() -> usize {
    let typed = std::env::var("COLUMNS").ok();
    let typed = typed.and_then(|columns| columns.parse().ok());
    let own = || rustix::termios::tcgetwinsize(std::io::stdout()).ok();
    let columns = typed.or_else(|| own().map(|size| usize::from(size.ws_col)));
    columns
        .filter(|columns| *columns > 0)
        .map_or(ELSEWHERE, |columns| {
            columns.clamp(RenderOptions::NARROWEST, 200)
        })
}

/// Whether colour is welcome on a terminal.
pub fn color(terminal: TerminalArgs) -> bool {
    !terminal.no_color && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

/// Whether only ASCII is shown: where it is asked for, and where the locale says that nothing else can be.
pub fn ascii(terminal: TerminalArgs) -> bool {
    let set = |name| std::env::var(name).ok().filter(|value| !value.is_empty());
    let locale = set("LC_ALL")
        .or_else(|| set("LC_CTYPE"))
        .or_else(|| set("LANG"));
    terminal.ascii || locale.is_some_and(|locale| matches!(locale.as_str(), "C" | "POSIX"))
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

/// One document in one line, for programs that wait for it.
pub fn json_line(document: &impl Serialize) -> Result<()> {
    let mut out = Visible(std::io::stdout().lock());
    serde_json::to_writer(&mut out, document)
        .map_err(std::io::Error::from)
        .and_then(|()| out.write_all(b"\n"))
        .and_then(|()| out.flush())
        .context("standard output")
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
