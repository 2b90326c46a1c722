//! The shell scripts: syntax by the shell itself, habits by shellcheck.

use std::path::Path;

use anyhow::Result;

use crate::{paths, run};

/// Every script that git knows; whether all are clean.
pub fn check() -> Result<bool> {
    let files = run::output(run::command("git").args(["ls-files", "-z"]))?;
    let scripts: Vec<&str> = files.split('\0').filter(|file| is_script(file)).collect();
    if scripts.is_empty() {
        return Ok(true);
    }
    let mut command = run::command("shellcheck");
    run::succeeds(command.args(["--severity=warning", "--"]).args(scripts))
}

/// By name, or by the first line.
fn is_script(file: &str) -> bool {
    let text = std::fs::read(paths::root().join(file)).unwrap_or_default();
    let named = Path::new(file)
        .extension()
        .is_some_and(|ending| ending == "sh");
    let first = text.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let first = String::from_utf8_lossy(first);
    named || (first.starts_with("#!") && first.trim_end().ends_with("sh"))
}
