//! The blanking of a bundle: serial numbers and keys are taken out of devices and files on their way into it.

use ioalign_inspect::Source;
use ioalign_inspect::recording::{Frozen, FrozenEntry, SectorCopy, blank};

use crate::subject::{Answer, Material, Subject};

/// Of a device: labels and superblocks lie at the front.
const MOST_READ: u64 = 256 << 10;
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

pub fn all() -> Vec<Subject> {
    let device = Subject::of_files("recording", "blank", Material::Images, |source| {
        let bytes = front(&**source);
        let mut sectors = SectorCopy::new(source.len());
        sectors.write(0, &bytes);
        let mut tree = Frozen::default();
        tree.put("dev/sda", FrozenEntry::Device(sectors));
        blanked(&mut tree, bytes.len())
    });
    let files = Subject::of_files("recording", "files", Material::Texts, |source| {
        let bytes = front(&**source);
        let mut tree = Frozen::default();
        for path in FILES {
            tree.put(path, FrozenEntry::File(bytes.clone()));
        }
        blanked(&mut tree, 0)
    });
    vec![device, files]
}

fn front(source: &dyn Source) -> Vec<u8> {
    let len = source.len().min(MOST_READ);
    let mut bytes = vec![0; usize::try_from(len).unwrap()];
    match source.read_at(0, &mut bytes) {
        Ok(()) => bytes,
        Err(_) => Vec::new(),
    }
}

/// What is blanked is found in damaged labels too: serial numbers are gone, and of a device nothing is left that would
/// be taken out a second time.
fn blanked(tree: &mut Frozen, device_bytes: usize) -> Answer {
    let options = blank::BlankOptions {
        with_serials: false,
        serials: vec![SERIAL.to_owned()],
    };
    let count = blank::blank(tree, &options).len();
    for (path, entry) in tree.iter() {
        let bytes = match entry {
            FrozenEntry::Device(device) => device.read(0, device_bytes),
            FrozenEntry::File(bytes) => bytes.clone(),
            _ => continue,
        };
        let has_serial = std::str::from_utf8(&bytes).is_ok_and(|text| text.contains(SERIAL));
        assert!(!has_serial, "a serial number stays in {path}");
    }
    let once = tree.get("dev/sda").cloned();
    blank::blank(tree, &options);
    assert!(
        tree.get("dev/sda") == once.as_ref(),
        "a second time something else is taken out"
    );
    Answer::mine(count > 0)
}
