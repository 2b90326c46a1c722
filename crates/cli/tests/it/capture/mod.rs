//! `ioalign capture`: bundles that answer as the host did, and tell no secrets.

mod files;
mod planted;
mod secrets;
mod stacks;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use ioalign_testkit::run::{text, tool};
use ioalign_testkit::{CheckRun, check};
use serde_json::Value;
use tempfile::TempDir;

use super::PROGRAM;

/// `ioalign capture ARGUMENT…`
pub fn capture<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>) -> Output {
    let mut command = Command::new(PROGRAM);
    command.arg("capture").args(arguments);
    command.output().unwrap()
}

/// A bundle of a captured tree, in a folder of its own.
pub struct Bundle {
    folder: TempDir,
    pub file: PathBuf,
    pub summary: Value,
}

impl Bundle {
    /// `ioalign capture --json -o FILE ARGUMENT…`, which must succeed.
    pub fn new<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("bundle.tar.gz");
        let arguments: Vec<_> = arguments
            .into_iter()
            .map(|argument| argument.as_ref().to_owned())
            .collect();
        let mut all = vec!["--json".into(), "-o".into(), file.clone().into_os_string()];
        all.extend(arguments);
        let output = capture(all);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{errors}");
        let summary = serde_json::from_slice(&output.stdout).unwrap();
        Self {
            folder,
            file,
            summary,
        }
    }

    pub fn of(tree: &Path) -> Self {
        Self::new([OsStr::new("--sysroot"), tree.as_os_str()])
    }

    /// What GNU tar makes of it: the one folder in it.
    pub fn unpack(&self) -> PathBuf {
        let into = self.folder.path().join("unpacked");
        std::fs::create_dir(&into).unwrap();
        tool("tar", &["-xzf", text(&self.file), "-C", text(&into)]);
        let mut entries = std::fs::read_dir(&into).unwrap();
        let top = entries.next().unwrap().unwrap().path();
        assert!(entries.next().is_none(), "one folder holds everything");
        top
    }

    /// All bytes of the tarball.
    pub fn bytes(&self) -> Vec<u8> {
        let output = Command::new("gzip")
            .args(["-dc", text(&self.file)])
            .output()
            .unwrap();
        assert!(output.status.success());
        output.stdout
    }

    pub fn check(&self) -> CheckRun {
        check(PROGRAM, [&self.file])
    }

    pub fn check_with(&self, arguments: &[&str]) -> CheckRun {
        let arguments = arguments.iter().map(OsStr::new);
        check(PROGRAM, arguments.chain([self.file.as_os_str()]))
    }
}

pub fn check_tree(tree: &Path, arguments: &[&str]) -> CheckRun {
    let arguments = arguments.iter().map(OsStr::new);
    let root = [OsStr::new("--sysroot"), tree.as_os_str()];
    check(PROGRAM, root.into_iter().chain(arguments))
}

/// The answer without the target's name, its source, the time that it took, the facts that are
/// blanked, and the folder that paths begin with.
pub fn answer(checked: &CheckRun, folder: &Path) -> Value {
    let mut target = checked.target().clone();
    for key in ["target", "source", "elapsed_us"] {
        target[key] = Value::Null;
    }
    for layer in target["layers"].as_array_mut().unwrap() {
        // Whether md is idle changes between two readings of a live array.
        for fact in ["format", "serial", "partuuid", "array-state"] {
            layer["facts"].as_object_mut().unwrap().remove(fact);
        }
    }
    // Where the disk is not, there is nothing that a command could repair.
    for finding in target["findings"].as_array_mut().unwrap() {
        let steps = finding["do"].as_array_mut().unwrap();
        steps.retain(|step| !step.as_str().unwrap().starts_with("$ ioalign fix"));
    }
    let text = target.to_string().replace(text(folder), "");
    serde_json::from_str(&text).unwrap()
}

/// Fails with the first differing item.
pub fn assert_same(one: &Value, other: &Value, what: &str) {
    for part in ["verdict", "error"] {
        assert_eq!(one[part], other[part], "{what}: {part}");
    }
    for part in ["layers", "grids", "findings"] {
        let (one, other) = (
            one[part].as_array().unwrap(),
            other[part].as_array().unwrap(),
        );
        for (one, other) in one.iter().zip(other) {
            assert_eq!(one, other, "{what}: {part}");
        }
        assert_eq!(one.len(), other.len(), "{what}: {part}");
    }
    assert_eq!(one, other, "{what}");
}
