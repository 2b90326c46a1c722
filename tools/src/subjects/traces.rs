//! The readers of traces: detected, and forced.

use ioalign_observe::TraceRecords;
use ioalign_observe::formats::{self, Hints, TraceFormat, parquet::groups};
use ioalign_observe::generate::{self, GeneratePlan};
use ioalign_observe::{TraceProgress, write};

use crate::subject::{Answer, Subject};

/// The same damage as in the tests of the crate.
#[path = "../../../crates/observe/tests/it/damage.rs"]
mod damage;
/// The same samples as in the tests of the crate, which use more of them.
#[allow(dead_code)]
#[path = "../../../crates/observe/tests/it/samples.rs"]
mod samples;

pub fn all() -> Vec<Subject> {
    let samples = samples::all().into_iter().map(|sample| {
        let format = formats::named(sample.format).unwrap();
        let seed = move || vec![sample.bytes.clone()];
        Subject::of_bytes("traces", format.name, seed, damage::damage, move |bytes| {
            damage::run(bytes, &sample.hints);
            Answer::mine(forced(format, bytes, &sample.hints))
        })
    });
    let parquet = Subject::of_bytes("traces", "parquet", parquet, damage::damage, |bytes| {
        damage::run(bytes, &Hints::default());
        Answer::mine(groups::all(bytes.to_vec()).is_ok())
    });
    samples.chain([parquet]).collect()
}

/// Whether the bytes have a row when they are read as this format.
fn forced(format: &TraceFormat, bytes: &[u8], hints: &Hints) -> bool {
    let Ok(mut parser) = (format.parser)(bytes, hints) else {
        return false;
    };
    let mut records = TraceRecords::default();
    parser.parse(bytes, &mut records);
    records.count() > 0
}

/// A few rows of every operation.
fn parquet() -> Vec<Vec<u8>> {
    let file = tempfile::NamedTempFile::new().unwrap();
    let plan = GeneratePlan {
        ios: 300,
        discards: "10%".parse().unwrap(),
        flushes: "5%".parse().unwrap(),
        ..GeneratePlan::default()
    };
    let out = Box::new(file.reopen().unwrap());
    let mut writer = (write::named("parquet").unwrap().writer)(out, false).unwrap();
    generate::write(&plan, &mut *writer, None, &TraceProgress::default()).unwrap();
    vec![std::fs::read(file.path()).unwrap()]
}
