//! Every trace format on arbitrary bytes: detected, and forced.
#![no_main]

use ioalign_observe::TraceRecords;
use ioalign_observe::formats::parquet::groups;
use ioalign_observe::formats::{FORMATS, Framing, Hints};

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let hints = Hints {
        offset_unit: Some(512),
        ..Hints::default()
    };
    let _ = groups::all(data.to_vec());
    for format in FORMATS {
        if let Framing::Records(whole) = format.framing {
            assert!(whole(data) <= data.len());
        }
        (format.sniff)(data);
        if let Ok(mut parser) = (format.parser)(data, &hints) {
            parser.parse(data, &mut TraceRecords::default());
        }
    }
});
