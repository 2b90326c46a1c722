//! Runs the sessions of all pages.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::ops::Range;
use std::path::Path;
use std::process::{Command, Stdio};

use super::compare::{has_gaps, is_same};
use super::page::{PagePart, Session, parts};
use super::{NOT_RUN, pages, program_folder, root, text};

/// A command may take so long.
const LIMIT_SECONDS: &str = "120";

/// What all pages came to.
#[derive(Default)]
struct Outcome {
    run: usize,
    left_out: BTreeMap<&'static str, usize>,
    wrong: String,
}

#[test]
fn what_is_shown_is_what_the_program_says() {
    needs!(Root, Packages);
    let only = std::env::var("IOALIGN_PAGE").ok();
    let mut outcome = Outcome::default();
    for name in pages() {
        if only.as_ref().is_none_or(|only| name.ends_with(only)) {
            run_page(&name, &mut outcome);
        }
    }
    report(&outcome);
    assert!(outcome.wrong.is_empty(), "{}", outcome.wrong);
}

fn report(outcome: &Outcome) {
    use std::io::Write as _;
    let mut lines = format!(
        "\ndocuments: {} commands were run and compared\n",
        outcome.run
    );
    for (word, number) in &outcome.left_out {
        let reason = NOT_RUN.iter().find(|(known, _)| known == word);
        let reason = reason.map_or("", |(_, reason)| reason);
        let _ = writeln!(lines, "  {number:3} were not: {word}: {reason}");
    }
    // Not through `print!`, which libtest captures.
    let _ = std::io::stderr().write_all(lines.as_bytes());
}

fn run_page(name: &str, outcome: &mut Outcome) {
    let page = text(name);
    let lines: Vec<_> = page.lines().collect();
    let folder = tempfile::tempdir().unwrap();
    let mut changes: Vec<(Range<usize>, Vec<String>)> = Vec::new();
    for part in parts(&page) {
        match part {
            PagePart::Setup(script) => {
                let (said, worked) = shell(folder.path(), &format!("set -e\n{script}"));
                assert!(worked, "{name}: its setup fails: {said}");
            }
            PagePart::Session(session) => {
                let place = format!("{name}:{}", session.line);
                match reason(&session, &place) {
                    Some(word) => *outcome.left_out.entry(word).or_default() += session.steps.len(),
                    None => run_session(
                        &session,
                        &place,
                        folder.path(),
                        &lines,
                        outcome,
                        &mut changes,
                    ),
                }
            }
        }
    }
    if std::env::var_os("UPDATE_DOCS").is_some() && !changes.is_empty() {
        std::fs::write(root().join(name), changed(&lines, changes)).unwrap();
    }
}

/// Why a session is not run.
fn reason(session: &Session, place: &str) -> Option<&'static str> {
    let (kind, more) = session
        .words
        .split_first()
        .unwrap_or_else(|| panic!("{place}: commands want ```console"));
    assert_eq!(kind, "console", "{place}: commands want ```console");
    let mut reason = None;
    for word in more {
        let known = NOT_RUN.iter().find(|(known, _)| known == word);
        assert!(
            known.is_some() || word == "figures",
            "{place}: console {word}?"
        );
        reason = reason.or(known.map(|(word, _)| *word));
    }
    reason
}

fn run_session(
    session: &Session,
    place: &str,
    folder: &Path,
    lines: &[&str],
    outcome: &mut Outcome,
    changes: &mut Vec<(Range<usize>, Vec<String>)>,
) {
    let without_figures = session.words.iter().any(|word| word == "figures");
    assert!(
        !session.steps.is_empty(),
        "{place}: no line begins with `$ `"
    );
    for step in &session.steps {
        let (said, _) = shell(folder, &step.command);
        outcome.run += 1;
        let shown = trimmed(&lines[step.said.clone()]);
        let said: Vec<_> = said.lines().collect();
        let said = trimmed(&said);
        if is_same(shown, said, without_figures) {
            continue;
        }
        let command = &step.command;
        let text = said.join("\n");
        let _ = write!(outcome.wrong, "{place}: $ {command}\nsays\n{text}\n\n");
        if !has_gaps(shown) {
            let shown = step.said.start..step.said.start + shown.len();
            changes.push((
                shown,
                said.iter().map(|line| line.trim_end().to_owned()).collect(),
            ));
        }
    }
}

/// Without empty lines at the end.
fn trimmed<'a, 'b>(lines: &'a [&'b str]) -> &'a [&'b str] {
    let last = lines.iter().rposition(|line| !line.trim().is_empty());
    &lines[..last.map_or(0, |last| last + 1)]
}

fn changed(lines: &[&str], changes: Vec<(Range<usize>, Vec<String>)>) -> String {
    let mut out: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
    for (range, said) in changes.into_iter().rev() {
        out.splice(range, said);
    }
    out.join("\n") + "\n"
}

/// Standard output and errors of a command, as a terminal has them, and whether it succeeded.
fn shell(folder: &Path, script: &str) -> (String, bool) {
    let path = std::env::var("PATH").unwrap_or_default();
    let mut command = Command::new("timeout");
    command
        .args([LIMIT_SECONDS, "bash", "-c", &format!("exec 2>&1\n{script}")])
        .current_dir(folder)
        .env_clear()
        .env(
            "PATH",
            format!("{}:{path}:/usr/sbin:/sbin", program_folder()),
        )
        .env("HOME", folder)
        .env("LC_ALL", "C.UTF-8")
        .env("MTOOLS_SKIP_CHECK", "1")
        .stdin(Stdio::null());
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let said = said.replace(&format!("{}/", folder.display()), "");
    (said, output.status.success())
}
