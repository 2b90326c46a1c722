//! Serial numbers and world-wide names, wherever they turn up: in attributes, in the names of multipath
//! maps, in the tables of device-mapper, in labels on the disks.

use super::{Blanked, count, vpd};
use crate::host::Root;
use crate::recording::{Frozen, FrozenEntry, SectorCopy};

/// Shorter ones stand in too many other words: they go only where they are called so.
const SHORTEST: usize = 6;
/// Shortest one that is looked for in the bytes of devices.
const SHORTEST_ON_DEVICE: usize = 8;
/// More than a host has disks.
const MOST: usize = 1 << 13;

/// Where sysfs shows them, below a disk's directory.
const ATTRIBUTES: [&str; 9] = [
    "serial",
    "wwid",
    "eui",
    "nguid",
    "uuid",
    "device/serial",
    "device/wwid",
    "device/unique_id",
    "device/cid",
];
/// What is written before the name itself.
const PREFIXES: [&str; 5] = ["naa.", "eui.", "t10.", "uuid.", "nvme."];
/// How the kernel names a multipath map by the disk's world-wide name.
const MULTIPATH: &str = "mpath-";

/// Those of a host. They are asked for without being written down.
pub fn of(root: &Root, tree: &Frozen) -> Vec<String> {
    let mut found = Vec::new();
    for name in root.peek_list("sys/block").into_iter().take(MOST) {
        for attribute in ATTRIBUTES {
            found.extend(root.peek(&format!("sys/block/{name}/{attribute}")));
        }
        let page = |page| root.peek_blob(&format!("sys/block/{name}/device/{page}"), 4096);
        found.extend(page("vpd_pg80").and_then(|page| vpd::serial(&page)));
        found.extend(
            page("vpd_pg83")
                .map(|page| vpd::names(&page))
                .unwrap_or_default(),
        );
    }
    for (path, entry) in tree.iter() {
        if let FrozenEntry::File(bytes) = entry
            && path.ends_with("/dm/uuid")
        {
            let text = String::from_utf8_lossy(bytes);
            found.extend(
                text.trim()
                    .split_once(MULTIPATH)
                    .map(|(_, name)| name.to_owned()),
            );
        }
        if let FrozenEntry::File(bytes) = entry
            && path.starts_with("run/udev/data/")
        {
            let text = String::from_utf8_lossy(bytes);
            found.extend(text.lines().filter_map(udev).map(str::to_owned));
        }
    }
    // `t10.ATA     MODEL     SERIAL`: labels hold the last word alone.
    let words = found
        .iter()
        .filter_map(|name| name.split_whitespace().next_back());
    let words: Vec<_> = words.map(str::to_owned).collect();
    found.extend(words);
    let bare = found.iter().filter_map(|name| {
        let prefix = PREFIXES
            .iter()
            .find_map(|prefix| name.strip_prefix(prefix))?;
        Some(prefix.to_owned())
    });
    let bare: Vec<_> = bare.collect();
    found.extend(bare);
    tidy(found)
}

/// The serial numbers that udev has, in addition to sysfs.
fn udev(line: &str) -> Option<&str> {
    let (key, value) = line.strip_prefix("E:ID_")?.split_once('=')?;
    let known = [
        "SERIAL",
        "SERIAL_SHORT",
        "SCSI_SERIAL",
        "WWN",
        "WWN_WITH_EXTENSION",
    ];
    known
        .contains(&key)
        .then(|| value.strip_prefix("0x").unwrap_or(value))
}

/// The longest first: a name may contain another one.
fn tidy(mut found: Vec<String>) -> Vec<String> {
    found.retain(|name| name.len() >= SHORTEST && name.bytes().any(|b| b.is_ascii_digit()));
    found.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
    found.dedup();
    found
}

/// Blanks them everywhere: `blanked-N` in texts, crosses on devices.
pub(super) fn blank(tree: &mut Frozen, serials: &[String], blanked: &mut Blanked) {
    for (path, entry) in tree.iter_mut() {
        match entry {
            FrozenEntry::File(bytes) if !bytes.is_empty() && is_serial(path) => {
                *bytes = b"blanked\n".to_vec();
                count(blanked, "serial numbers");
            }
            FrozenEntry::File(bytes) => in_text(bytes, serials, blanked),
            FrozenEntry::Device(sectors) => on_device(sectors, serials, blanked),
            FrozenEntry::Folder | FrozenEntry::Link(_) => {}
        }
    }
}

