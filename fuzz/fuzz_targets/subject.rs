//! The subjects that `IOALIGN_SUBJECT` names (`tables/gpt`, or a room: `tables`) on arbitrary bytes.
#![no_main]

use std::sync::LazyLock;

use ioalign_tools::subject::Subject;
use ioalign_tools::subjects;

static SUBJECTS: LazyLock<Vec<Subject>> = LazyLock::new(|| {
    let name = std::env::var("IOALIGN_SUBJECT").unwrap_or_default();
    subjects::named(&name)
});

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    for subject in &*SUBJECTS {
        subject.run_bytes(data);
    }
});
