//! What a bundle must not hold is taken out of arbitrary bytes: of a device, and of every file that has a filter.
//!
//! Serial numbers are gone, and of a device nothing is left that would be taken out a second time.
#![no_main]

use ioalign_inspect::recording::{Frozen, FrozenEntry, SectorCopy, blank};

/// Files with a filter of their own, by name.
const FILES: [&str; 9] = [
    "ioalign/nvme0n1.id-ns",
    "sys/block/sda/uevent",
    "sys/block/sda/device/wwid",
    "proc/cpuinfo",
    "proc/self/mountinfo",
    "proc/swaps",
    "ioalign/dm-table",
    "run/udev/data/b8:0",
    "etc/mysql/my.cnf",
];
/// Any text with a digit of the length that is looked for on devices.
const SERIAL: &str = "ZGY0AAAA";

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let mut tree = Frozen::default();
    let mut device = SectorCopy::new(data.len() as u64);
    device.write(0, data);
    tree.put("dev/sda", FrozenEntry::Device(device));
    for path in FILES {
        tree.put(path, FrozenEntry::File(data.to_vec()));
    }
    let options = blank::BlankOptions {
        with_serials: false,
        serials: vec![SERIAL.to_owned()],
    };
    blank::blank(&mut tree, &options);
    for (path, entry) in tree.iter() {
        let bytes = match entry {
            FrozenEntry::Device(device) => device.read(0, data.len()),
            FrozenEntry::File(bytes) => bytes.clone(),
            _ => continue,
        };
        let text = std::str::from_utf8(&bytes);
        assert!(
            text.is_err()
                || !bytes
                    .windows(SERIAL.len())
                    .any(|part| part == SERIAL.as_bytes()),
            "{path}"
        );
    }
    let once = tree.get("dev/sda").cloned();
    blank::blank(&mut tree, &options);
    assert!(
        tree.get("dev/sda") == once.as_ref(),
        "a second time something else is taken out"
    );
});
