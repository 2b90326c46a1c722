//! Every command that the documents name has the options that they name.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use super::super::PROGRAM;
use super::page::fences;
use super::{pages, text};

/// Verbs with verbs of their own.
const NESTED: [&str; 4] = ["trace", "measure", "simulate", "lab"];

#[test]
fn every_option_that_is_shown_exists() {
    let mut helps = BTreeMap::new();
    let mut wrong = BTreeSet::new();
    let mut seen = 0;
    for name in pages().into_iter().filter(|name| name != "CHANGELOG.md") {
        for command in commands(&text(&name)) {
            seen += 1;
            for option in unknown(&command, &mut helps) {
                wrong.insert(format!("{name}: {option}: {command}"));
            }
        }
    }
    assert!(seen > 100, "{seen} commands");
    let list: Vec<_> = wrong.into_iter().collect();
    assert!(
        list.is_empty(),
        "not an option there:\n  {}",
        list.join("\n  ")
    );
}

/// What stands behind `ioalign ` in code: lines of fences, and spans in prose.
fn commands(page: &str) -> Vec<String> {
    // The pages of rules have them as text.
    let page = page.replace("\\`", "`");
    let lines: Vec<_> = page.lines().collect();
    let code = fences(&lines);
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        if code.iter().any(|fence| fence.lines.contains(&at)) {
            let typed = line
                .trim_start()
                .trim_start_matches("$ ")
                .trim_start_matches("# ");
            found.extend(typed.strip_prefix("ioalign ").map(str::to_owned));
        } else {
            let spans = line.split('`').skip(1).step_by(2);
            found.extend(
                spans
                    .filter_map(|span| span.strip_prefix("ioalign "))
                    .map(str::to_owned),
            );
        }
    }
    found.retain(|command| command.starts_with(|c: char| c.is_ascii_lowercase()));
    found
}

fn unknown(command: &str, helps: &mut BTreeMap<String, Option<String>>) -> Vec<String> {
    // Another command begins behind these.
    let own = command
        .split(['|', ';', '#', '>'])
        .next()
        .unwrap_or_default();
    let mut words = own.split_whitespace();
    let verb = words.next().unwrap_or_default();
    let nested = words
        .next()
        .filter(|_| NESTED.contains(&verb))
        .unwrap_or_default();
    let key = format!("{verb} {nested}");
    let help = helps.entry(key).or_insert_with(|| help(verb, nested));
    let Some(help) = help else {
        return vec![format!("{verb} {nested} is no command")];
    };
    let options = own.split_whitespace().filter(|word| word.starts_with("--"));
    let names = options.map(|word| {
        word.split(['=', ']', '\\', ',', ')'])
            .next()
            .unwrap_or_default()
    });
    names
        .filter(|name| name.len() > 2 && !help.contains(*name))
        .map(str::to_owned)
        .collect()
}

/// What `--help` says of a command; nothing if there is none.
fn help(verb: &str, nested: &str) -> Option<String> {
    let mut command = Command::new(PROGRAM);
    command.arg(verb);
    if nested.chars().all(|c| c.is_ascii_lowercase() || c == '-')
        && !nested.starts_with('-')
        && !nested.is_empty()
    {
        command.arg(nested);
    }
    let output = command.arg("--help").output().unwrap();
    output
        .status
        .success()
        .then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}
