//! Man pages and completions, from the argument definitions.

use std::io::{self, Write};
use std::path::Path;

use anyhow::{Context, Result};
use clap::{Command, CommandFactory};
use clap_complete::Shell;
use clap_mangen::Man;

use crate::args::Cli;
use crate::exit::Exit;
use crate::help::HelpText;

/// The columns of an example on a man page: an indentation of 7 remains below 80.
const COLUMNS: usize = 72;

/// Prints a completion script.
pub fn completions(shell: Shell) -> Result<Exit> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "ioalign", &mut script);
    io::stdout().write_all(&script)?;
    Ok(Exit::Done)
}

/// Prints `ioalign.1`, or writes a page a verb into `folder`.
pub fn man(folder: Option<&Path>) -> Result<Exit> {
    let mut command = Cli::command().disable_help_subcommand(true);
    command.build();
    match folder {
        Some(folder) => {
            std::fs::create_dir_all(folder)
                .and_then(|()| pages(&command, folder))
                .with_context(|| format!("{}: cannot write the man pages", folder.display()))?;
        }
        None => io::stdout().write_all(&page(&command)?)?,
    }
    Ok(Exit::Done)
}

fn pages(command: &Command, folder: &Path) -> io::Result<()> {
    for verb in command.get_subcommands().filter(|verb| !verb.is_hide_set()) {
        pages(verb, folder)?;
    }
    let name = Man::new(command.clone()).get_filename();
    std::fs::write(folder.join(name), page(command)?)
}

/// One page: what the arguments say, then examples and exit status in sections of their own.
fn page(command: &Command) -> io::Result<Vec<u8>> {
    let man = Man::new(command.clone());
    let mut page = Vec::new();
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    if command
        .get_arguments()
        .any(|argument| !argument.is_hide_set())
    {
        man.render_options_section(&mut page)?;
    }
    if command.get_subcommands().any(|verb| !verb.is_hide_set()) {
        man.render_subcommands_section(&mut page)?;
    }
    if let Some(text) = command.get_after_long_help() {
        page.extend(sections(&HelpText::parse(&text.to_string())).into_bytes());
    }
    if command.get_version().is_some() {
        man.render_version_section(&mut page)?;
    }
    Ok(page)
}

fn sections(text: &HelpText) -> String {
    let mut out = String::new();
    if !text.examples.is_empty() {
        let lines: Vec<_> = text
            .lines(COLUMNS)
            .iter()
            .map(|line| escaped(line))
            .collect();
        out.push_str(&format!(".SH EXAMPLES\n.nf\n{}\n.fi\n", lines.join("\n")));
    }
    if !text.notes.is_empty() {
        let notes: Vec<_> = text.notes.iter().map(|note| escaped(note)).collect();
        out.push_str(&format!(".SH NOTES\n{}\n", notes.join("\n.PP\n")));
    }
    if let Some(codes) = &text.exit_status {
        out.push_str(&format!(".SH \"EXIT STATUS\"\n{}\n", escaped(codes)));
    }
    out
}

/// A line of text that means itself to roff.
fn escaped(line: &str) -> String {
    let line = line
        .replace('\\', "\\e")
        .replace('-', "\\-")
        .replace('\'', "\\(aq");
    match line.starts_with('.') {
        true => format!("\\&{line}"),
        false => line,
    }
}
