//! A FAT file system of arbitrary bytes, for other sectors, and what is in a partition.
#![no_main]

use ioalign_repair::content::probe;
use ioalign_repair::convert::fat::{FatWish, remade};
use ioalign_repair::overlay::{OverlayLayer, OverlayView};
use ioalign_repair::{Disk, MemoryDisk, resize};

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let mut bytes = data.to_vec();
    bytes.resize(bytes.len().next_multiple_of(4096).max(4096), 0);
    let size = bytes.len() as u64;
    let mut disk = MemoryDisk {
        bytes,
        logical_bytes: 512,
    };
    if let Ok(content) = probe(&mut disk, 0, size) {
        let _ = resize::extent(&mut disk, 0, &content);
    }
    for sector in [512, 4096] {
        let wish = FatWish {
            sector,
            start: 1 << 20,
        };
        let Ok(made) = remade(&mut disk, 0, size, wish) else {
            continue;
        };
        let layers = [OverlayLayer::new(made.pieces)];
        let mut whole = vec![0; disk.bytes.len()];
        let mut view = OverlayView::new(&mut disk, (size, 512), &[], &layers);
        assert!(view.read_at(0, &mut whole).is_ok());
    }
});