/// By its name; `dm/uuid` and `md/uuid` are how volumes are named, which serial numbers these hold
/// is seen by their content.
fn is_serial(path: &str) -> bool {
    let mut parts = path.rsplit('/');
    let (name, folder) = (parts.next(), parts.next());
    let last = |attribute: &&str| attribute.rsplit('/').next() == name;
    path.starts_with("sys/") && !matches!(folder, Some("dm" | "md")) && ATTRIBUTES.iter().any(last)
}

fn in_text(bytes: &mut Vec<u8>, serials: &[String], blanked: &mut Blanked) {
    let Ok(mut text) = std::str::from_utf8(bytes).map(str::to_owned) else {
        return;
    };
    for _ in 0..in_words(&mut text, serials) {
        count(blanked, "serial numbers in names and tables");
    }
    *bytes = text.into_bytes();
}

/// The same in a text of ours; how many different ones were there.
pub fn in_words(text: &mut String, serials: &[String]) -> usize {
    let mut found = 0;
    for (index, serial) in serials.iter().enumerate() {
        if text.contains(serial.as_str()) {
            *text = text.replace(serial.as_str(), &format!("blanked-{}", index + 1));
            found += 1;
        }
    }
    found
}

fn on_device(sectors: &mut SectorCopy, serials: &[String], blanked: &mut Blanked) {
    for (at, bytes) in sectors.pieces() {
        for serial in serials.iter().filter(|s| s.len() >= SHORTEST_ON_DEVICE) {
            let serial = serial.as_bytes();
            let mut from = 0;
            while let Some(place) = position(bytes.get(from..).unwrap_or_default(), serial) {
                let start = at.saturating_add((from + place) as u64);
                sectors.write(start, &vec![b'x'; serial.len()]);
                count(blanked, "serial numbers in labels on devices");
                from += place + serial.len();
            }
        }
    }
}

fn position(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    let first = *wanted.first()?;
    let mut from = 0;
    loop {
        let at = from + bytes.get(from..)?.iter().position(|byte| *byte == first)?;
        if bytes.get(at..)?.starts_with(wanted) {
            return Some(at);
        }
        from = at + 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_go_wherever_they_are() {
        let mut tree = Frozen::default();
        let text = |text: &str| FrozenEntry::File(text.as_bytes().to_vec());
        tree.put("sys/devices/x/nvme0/serial", text("S1\n"));
        tree.put("sys/devices/x/nvme0/model", text("M1\n"));
        tree.put(
            "sys/devices/virtual/block/dm-0/dm/uuid",
            text("mpath-3600508b4\n"),
        );
        tree.put("ioalign/dm-table", text("3600508b4: 0 8 multipath\n"));
        let mut disk = SectorCopy::new(4096);
        disk.write(500, b"..3600508b4..3600508b4");
        tree.put("dev/sda", FrozenEntry::Device(disk));
        let mut blanked = Blanked::new();
        blank(&mut tree, &["3600508b4".to_owned()], &mut blanked);
        let shown = format!("{:?}", tree.tree());
        assert!(!shown.contains("3600508b4"), "{shown}");
        assert_eq!(
            tree.get("sys/devices/x/nvme0/serial"),
            Some(&text("blanked\n"))
        );
        assert_eq!(tree.get("sys/devices/x/nvme0/model"), Some(&text("M1\n")));
        assert_eq!(
            tree.get("ioalign/dm-table"),
            Some(&text("blanked-1: 0 8 multipath\n"))
        );
        let Some(FrozenEntry::Device(disk)) = tree.get("dev/sda") else {
            panic!("it is there");
        };
        assert_eq!(disk.read(500, 22), b"..xxxxxxxxx..xxxxxxxxx");
        assert_eq!(blanked.len(), 3);
    }

    #[test]
    fn short_words_are_left_alone() {
        let found = ["sda", "12345", "ABCDEF", "S12345", "S1234567"].map(str::to_owned);
        assert_eq!(tidy(found.to_vec()), ["S1234567", "S12345"]);
    }
}
