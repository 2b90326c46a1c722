//! What tools print about volumes, file systems and disks, read as text.
//!
//! The readers of superblocks are the measure: the same bytes are read by a real tool, whose output is
//! read as text, and by us directly, and both must say the same. Older forms are written by hand from
//! the sources of the tools.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::path::{Path, PathBuf};
use std::sync::Arc;

use ioalign_inspect::captures::{self, Said, Text, TextEvidence};
use ioalign_inspect::source::FileSource;
use ioalign_inspect::view::View;
use ioalign_inspect::volumes::{self, VolumeMember};
use ioalign_testkit::run::{command, fixture};

mod filesystems;
mod hints;
mod hostile;
mod luks;
mod lvm;
mod lvm_reports;
mod md;
mod zfs;

/// What `text` says, by every format that recognises it.
fn said(text: &str) -> TextEvidence {
    said_of(&Text::new(text.as_bytes()))
}

fn said_of(text: &Text) -> TextEvidence {
    let mut evidence = TextEvidence::default();
    captures::read(text, None, &mut evidence).unwrap();
    evidence
}

/// The claims about `name` that satisfy `test`; there must be exactly one.
fn only<'a>(evidence: &'a TextEvidence, name: &str, test: impl Fn(&Said) -> bool) -> &'a Said {
    let found: Vec<_> = evidence
        .devices
        .iter()
        .filter(|said| said.name == name && test(said))
        .collect();
    let names: Vec<_> = evidence.devices.iter().map(|said| &said.name).collect();
    assert_eq!(
        found.len(),
        1,
        "{name} among {names:?}, read {:?}",
        evidence.read
    );
    found[0]
}

fn member<'a>(evidence: &'a TextEvidence, name: &str) -> &'a VolumeMember {
    let found = only(evidence, name, |said| said.member.is_some());
    found.member.as_ref().unwrap()
}

fn rules(said: &Said) -> Vec<&'static str> {
    said.remarks.iter().map(|remark| remark.rule).collect()
}

fn fact<'a>(said: &'a Said, name: &str) -> Option<&'a str> {
    let found = said.facts.iter().find(|(key, _)| *key == name);
    found.map(|(_, value)| value.as_str())
}

/// The superblock on an image, by the reader of the bytes.
fn superblock(path: &Path) -> VolumeMember {
    volumes::probe(&view(path)).unwrap().unwrap()
}

fn view(path: &Path) -> View {
    View::new(Arc::new(FileSource::open(path).unwrap()))
}

/// An output of a captured machine.
fn oracle(machine: &str, file: &str) -> String {
    let path = fixture(machine).join("oracle").join(file);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// A sparse file in a folder of its own.
fn sparse(size: u64) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("device.img");
    std::fs::File::create(&path).unwrap().set_len(size).unwrap();
    (folder, path)
}

/// What a ticket looks like: prose, a prompt, colours, CR-LF and quoting around the output.
fn pasted(command: &str, output: &str) -> String {
    let body = output.replace('\n', "\r\n");
    format!(
        "Hello,\r\n\r\nhere it is: please help!\r\n> \x1b[1;32mroot@host\x1b[0m:~# {command}\r\n{body}\r\n\
         root@host:~# exit\r\nRegards: me\r\n"
    )
}
