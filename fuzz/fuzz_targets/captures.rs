//! Every format of text on arbitrary bytes, and the stack that is made of what was read.
#![no_main]

use std::path::Path;

use ioalign_inspect::assemble::{self, AssembleOptions};
use ioalign_inspect::captures::volumes::lvm::join;
use ioalign_inspect::captures::{self, FORMATS, TextEvidence, load};

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let Ok(text) = load::read(data, Path::new("text")) else {
        return;
    };
    for format in FORMATS {
        let mut evidence = TextEvidence::default();
        if captures::read(&text, Some(format.name), &mut evidence).is_ok() {
            join(&mut evidence);
            let _ = assemble::evidence(evidence, &AssembleOptions::default());
        }
    }
});
