//! Runs the tools of a file system on a partition, by a loop device that begins and ends with it.

use std::path::Path;
use std::process::{Command, Stdio};

use super::Shrink;
use crate::{Error, ErrorKind, Result};

/// Shrinks the file system. `target` is a disk or a raw image that is not in use; each command is shown
/// before it runs. If a tool fails, or is killed, the table still has the old, larger partition.
pub fn run(target: &Path, shrink: &Shrink, say: &mut dyn FnMut(&str)) -> Result<()> {
    let device = Attached::new(target, shrink)?;
    for words in shrink.commands(&device.0) {
        say(&words.join(" "));
        one(&words)?;
    }
    Ok(())
}

fn one(words: &[String]) -> Result<()> {
    let (tool, arguments) = words.split_first().ok_or_else(nothing)?;
    let done = Command::new(tool)
        .args(arguments)
        .env("LC_ALL", "C")
        .stdin(Stdio::null())
        .output()
        .map_err(|error| Error::io(format!("{tool} cannot be run"), error))?;
    // e2fsck says 1 when it has corrected something.
    let corrected = tool == "e2fsck" && done.status.code() == Some(1);
    if done.status.success() || corrected {
        return Ok(());
    }
    let mut said = String::from_utf8_lossy(&done.stderr).into_owned();
    said.push_str(&String::from_utf8_lossy(&done.stdout));
    let said: Vec<_> = said
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .collect();
    let last = said
        .iter()
        .rev()
        .take(4)
        .rev()
        .copied()
        .collect::<Vec<_>>()
        .join("; ");
    Err(Error::new(
        ErrorKind::Refused,
        format!("{} fails ({}): {last}", words.join(" "), done.status),
    )
    .advise("the partition table was not changed"))
}

fn nothing() -> Error {
    Error::new(ErrorKind::Unsupported, "there is nothing to run")
}

/// A loop device, given back when it is dropped.
struct Attached(String);

impl Attached {
    fn new(target: &Path, shrink: &Shrink) -> Result<Self> {
        let slot = &shrink.slot;
        let done = Command::new("losetup")
            .args(["--find", "--show"])
            .arg(format!("--offset={}", slot.start))
            .arg(format!("--sizelimit={}", slot.size))
            .arg(target)
            .output()
            .map_err(|error| Error::io("losetup cannot be run", error))?;
        if done.status.success() {
            return Ok(Self(
                String::from_utf8_lossy(&done.stdout).trim().to_owned(),
            ));
        }
        let said = String::from_utf8_lossy(&done.stderr);
        Err(Error::new(
            ErrorKind::Refused,
            format!(
                "the tools of the file system need a loop device: {}",
                said.trim()
            ),
        )
        .advise("run this as root"))
    }
}

impl Drop for Attached {
    fn drop(&mut self) {
        // The kernel removes it with its last open descriptor in any case.
        let _ = Command::new("losetup")
            .arg("--detach")
            .arg(&self.0)
            .output();
    }
}
