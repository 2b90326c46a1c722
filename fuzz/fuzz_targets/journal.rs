//! The journal of a move on arbitrary bytes, with checksums made right, and what the mover does with it.
#![no_main]

use std::ops::ControlFlow;

use ioalign_repair::MemoryDisk;
use ioalign_repair::journal::{read, sign};
use ioalign_repair::mover::{MoverOptions, MoverProgress, resume_with, rollback_with};

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let mut bytes = data.to_vec();
    sign(&mut bytes);
    let mut store = MemoryDisk {
        bytes,
        logical_bytes: 1,
    };
    let Ok(contents) = read(&mut store) else {
        return;
    };
    let identity = &contents.job.identity;
    let Ok(size @ ..=1_048_576) = usize::try_from(identity.size_bytes) else {
        return;
    };
    let disk = MemoryDisk {
        bytes: vec![1; size],
        logical_bytes: identity.logical_bytes,
    };
    let options = MoverOptions {
        trust_disk: true,
        ..MoverOptions::default()
    };
    let mut watch = |_: &MoverProgress| ControlFlow::Continue(());
    let _ = resume_with(&mut disk.clone(), &mut store.clone(), &options, &mut watch);
    let _ = rollback_with(&mut disk.clone(), &mut store, &options, &mut watch);
});
