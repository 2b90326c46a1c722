//! Every file system on arbitrary bytes.
#![no_main]

use std::sync::Arc;

use ioalign_inspect::View;
use ioalign_inspect::filesystems::FORMATS;
use ioalign_inspect::source::MemorySource;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let view = View::new(Arc::new(MemorySource::new(data)));
    for (_, probe) in FORMATS {
        let _ = probe(&view);
    }
});
