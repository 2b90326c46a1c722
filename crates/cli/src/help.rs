//! The texts below the options: examples stay as they are typed, paragraphs fill the line.

use clap::{Command, CommandFactory};
use ioalign_report::text::command_lines;

use crate::args::Cli;
use crate::look;

/// The widest help.
const WIDEST: usize = 100;

/// Before the comment on an example that has no room beside it.
const COMMENT: &str = "      ";

/// The command line with its examples laid out for this terminal.
pub fn command() -> Command {
    laid_out(whole(), look::width().min(WIDEST))
}

/// The command line with all that is defined when it is parsed.
fn whole() -> Command {
    let mut command = Cli::command();
    command.build();
    command
}

fn laid_out(command: Command, width: usize) -> Command {
    let text = command.get_after_long_help().map(ToString::to_string);
    let mut command = match text {
        Some(text) => command.after_long_help(HelpText::parse(&text).for_terminal(width)),
        None => command,
    };
    let names: Vec<_> = command
        .get_subcommands()
        .map(|sub| sub.get_name().to_owned())
        .collect();
    for name in names {
        command = command.mut_subcommand(name, |sub| laid_out(sub, width));
    }
    command
}

/// A text below the options in its parts.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct HelpText {
    /// Commands, each with what it does.
    pub examples: Vec<(String, String)>,
    /// Paragraphs.
    pub notes: Vec<String>,
    /// The exit codes.
    pub exit_status: Option<String>,
}

impl HelpText {
    /// Takes a text apart: `Examples:` with indented lines, `Exit codes:`, other paragraphs.
    pub fn parse(text: &str) -> Self {
        let mut parts = Self::default();
        for block in text.split("\n\n") {
            let flowing = || block.split_whitespace().collect::<Vec<_>>().join(" ");
            if let Some(lines) = block.strip_prefix("Examples:\n") {
                parts.examples = lines.lines().map(example).collect();
            } else if block.starts_with("Exit codes: ") {
                parts.exit_status = flowing().strip_prefix("Exit codes: ").map(str::to_owned);
            } else {
                parts.notes.push(flowing());
            }
        }
        parts
    }

    fn for_terminal(&self, width: usize) -> String {
        let mut blocks = Vec::new();
        if !self.examples.is_empty() {
            blocks.push(format!("Examples:\n{}", self.lines(width).join("\n")));
        }
        blocks.extend(self.notes.iter().cloned());
        blocks.extend(
            self.exit_status
                .iter()
                .map(|text| format!("Exit codes: {text}")),
        );
        blocks.join("\n\n")
    }

    /// The lines of the examples: the comment below its command where both are wider than `width`, and a `\` where a
    /// command is.
    pub fn lines(&self, width: usize) -> Vec<String> {
        let beside = |command: &str, column: usize, comment: &str| {
            let gap = column.saturating_sub(command.len()).max(2);
            format!("  {command}{}{comment}", " ".repeat(gap))
        };
        let column = self
            .examples
            .iter()
            .map(|(command, _)| command.len() + 2)
            .filter(|wide| *wide <= 45)
            .max()
            .unwrap_or(0);
        let mut lines = Vec::new();
        for (command, comment) in &self.examples {
            let one = beside(command, column, comment);
            if one.trim_end().chars().count() <= width {
                lines.push(one.trim_end().to_owned());
                continue;
            }
            let parts = command_lines(command, width.saturating_sub(COMMENT.len()));
            let lead = |i: usize| if i == 0 { "  " } else { COMMENT };
            lines.extend(
                parts
                    .iter()
                    .enumerate()
                    .map(|(i, part)| format!("{}{part}", lead(i))),
            );
            if !comment.is_empty() {
                lines.push(format!("{COMMENT}{comment}"));
            }
        }
        lines
    }
}

/// A command and its comment, which two spaces part.
fn example(line: &str) -> (String, String) {
    let line = line.trim();
    let (command, comment) = line.split_once("  ").unwrap_or((line, ""));
    (command.to_owned(), comment.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "Examples:\n  ioalign check    this machine\n  ioalign check disk.qcow2 --format html\n\nNothing is\nwritten.\n\nExit codes: 0 ok,\n64 wrong usage.";

    #[test]
    fn a_text_has_three_parts() {
        let parts = HelpText::parse(TEXT);
        assert_eq!(
            parts.examples[0],
            ("ioalign check".to_owned(), "this machine".to_owned())
        );
        assert_eq!(parts.examples[1].1, "");
        assert_eq!(parts.notes, ["Nothing is written."]);
        assert_eq!(parts.exit_status.as_deref(), Some("0 ok, 64 wrong usage."));
    }

    #[test]
    fn no_example_is_wider_than_the_terminal() {
        fn look_at(command: &Command) {
            let text = command.get_after_long_help().map(ToString::to_string);
            for width in [80, 100] {
                let lines = text
                    .as_deref()
                    .map(|text| HelpText::parse(text).lines(width));
                for line in lines.unwrap_or_default() {
                    assert!(line.chars().count() <= width, "{width}: {line}");
                }
            }
            command.get_subcommands().for_each(look_at);
        }
        look_at(&whole());
    }

    #[test]
    fn each_example_of_ours_is_a_command_that_parses() {
        fn look_at(command: &Command) {
            let text = command
                .get_after_long_help()
                .map(ToString::to_string)
                .unwrap_or_default();
            for (example, _) in HelpText::parse(&text).examples {
                // What a shell makes of the rest is not ours.
                let plain = !example.contains(['|', '>', '<', ';', '{', '*', '\'']);
                let words: Vec<_> = example.split_whitespace().collect();
                if plain && words.first() == Some(&"ioalign") {
                    let parsed = Cli::command().try_get_matches_from(&words);
                    assert!(parsed.is_ok(), "{example}: {:?}", parsed.err());
                }
            }
            command.get_subcommands().for_each(look_at);
        }
        look_at(&whole());
    }
}
