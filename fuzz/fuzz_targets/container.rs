//! Arbitrary bytes opened as an image for writing, then read, written and flushed.
#![no_main]

use std::sync::Arc;

use ioalign_inspect::Source;
use ioalign_inspect::source::MemorySource;
use ioalign_repair::MemoryDisk;
use ioalign_repair::container::open_store;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let source: Arc<dyn Source> = Arc::new(MemorySource::new(data));
    let store = MemoryDisk {
        bytes: data.to_vec(),
        logical_bytes: 1,
    };
    let Ok(mut disk) = open_store(Box::new(store), &source) else {
        return;
    };
    let size = disk.size_bytes();
    let mut block = [0x5a; 8192];
    for at in [0, 4096, size / 2 / 512 * 512, size.saturating_sub(8192)] {
        let _ = disk.read_at(at, &mut block);
        block.fill(0x5a);
        let mut there = [0; 8192];
        if disk.write_at(at, &block).is_ok() && disk.read_at(at, &mut there).is_ok() {
            assert!(there == block);
        }
        let _ = disk.flush();
    }
});
