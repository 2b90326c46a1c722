//! What a class makes of its volumes: the options of mkfs in its parameters.

use ioalign_core::layer::RaidGeometry;
use ioalign_core::units::parse_size;
use ioalign_core::{Bytes, SectorSize};

use crate::filesystems::FileSystem;

/// What mkfs takes without options, on a disk with 512-byte sectors: mke2fs.conf (`blocksize = 4096`), mkfs.xfs(8).
const USUAL_BLOCK: u64 = 4096;

/// The file system, and what mkfs refuses of the options.
pub(super) fn filesystem(
    kind: &str,
    options: &str,
    block: Option<u64>,
) -> Option<(FileSystem, Vec<String>)> {
    let kind = match kind {
        "xfs" => "xfs",
        "ext4" | "" => "ext4",
        "ext3" => "ext3",
        "ext2" => "ext2",
        "btrfs" => "btrfs",
        _ => return None,
    };
    let parsed = MkfsOptions::new(kind, options);
    let block = block.or(parsed.block).unwrap_or(USUAL_BLOCK);
    let (geometry, refused) = match kind {
        "xfs" => parsed.xfs(block),
        "btrfs" => (None, Vec::new()),
        _ => parsed.ext(block),
    };
    let found = FileSystem {
        kind,
        block: Some(Bytes::new(block)),
        sector: parsed.sector.map(Bytes::new),
        geometry,
        ..FileSystem::default()
    };
    Some((found, refused))
}

/// Options of which lines matter.
#[derive(Default)]
struct MkfsOptions {
    block: Option<u64>,
    sector: Option<u64>,
    /// `su`, `sunit` × 512; `stride` in blocks is in `stride`.
    unit: Option<u64>,
    width_units: Option<u64>,
    width: Option<u64>,
    stride: Option<u64>,
    stripe_width: Option<u64>,
}

impl MkfsOptions {
    fn new(kind: &str, options: &str) -> Self {
        let mut found = Self::default();
        let mut words = options.split_whitespace();
        while let Some(word) = words.next() {
            // `-b 4096` and `-b4096`.
            let Some(letter) = word.strip_prefix('-').and_then(|rest| rest.chars().next()) else {
                continue;
            };
            let joined = word.get(1 + letter.len_utf8()..).unwrap_or_default();
            let value = if joined.is_empty() {
                words.next().unwrap_or_default()
            } else {
                joined
            };
            match (kind, letter) {
                ("xfs", 'b') => found.block = key(value, "size").and_then(size),
                ("xfs", 's') => found.sector = key(value, "size").and_then(size),
                ("xfs", 'd') => found.data(value),
                (_, 'b') => found.block = size(value),
                (_, 'E' | 'R') => found.extended(value),
                _ => {}
            }
        }
        found
    }

    /// `-d su=64k,sw=5` or `-d sunit=128,swidth=640`, which count 512 bytes.
    fn data(&mut self, value: &str) {
        let sectors = |text| size(text)?.checked_mul(512);
        self.unit = key(value, "su")
            .and_then(size)
            .or_else(|| key(value, "sunit").and_then(sectors))
            .or(self.unit);
        self.width_units = key(value, "sw").and_then(size).or(self.width_units);
        self.width = key(value, "swidth").and_then(sectors).or(self.width);
    }

    /// `-E stride=16,stripe_width=80`, which count blocks.
    fn extended(&mut self, value: &str) {
        self.stride = key(value, "stride").and_then(size).or(self.stride);
        let width = key(value, "stripe_width").or_else(|| key(value, "stripe-width"));
        self.stripe_width = width.and_then(size).or(self.stripe_width);
    }

