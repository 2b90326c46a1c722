//! The texts from which the mutation loop starts: every format has one that it reads.

use std::path::Path;

use ioalign_inspect::captures::{FORMATS, Text, TextEvidence, TextFormat, load};

fn texts() -> Vec<Text> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fuzz/texts");
    let files = std::fs::read_dir(folder).unwrap();
    files
        .map(|file| {
            let raw = std::fs::read(file.unwrap().path()).unwrap();
            load::read(raw.as_slice(), Path::new("text")).unwrap()
        })
        .collect()
}

/// Whether the format recognises the text and finds something in it.
fn reads(format: &TextFormat, text: &Text) -> bool {
    let mut evidence = TextEvidence::default();
    (format.sniff)(text)
        && (format.read)(text, &mut evidence).is_ok()
        && !(evidence.devices.is_empty()
            && evidence.groups.is_empty()
            && evidence.dm_table.is_empty()
            && evidence.remarks.is_empty())
}

#[test]
fn every_format_has_a_text_to_start_from() {
    let texts = texts();
    let without: Vec<_> = FORMATS
        .iter()
        .filter(|format| !texts.iter().any(|text| reads(format, text)))
        .map(|format| format.name)
        .collect();
    assert!(
        without.is_empty(),
        "put an output of these into fuzz/texts: {without:?}"
    );
}
