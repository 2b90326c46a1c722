//! Device-mapper tables as text: `dmsetup table` prints `name: start length target arguments`.
//!
//! All numbers count 512-byte sectors. The key of a crypt target is dropped on the way in.

use std::collections::BTreeMap;

use ioalign_core::Bytes;

use crate::host::DevNo;

/// One line: a range of the device and the target that serves it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DmSegment {
    /// First byte within the device.
    pub start: Bytes,
    /// Length.
    pub len: Bytes,
    /// `linear`, `crypt`, `thin-pool`, …
    pub target: String,
    /// The arguments, as words.
    pub args: Vec<String>,
}

/// The segments of one device, in order.
pub type Table = Vec<DmSegment>;

/// More segments than LVM makes; the rest of a table is left out.
pub const MOST_SEGMENTS: usize = 1 << 16;
/// More words than any target has (a multipath or raid device with hundreds of members).
const MOST_WORDS: usize = 1 << 12;

/// All devices of a `dmsetup table` listing, by dm name. Lines that do not parse are left out.
pub fn parse_listing(text: &str) -> BTreeMap<String, Table> {
    let mut tables: BTreeMap<String, Table> = BTreeMap::new();
    for line in text.lines() {
        let Some((name, rest)) = line.split_once(": ") else {
            continue;
        };
        let Some(segment) = parse_segment(rest) else {
            continue;
        };
        let table = tables.entry(name.trim().to_owned()).or_default();
        if table.len() < MOST_SEGMENTS {
            table.push(segment);
        }
    }
    tables
}

/// The lines of one device in such a listing.
pub(super) fn listing(name: &str, table: &Table) -> String {
    let line = |segment: &DmSegment| {
        let (start, len) = (segment.start.get() / 512, segment.len.get() / 512);
        let args = segment.args.join(" ");
        format!("{name}: {start} {len} {} {args}\n", segment.target)
    };
    table.iter().map(line).collect()
}

fn parse_segment(line: &str) -> Option<DmSegment> {
    let mut words = line.split_whitespace();
    let start = sectors(words.next()?)?;
    let len = sectors(words.next()?)?;
    let target = words.next()?;
    Some(segment(start, len, target, words))
}

/// A segment from its parts; the crypt key becomes `-` here for all callers.
pub(super) fn segment<'a>(
    start: Bytes,
    len: Bytes,
    target: &str,
    args: impl Iterator<Item = &'a str>,
) -> DmSegment {
    let secret = if target == "crypt" { Some(1) } else { None };
    let args = args.take(MOST_WORDS).enumerate();
    DmSegment {
        start,
        len,
        target: target.to_owned(),
        args: args
            .map(|(i, word)| if Some(i) == secret { "-" } else { word }.to_owned())
            .collect(),
    }
}

/// A count of 512-byte sectors in bytes.
pub(super) fn sectors(word: &str) -> Option<Bytes> {
    Bytes::new(word.parse().ok()?).checked_mul(512)
}

impl DmSegment {
    /// An argument as a word.
    pub fn word(&self, index: usize) -> Option<&str> {
        self.args.get(index).map(String::as_str)
    }

    /// An argument as a number.
    pub fn count(&self, index: usize) -> Option<usize> {
        self.word(index)?.parse().ok()
    }

    /// An argument that counts sectors, in bytes.
    pub fn bytes(&self, index: usize) -> Option<Bytes> {
        sectors(self.word(index)?)
    }

    /// The word after `key`, as in `region_size 4096`.
    pub fn after(&self, key: &str) -> Option<&str> {
        let at = self.args.iter().position(|word| word == key)?;
        self.word(at + 1)
    }

    /// Every argument that is a device number.
    pub fn devices(&self) -> impl Iterator<Item = DevNo> {
        self.args.iter().filter_map(|word| DevNo::parse(word))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_listing_is_read_by_name() {
        let text =
            "vg-lv: 0 8192 linear 8:1 2048\nvg-lv: 8192 4096 linear 8:17 2048\nbad\nx: 1 2\n";
        let tables = parse_listing(text);
        assert_eq!(tables.len(), 1);
        let lv = &tables["vg-lv"];
        assert_eq!(lv[1].start, Bytes::new(8192 * 512));
        assert_eq!(lv[1].bytes(1), Some(Bytes::MIB));
        assert_eq!(lv[0].devices().count(), 1);
    }

    #[test]
    fn a_crypt_key_is_not_kept() {
        let text = "c: 0 100 crypt aes-xts-plain64 c0ffee00 0 8:1 32768 1 sector_size:4096";
        let table = &parse_listing(text)["c"];
        assert_eq!(table[0].word(1), Some("-"));
        assert!(!format!("{table:?}").contains("c0ffee"));
    }

    #[test]
    fn a_listing_is_printed_as_it_was_read() {
        let text = "a: 0 8 linear 8:1 2048\na: 8 8 crypt aes - 0 8:2 0 1 sector_size:4096\n";
        let tables = parse_listing(text);
        assert_eq!(listing("a", &tables["a"]), text);
    }

    #[test]
    fn absurd_numbers_are_left_out() {
        assert!(parse_listing("a: 18446744073709551615 1 linear 8:1 0").is_empty());
        assert!(parse_listing("a: -1 1 linear 8:1 0").is_empty());
    }
}