    /// mkfs.xfs(8) and its messages: unit and width come together, the width in whole units, the unit in whole blocks.
    fn xfs(&self, block: u64) -> (Option<RaidGeometry>, Vec<String>) {
        let width = self
            .width
            .or_else(|| self.width_units?.checked_mul(self.unit?));
        let mut refused = Vec::new();
        let Some(unit) = self.unit.filter(|unit| *unit > 0) else {
            if width.or(self.width_units).is_some_and(|width| width > 0) {
                refused.push("mkfs.xfs takes a stripe width only with a stripe unit".to_owned());
            }
            return (None, refused);
        };
        let Some(width) = width.filter(|width| *width > 0) else {
            refused.push(
                "mkfs.xfs takes a stripe unit only with a stripe width: -d su=…,sw=…".to_owned(),
            );
            return (None, refused);
        };
        if !unit.is_multiple_of(block) {
            refused.push(format!(
                "the stripe unit of {unit} B is no multiple of the block of {block} B"
            ));
        }
        if !width.is_multiple_of(unit) {
            refused.push(format!(
                "the stripe width of {width} B is no multiple of the stripe unit of {unit} B"
            ));
        }
        (geometry(unit, width), refused)
    }

    fn ext(&self, block: u64) -> (Option<RaidGeometry>, Vec<String>) {
        let unit = self.stride.and_then(|stride| stride.checked_mul(block));
        let width = self.stripe_width.and_then(|width| width.checked_mul(block));
        let mut refused = Vec::new();
        if let (Some(unit), Some(width)) = (unit, width)
            && unit > 0
            && !width.is_multiple_of(unit)
        {
            refused.push(format!(
                "the stripe width of {width} B is no multiple of the stride of {unit} B"
            ));
        }
        let known = unit.filter(|unit| *unit > 0);
        (
            known.and_then(|unit| geometry(unit, width.unwrap_or(unit))),
            refused,
        )
    }
}

fn geometry(unit: u64, width: u64) -> Option<RaidGeometry> {
    Some(RaidGeometry {
        unit: Bytes::new(unit),
        width: Bytes::new(width),
    })
}

/// The value of `name=value` in a list with commas.
fn key<'a>(list: &'a str, name: &str) -> Option<&'a str> {
    let mut pairs = list.split(',').filter_map(|pair| pair.split_once('='));
    pairs.find(|(key, _)| *key == name).map(|(_, value)| value)
}

/// `4096`, `64k`, `1M`, `512Ki`; binary, as mkfs, LVM and ZFS take them.
pub(super) fn size(text: &str) -> Option<u64> {
    let text = text.trim().trim_end_matches('i');
    parse_size(text, SectorSize::S512).ok().map(Bytes::get)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_of_mkfs_are_read() {
        let (found, refused) = filesystem("xfs", "-K -b size=4096 -d su=16k,sw=1", None).unwrap();
        let geometry = found.geometry.unwrap();
        assert_eq!(
            (geometry.unit.get(), geometry.width.get(), refused.len()),
            (16384, 16384, 0)
        );
        let (found, refused) = filesystem(
            "ext4",
            "-I 256 -b 4096 -E stride=16,stripe_width=80,nodiscard",
            None,
        )
        .unwrap();
        let geometry = found.geometry.unwrap();
        assert_eq!(
            (geometry.unit.get(), geometry.width.get(), refused.len()),
            (65536, 327_680, 0)
        );
        assert!(filesystem("nfs", "", None).is_none());
    }

    #[test]
    fn what_mkfs_refuses_is_said() {
        for (kind, options) in [
            ("xfs", "-d sunit=64"),
            ("xfs", "-d sw=4"),
            ("xfs", "-d su=6k,sw=1"),
            ("xfs", "-d sunit=128,swidth=129"),
            ("ext4", "-E stride=16,stripe-width=40"),
        ] {
            assert_eq!(
                filesystem(kind, options, None).unwrap().1.len(),
                1,
                "{options}"
            );
        }
        assert!(
            filesystem("xfs", "-d sunit=128,swidth=640", None)
                .unwrap()
                .1
                .is_empty()
        );
    }

    #[test]
    fn sizes_are_binary() {
        for (text, bytes) in [
            ("4096", Some(4096)),
            ("64k", Some(65536)),
            ("512Ki", Some(524_288)),
            ("1M", Some(1 << 20)),
            ("4KiB", Some(4096)),
            ("4x", None),
            ("", None),
        ] {
            assert_eq!(size(text), bytes, "{text}");
        }
    }
}
