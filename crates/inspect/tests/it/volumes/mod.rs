//! Tests of the volumes readers.
#![allow(clippy::unwrap_used, clippy::panic)]

mod crypt;
mod lvm;
mod lvm_hostile;
mod lvm_real;
mod md;
mod md_old;
mod others;

use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use ioalign_inspect::source::MemorySource;
use ioalign_inspect::volumes::{self, VolumeMember};
use ioalign_inspect::{Source, View};
use ioalign_testkit::Random;

/// What the chain of formats says to `bytes`.
fn probe(bytes: &[u8]) -> Option<VolumeMember> {
    volumes::probe(&view_of(bytes)).unwrap()
}

fn view_of(bytes: &[u8]) -> View {
    let source: Arc<dyn Source> = Arc::new(MemorySource::new(bytes));
    View::new(source)
}

/// A file with `bytes`, gone when the folder is dropped.
fn scratch(bytes: &[u8]) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("device");
    std::fs::write(&path, bytes).unwrap();
    (folder, path)
}

/// The value behind `name` and its colon in a tool's output.
fn field(stated: &str, name: &str) -> String {
    let line = stated.lines().find_map(|line| {
        let (key, value) = line.split_once(':')?;
        (key.trim() == name).then(|| value.trim().to_owned())
    });
    line.unwrap_or_else(|| panic!("no `{name}` in:\n{stated}"))
}

/// Flips bits and overwrites fields in `range`, `rounds` times; the readers must return.
fn flip_everywhere(bytes: &[u8], range: Range<usize>, rounds: usize, noise: &mut Random) {
    for _ in 0..rounds {
        let mut bytes = bytes.to_vec();
        for _ in 0..=noise.below(3) {
            damage(&mut bytes[range.clone()], noise);
        }
        let _ = volumes::probe(&view_of(&bytes));
    }
}

/// One bit, or one field of eight bytes set to an extreme.
fn damage(bytes: &mut [u8], noise: &mut Random) {
    let at = noise.below(bytes.len());
    match noise.below(4) {
        0 => {
            let end = (at + 8).min(bytes.len());
            let fill = [0x00, 0x7f, 0x80, 0xff][noise.below(4)];
            bytes[at..end].fill(fill);
        }
        _ => bytes[at] ^= 1 << noise.below(8),
    }
}

/// Cuts `bytes` at many lengths; the readers must return.
fn truncate_everywhere(bytes: &[u8]) {
    let step = (bytes.len() / 300).max(1);
    for len in (0..bytes.len().min(1024))
        .step_by(7)
        .chain((0..bytes.len()).step_by(step))
    {
        let _ = volumes::probe(&view_of(&bytes[..len]));
    }
}
