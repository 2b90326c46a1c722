//! ZFS labels: of the texts in the configuration only those that a reader wants stay.
//!
//! A label names every disk of its pool, absent ones too, by `path`, `devid` and `phys_path`, which hold serial
//! numbers, and the host that imported it. Texts are found by how an XDR name-value pair looks, not by walking the
//! lists, so that those of nested and of damaged lists go as well. Values keep their length. The label's checksum
//! covers them: it is cleared. `check` does not verify it, and ZFS will refuse the copy.

use super::{Blanked, count};
use crate::recording::SectorCopy;

/// How a packed list begins: XDR, either byte order of the host, version 0, unique names.
const MAGICS: [&[u8]; 2] = [
    &[1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1],
    &[1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1],
];
/// `vdev_phys_t`: the list, and at its end 32 bytes of checksum.
const BYTES: usize = 112 << 10;
const CHECKSUM: usize = 32;
/// `DATA_TYPE_UINT64`, `DATA_TYPE_STRING`.
const UINT64: usize = 8;
const STRING: usize = 9;
/// Longest name of a pair that is looked at.
const LONGEST_NAME: usize = 256;

/// Texts that are read: the name of the pool, the kind of a vdev.
const KEPT: [&[u8]; 2] = [b"name", b"type"];
/// Numbers that tell of the host.
const NUMBERS: [&[u8]; 1] = [b"hostid"];

/// Blanks every label on a device, wherever it begins.
pub(super) fn blank(sectors: &mut SectorCopy, blanked: &mut Blanked) {
    let labels: Vec<_> = MAGICS
        .iter()
        .flat_map(|magic| sectors.find(magic, 0))
        .collect();
    for at in labels {
        let mut list = sectors.read(at, BYTES);
        if texts(&mut list) > 0 {
            count(blanked, "ZFS paths, device IDs and host in labels");
            let sum = list.len().saturating_sub(CHECKSUM);
            list.get_mut(sum..).unwrap_or_default().fill(0);
            sectors.write(at, &list);
        }
    }
}

/// Overwrites what is to go; how many values that were.
fn texts(list: &mut [u8]) -> usize {
    let mut changed = 0;
    let mut at = 0;
    while at + 4 <= list.len() {
        if let Some((kind, from, len)) = value(list, at)
            && let Some(bytes) = list.get_mut(from..from + len)
        {
            bytes.fill(if kind == STRING { b'x' } else { 0 });
            changed += 1;
        }
        at += 4;
    }
    changed
}

/// The value that has to go, where a pair's name begins at `at`: its type, place and length.
fn value(list: &[u8], at: usize) -> Option<(usize, usize, usize)> {
    let len = word(list, at).filter(|len| (1..=LONGEST_NAME).contains(len))?;
    let name = list.get(at + 4..at + 4 + len)?;
    let named = name.iter().all(|byte| matches!(byte, b'!'..=b'~'));
    let kind = at + 4 + len.next_multiple_of(4);
    if !named || word(list, kind + 4)? != 1 {
        return None;
    }
    match word(list, kind)? {
        STRING if !KEPT.contains(&name) => {
            let room = list.len().saturating_sub(kind + 12);
            // One that claims more than there is goes to the end of what there is.
            let len = word(list, kind + 8)?.min(room);
            (len > 0).then_some((STRING, kind + 12, len))
        }
        UINT64 if NUMBERS.contains(&name) => Some((UINT64, kind + 8, 8)),
        _ => None,
    }
}

fn word(bytes: &[u8], at: usize) -> Option<usize> {
    let raw = bytes.get(at..at.checked_add(4)?)?.first_chunk()?;
    usize::try_from(u32::from_be_bytes(*raw)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(bytes: &str) -> Vec<u8> {
        let mut out = u32::try_from(bytes.len()).unwrap().to_be_bytes().to_vec();
        out.extend(bytes.as_bytes());
        out.resize(out.len().next_multiple_of(4), 0);
        out
    }

    fn pair(name: &str, kind: u32, value: &[u8]) -> Vec<u8> {
        let mut body = text(name);
        body.extend([kind, 1].map(u32::to_be_bytes).concat());
        body.extend(value);
        let size = u32::try_from(body.len() + 8).unwrap().to_be_bytes();
        [&size, &size, body.as_slice()].concat()
    }

    fn label() -> Vec<u8> {
        let mut label = MAGICS[0].to_vec();
        label.extend(pair("name", 9, &text("tank")));
        label.extend(pair("hostid", 8, &[0xab; 8]));
        for key in ["path", "devid", "phys_path", "hostname", "comment"] {
            label.extend(pair(key, 9, &text("PLANTED")));
        }
        label.extend(pair("guid", 8, &[7; 8]));
        label.resize(BYTES, 0);
        label[BYTES - 32..].fill(0xcc);
        label
    }

    #[test]
    fn only_the_texts_that_are_read_stay() {
        let mut sectors = SectorCopy::new(1 << 20);
        sectors.write(16 << 10, &label());
        let mut blanked = Blanked::new();
        blank(&mut sectors, &mut blanked);
        let after = sectors.read(16 << 10, BYTES);
        let holds = |wanted: &[u8]| after.windows(wanted.len()).any(|part| part == wanted);
        assert!(holds(b"tank") && holds(&[7; 8]) && holds(b"phys_path"));
        assert!(!holds(b"PLANTED") && !holds(&[0xab; 8]) && !holds(&[0xcc; 4]));
        assert_eq!(blanked.len(), 1);
    }

    #[test]
    fn a_damaged_list_gives_nothing_away() {
        let whole = label();
        for cut in (40..400).step_by(4) {
            let mut list = whole.clone();
            // A length that is wrong, at any place.
            list[cut..cut + 4].fill(0xff);
            texts(&mut list);
            let left = list.windows(7).filter(|part| part == b"PLANTED").count();
            assert!(left <= 1, "{left} texts are left where {cut} is damaged");
        }
    }
}
