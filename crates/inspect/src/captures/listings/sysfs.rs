//! Files of sysfs: `grep . /sys/block/sda/queue/*`, `head` and `tail` of several, `cat` of each.
//!
//! `start` and `size` count 512 bytes on every disk, the limits of the queue are bytes (kernel,
//! `Documentation/ABI/stable/sysfs-block`).

use super::super::reading::subject::header;
use super::super::{Text, TextEvidence, TextFormat};
use super::attributes::{AttributePlace, AttributeTable};
use crate::error::Result;

/// `grep . /sys/block/*/queue/*`.
pub const FORMAT: TextFormat = TextFormat {
    name: "sysfs",
    command: "/sys/block",
    sniff: |text| {
        text.any(|line| {
            inline(line).is_some()
                || header(line).and_then(place).is_some()
                || !cat(line).is_empty()
        })
    },
    read,
};

/// File, column and unit.
const ATTRIBUTES: &[(&str, &str, u64)] = &[
    ("logical_block_size", "LOG-SEC", 1),
    ("physical_block_size", "PHY-SEC", 1),
    ("minimum_io_size", "MIN-IO", 1),
    ("optimal_io_size", "OPT-IO", 1),
    ("alignment_offset", "ALIGNMENT", 1),
    ("rotational", "ROTA", 1),
    ("zoned", "ZONED", 1),
    ("start", "START", 1),
    ("size", "SIZE", 512),
    ("model", "MODEL", 1),
    ("vendor", "VENDOR", 1),
];

/// The value that `/sys/block/sda/queue/physical_block_size` holds.
fn place(path: &str) -> Option<AttributePlace> {
    let (rest, file) = path.rsplit_once('/')?;
    let (_, column, unit) = ATTRIBUTES.iter().find(|(name, _, _)| *name == file)?;
    let queued = rest.strip_suffix("/queue");
    let rest = queued
        .or_else(|| rest.strip_suffix("/device"))
        .unwrap_or(rest);
    let (folder, device) = rest.rsplit_once('/').unwrap_or(("", rest));
    let block = queued.is_some() || folder.split('/').any(|part| part == "block");
    let plain = !device.is_empty() && !device.contains(char::is_whitespace);
    (block && plain).then(|| AttributePlace {
        // `cciss!c0d0` is `cciss/c0d0`.
        device: device.replace('!', "/"),
        column: Some(column),
        unit: *unit,
    })
}

/// `/sys/block/sda/queue/rotational:1`; `grep -n` puts the number of the line between.
fn inline(line: &str) -> Option<(AttributePlace, &str)> {
    let at = line.find("/sys/").or_else(|| {
        let word = line
            .split_whitespace()
            .find(|word| word.contains("/queue/"))?;
        line.find(word)
    });
    let (path, value) = line.get(at?..)?.split_once(':')?;
    let value = value.strip_prefix("1:").unwrap_or(value);
    Some((place(path)?, value))
}

/// The files that a command line prints one after the other; none where it names them by a pattern.
fn cat(line: &str) -> Vec<AttributePlace> {
    let mut words = line.split_whitespace();
    if !words.any(|word| word.trim_start_matches(['$', '#', '`']) == "cat") {
        return Vec::new();
    }
    let paths: Vec<_> = words.map(place).collect();
    let known = paths.iter().all(Option::is_some);
    paths.into_iter().flatten().filter(|_| known).collect()
}

fn read(text: &Text, evidence: &mut TextEvidence) -> Result<()> {
    let mut table = AttributeTable::default();
    for line in text.lines() {
        if let Some(path) = header(line) {
            table.awaits(place(path));
        } else if let Some((place, value)) = inline(line) {
            table.insert(&place, value);
        } else {
            table.asks_or_answers(cat(line), line);
        }
    }
    table.tell(evidence);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_the_kernel_name_their_device() {
        for (path, device, column) in [
            ("/sys/block/sda/queue/physical_block_size", "sda", "PHY-SEC"),
            ("./nvme0n1/queue/rotational", "nvme0n1", "ROTA"),
            ("/sys/class/block/sda1/start", "sda1", "START"),
            ("/sys/block/sda/sda1/alignment_offset", "sda1", "ALIGNMENT"),
            (
                "/sys/block/cciss!c0d0/queue/minimum_io_size",
                "cciss/c0d0",
                "MIN-IO",
            ),
            ("/sys/block/sda/device/model", "sda", "MODEL"),
        ] {
            let place = place(path).unwrap();
            assert_eq!(
                (place.device.as_str(), place.column),
                (device, Some(column))
            );
        }
        for path in [
            "size",
            "/sys/devices/system/cpu/cpu0/cache/size",
            "/sys/block/sda/queue/nr_requests",
        ] {
            assert!(place(path).is_none(), "{path}");
        }
        assert_eq!(
            inline("/sys/block/sdh/queue/rotational:1:0").unwrap().1,
            "0"
        );
        assert!(cat("# cat /sys/block/sd*/queue/rotational /proc/mdstat").is_empty());
    }
}
