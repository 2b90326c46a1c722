//! Tests of the filesystems readers.
//!
//! mkfs makes the fixtures, its dump tool and `blkid -p` are the oracles. What no tool here makes
//! (VMFS, ZFS, ReFS, bcachefs, Apple's) is written by the tests themselves.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::collections::BTreeMap;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ioalign_inspect::filesystems::{self, FileSystem};
use ioalign_inspect::source::{FileSource, MemorySource};
use ioalign_inspect::view::View;
use ioalign_testkit::run::command;
use tempfile::TempDir;

use crate::tools::run;

mod database;
mod ext;
mod fat;
mod hostile;
mod linux;
mod microsoft;
mod optical;
mod order;
mod ufs;
mod vmfs;
mod xfs;
mod zfs;

const MIB: u64 = 1 << 20;

/// A sparse file in a folder of its own.
struct Fixture {
    _folder: TempDir,
    path: PathBuf,
}

impl Fixture {
    fn new(size: u64) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("fixture");
        File::create(&path).unwrap().set_len(size).unwrap();
        Self {
            _folder: folder,
            path,
        }
    }

    /// Runs `tool ARGUMENTS… FILE`.
    fn made_by(size: u64, tool: &str, arguments: &[&str]) -> Self {
        let fixture = Self::new(size);
        fixture.tool(tool, arguments);
        fixture
    }

    fn tool(&self, tool: &str, arguments: &[&str]) -> String {
        run(command(tool).args(arguments).arg(&self.path))
    }

    fn write(&self, at: u64, bytes: &[u8]) {
        let file = File::options().write(true).open(&self.path).unwrap();
        file.write_all_at(bytes, at).unwrap();
    }

    fn read(&self, at: u64, len: usize) -> Vec<u8> {
        let mut bytes = vec![0; len];
        let file = File::open(&self.path).unwrap();
        file.read_exact_at(&mut bytes, at).unwrap();
        bytes
    }

    fn view(&self) -> View {
        View::new(Arc::new(FileSource::open(&self.path).unwrap()))
    }

    fn probe(&self) -> Option<FileSystem> {
        filesystems::probe(&self.view()).unwrap()
    }

    /// What is found, which must be what blkid finds under the name `kind`.
    fn agreed(&self, kind: &str) -> FileSystem {
        let found = self.probe().expect("nothing recognised");
        let blkid = blkid(&self.path);
        let say = |key: &str| blkid.get(key).cloned().unwrap_or_default();
        assert_eq!(say("TYPE"), kind, "{blkid:?}");
        assert_eq!(say("UUID"), found.uuid, "{blkid:?}");
        assert_eq!(say("LABEL"), found.label, "{blkid:?}");
        found
    }
}

fn blkid(path: &Path) -> BTreeMap<String, String> {
    run(command("blkid").args(["-p", "-o", "export"]).arg(path))
        .lines()
        .filter_map(|line| line.split_once('='))
        .map(|(key, value)| (key.to_owned(), value.replace('\\', "")))
        .collect()
}

fn probe_bytes(bytes: Vec<u8>) -> Option<FileSystem> {
    filesystems::probe(&View::new(Arc::new(MemorySource::new(bytes)))).unwrap()
}

/// The value after `key` on the line that starts with it.
fn value<'a>(text: &'a str, key: &str) -> &'a str {
    text.lines()
        .find_map(|line| line.trim().strip_prefix(key))
        .unwrap_or_else(|| panic!("no {key} in:\n{text}"))
        .trim_start_matches([':', '=', ' ', '\t'])
        .trim()
}

fn number(text: &str, key: &str) -> u64 {
    let word = value(text, key);
    let digits = word.find(|c: char| !c.is_ascii_digit());
    word[..digits.unwrap_or(word.len())].parse().unwrap()
}

/// Writes little-endian and other fields into an image in memory.
fn put(image: &mut [u8], at: usize, bytes: &[u8]) {
    image[at..at + bytes.len()].copy_from_slice(bytes);
}
