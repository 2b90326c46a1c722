//! Texts: the readers of what other programs print, up to the judgement of what they say.

use std::path::Path;

use ioalign_core::judge;
use ioalign_inspect::Source;
use ioalign_inspect::assemble::{self, AssembleOptions};
use ioalign_inspect::captures::volumes::lvm::join;
use ioalign_inspect::captures::{self, TextEvidence, TextFormat, load};

use crate::subject::{Answer, Material, Subject, bytes_of};

/// Claims about devices that any text may make; `captures` keeps no more.
const MOST_DEVICES: usize = 20_000;

pub fn all() -> Vec<Subject> {
    let subject = |format: &'static TextFormat| {
        Subject::of_files("captures", format.name, Material::Texts, |source| {
            read(format, &**source)
        })
    };
    captures::FORMATS.iter().map(subject).collect()
}

/// Reads a text as one format, makes a stack of what it says and judges that.
fn read(format: &TextFormat, source: &dyn Source) -> Answer {
    let raw = bytes_of(source);
    let Ok(text) = load::read(raw.as_slice(), Path::new("text")) else {
        return Answer::NotMine;
    };
    let mut evidence = TextEvidence::default();
    if captures::read(&text, Some(format.name), &mut evidence).is_ok() {
        bounded(&evidence, raw.len());
        join(&mut evidence);
        let found = assemble::evidence(evidence, &AssembleOptions::default());
        judge::judge(&found.stack, &judge::JudgeOptions::default());
    }
    Answer::mine((format.sniff)(&text))
}

/// What is kept of a text is no more than the text gives reason for.
fn bounded(evidence: &TextEvidence, bytes: usize) {
    let devices = evidence.devices.len();
    assert!(devices <= MOST_DEVICES, "{devices} devices");
    assert!(devices <= bytes, "{devices} devices of {bytes} bytes");
    let table = evidence.dm_table.len();
    assert!(
        table <= 4 * bytes + 64,
        "a table of {table} of {bytes} bytes"
    );
    let remarks = evidence.remarks.len();
    assert!(remarks <= bytes + 16, "{remarks} remarks of {bytes} bytes");
}
