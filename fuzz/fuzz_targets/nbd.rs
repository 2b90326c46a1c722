//! The NBD server on arbitrary bytes of a client.
#![no_main]

use ioalign_export::nbd::{NbdExport, NbdRequest, handshake};

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let mut from = data;
    let export = NbdExport { bytes: 1 << 30 };
    let mut said = Vec::new();
    if handshake(&mut from, &mut said, export).unwrap_or(false) {
        while let Ok(request) = NbdRequest::read(&mut from) {
            let skipped = usize::try_from(request.data).unwrap_or(usize::MAX);
            from = from.get(skipped..).unwrap_or_default();
        }
    }
});
