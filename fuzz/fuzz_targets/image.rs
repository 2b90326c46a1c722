//! Every image format on arbitrary bytes, and a few reads through what was opened.
#![no_main]

use std::sync::Arc;

use ioalign_inspect::images::{FORMATS, ImagePolicy};
use ioalign_inspect::source::{MemorySource, Source};

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let source: Arc<dyn Source> = Arc::new(MemorySource::new(data));
    for (_, open) in FORMATS {
        if let Ok(Some(image)) = open(&source, &ImagePolicy::default()) {
            let mut buffer = [0; 4096];
            let end = image.guest.len().saturating_sub(4096);
            let _ = image.guest.read_at(0, &mut buffer);
            let _ = image.guest.read_at(end, &mut buffer);
        }
    }
});
