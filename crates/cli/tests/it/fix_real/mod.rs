//! `ioalign fix` on real file systems and real boots, judged by their own tools. Most of it needs root, for
//! loop devices and mounts.

mod aliases;
mod beside;
mod boot;
mod filesystems;
mod guest;
mod image;
mod kills;
mod kinds;

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use super::PROGRAM;

/// A target, and the journal of the moves on it.
struct Fix {
    target: PathBuf,
    journal: PathBuf,
}

impl Fix {
    /// `target` is an image or a device; the journal lies in `folder`.
    fn new(target: &Path, folder: &Path) -> Self {
        Self {
            target: target.to_owned(),
            journal: folder.join("journal"),
        }
    }

    /// `fix TARGET VERB --journal FILE`; the verb is `--apply`, `--resume` or `--rollback`.
    fn command(&self, verb: &str) -> Command {
        let mut command = Command::new(PROGRAM);
        command.arg("fix").arg(&self.target);
        command.arg(verb).arg("--journal").arg(&self.journal);
        command.stdin(Stdio::null());
        command
    }

    /// The same with nothing shown, in small steps and slowly: it will be killed.
    fn slow(&self, verb: &str) -> Command {
        let mut command = self.command(verb);
        command.args(["--chunk", "1M", "--limit", "100M"]);
        if verb == "--apply" {
            // A loop device has blocks of 512 bytes, and no other grid that anything could be off.
            command.args(["--align", "1M"]);
        }
        command.stdout(Stdio::null()).stderr(Stdio::null());
        command
    }

    /// Runs a verb to its end; it must succeed, and leave no journal.
    fn run(&self, verb: &str) -> Output {
        let output = self.command(verb).output().unwrap();
        assert!(
            output.status.success(),
            "{verb}: {}\n{}{}",
            output.status,
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        );
        assert!(!self.journal.exists(), "{verb} left its journal");
        output
    }
}
