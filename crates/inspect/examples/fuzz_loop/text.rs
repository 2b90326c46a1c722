//! Texts: the readers of what other programs print, up to the judgement of what they say.

use std::path::Path;

use ioalign_core::judge;
use ioalign_inspect::Source;
use ioalign_inspect::assemble::{self, Options};
use ioalign_inspect::captures::volumes::lvm::join;
use ioalign_inspect::captures::{self, Evidence, Format, load};

use super::seed::to_index;
use super::target::Answer;

/// Claims about devices that any text may make; `captures` keeps no more.
const MOST_DEVICES: usize = 20_000;

/// Reads a text as one format, makes a stack of what it says and judges that.
pub fn read(format: &Format, source: &dyn Source) -> Answer {
    let mut raw = vec![0; to_index(source.len())];
    if source.read_at(0, &mut raw).is_err() {
        return Answer::NotMine;
    }
    let Ok(text) = load::read(raw.as_slice(), Path::new("text")) else {
        return Answer::NotMine;
    };
    let mut evidence = Evidence::default();
    if captures::read(&text, Some(format.name), &mut evidence).is_ok() {
        bounded(&evidence, raw.len());
        join(&mut evidence);
        let found = assemble::evidence(evidence, &Options::default());
        judge::judge(&found.stack, &judge::Options::default());
    }
    if (format.sniff)(&text) {
        Answer::Mine
    } else {
        Answer::NotMine
    }
}

/// What is kept of a text is no more than the text gives reason for.
fn bounded(evidence: &Evidence, bytes: usize) {
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
