//! The description of an OVF package, and the same text with other disks.
#![no_main]

use ioalign_repair::ovf::{OvfChange, OvfPackage, SPARSE, manifest};

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data).into_owned();
    for entry in manifest::entries(&text) {
        let _ = entry.is_of(data);
    }
    let Ok(package) = OvfPackage::read(text) else {
        return;
    };
    let changes: Vec<_> = package
        .files
        .iter()
        .map(|file| OvfChange {
            href: file.href.clone(),
            new_href: "a&\"b\".vhdx".to_owned(),
            size_bytes: u64::MAX,
            capacity_bytes: Some(513),
            format: Some(SPARSE),
        })
        .collect();
    OvfPackage::read(package.changed(&changes)).expect("what was changed is read again");
});
