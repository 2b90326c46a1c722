//! Tarballs of any packing on arbitrary bytes, and the look-ups that readers of a bundle make.
#![no_main]

use std::sync::Arc;

use ioalign_inspect::source::MemorySource;
use ioalign_inspect::{Source, archive};

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let source: Arc<dyn Source> = Arc::new(MemorySource::new(data));
    if let Ok(Some(files)) = archive::files::files(&source) {
        for file in files {
            let part = file.source(&source, &file.name);
            assert_eq!(part.len(), file.place.1, "it lies in the tarball");
        }
    }
    if let Ok(Some(bundle)) = archive::read(&source) {
        for name in bundle.tree.names("sys/block") {
            let _ = bundle.tree.file(&format!("sys/block/{name}/size"));
        }
        let _ = bundle.tree.file("dev/sda").map(|file| file.head(4096));
    }
});
