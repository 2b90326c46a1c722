//! Child processes: started with one printed line, judged by exit status.

use std::ffi::OsStr;
use std::io::{self, BufRead, BufReader, Write};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::paths;

/// A command in the workspace root, with the system's programs on its path.
pub fn command(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    command
        .current_dir(paths::root())
        .env("PATH", ioalign_lab::host::search_path());
    command
}

/// Cargo, as a command in the workspace root.
pub fn cargo(args: &[&str]) -> Command {
    let mut command = command(paths::cargo());
    command.args(args);
    command
}

/// More arguments than this are not shown: a group of tests is a list of names.
const SHOWN: usize = 24;

/// The command as one would type it; of a long one the beginning.
pub fn shown(command: &Command) -> String {
    let program = command.get_program().to_string_lossy();
    let program = program.rsplit('/').next().unwrap_or_default().to_owned();
    let args = command.get_args().map(|arg| arg.to_string_lossy());
    let shown = std::iter::once(program.into()).chain(args).take(SHOWN + 1);
    let text = shown.collect::<Vec<_>>().join(" ");
    match command.get_args().len().saturating_sub(SHOWN) {
        0 => text,
        more => format!("{text} … and {more} more arguments"),
    }
}

/// Runs it with its output shown; whether it succeeded.
pub fn succeeds(command: &mut Command) -> Result<bool> {
    announce(command);
    let status = command
        .status()
        .with_context(|| format!("cannot start `{}`", shown(command)))?;
    Ok(status.success())
}

/// Runs it with its output shown; an error when it fails.
pub fn must(command: &mut Command) -> Result<()> {
    if succeeds(command)? {
        return Ok(());
    }
    bail!("`{}` failed", shown(command))
}

/// Runs it quietly and returns what it printed; an error, with its messages, when it fails.
pub fn output(command: &mut Command) -> Result<String> {
    let output = command
        .output()
        .with_context(|| format!("cannot start `{}`", shown(command)))?;
    if !output.status.success() {
        let messages = String::from_utf8_lossy(&output.stderr);
        bail!("`{}` failed: {}", shown(command), messages.trim());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Runs it; whether it succeeded, and what it said on standard error.
pub fn messages(command: &mut Command) -> Result<(bool, String)> {
    announce(command);
    let output = command
        .output()
        .with_context(|| format!("cannot start `{}`", shown(command)))?;
    let messages = String::from_utf8_lossy(&output.stderr).into_owned();
    Ok((output.status.success(), messages))
}

/// Runs it and passes both of its streams on, line by line, while `each` sees every line.
pub fn tee(command: &mut Command, mut each: impl FnMut(&str)) -> Result<bool> {
    announce(command);
    let (reader, writer) = io::pipe().context("cannot make a pipe")?;
    let second = writer.try_clone().context("cannot share a pipe")?;
    let spawned = command.stdout(writer).stderr(second).spawn();
    // The command holds the writing ends until it gets others: without this the reader never sees an end.
    command.stdout(Stdio::inherit()).stderr(Stdio::inherit());
    let mut child = spawned.with_context(|| format!("cannot start `{}`", shown(command)))?;
    for line in BufReader::new(reader).split(b'\n') {
        let line = line.context("cannot read the child's output")?;
        let line = String::from_utf8_lossy(&line);
        println!("{line}");
        each(&line);
    }
    Ok(child.wait().context("cannot wait for the child")?.success())
}

fn announce(command: &Command) {
    // Both streams reach one log in CI: without the flush their order is lost.
    let _ = std::io::stdout().flush();
    eprintln!("+ {}", shown(command));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_names_is_cut_short() {
        let mut long = Command::new("/usr/bin/cargo");
        long.arg("test");
        assert_eq!(shown(&long), "cargo test");
        long.args((0..600).map(|n| format!("tests::name{n}")));
        let text = shown(&long);
        assert!(text.starts_with("cargo test tests::name0 "), "{text}");
        assert!(text.ends_with(" … and 577 more arguments"), "{text}");
        assert!(text.len() < 500);
    }
}
