//! Name-value lists of Solaris and ZFS in XDR encoding, as far as a vdev label needs them.
//!
//! Layout: illumos `nvpair.c`. A list is a version and flags, then pairs, then eight zero bytes.
//! A pair is its encoded size (with everything in it, nested lists too), its decoded size, the
//! name, the type, the number of elements, the value; all are big-endian and padded to four bytes.
//!
//! Walking is flat: a nested list is a slice that the caller walks in turn, so that neither depth
//! nor time is the writer's to choose.

/// `DATA_TYPE_UINT64`.
const UINT64: u32 = 8;
/// `DATA_TYPE_STRING`.
const STRING: u32 = 9;
/// `DATA_TYPE_NVLIST`.
const NVLIST: u32 = 19;
/// `DATA_TYPE_NVLIST_ARRAY`.
const NVLIST_ARRAY: u32 = 20;
/// Pairs looked at in one list; a label has about thirty.
const MOST_PAIRS: usize = 1024;

/// A list: the bytes of its pairs.
#[derive(Copy, Clone)]
pub(super) struct NvList<'a>(&'a [u8]);

/// One pair.
struct NvPair<'a> {
    name: &'a [u8],
    kind: u32,
    elements: u32,
    value: &'a [u8],
}

impl<'a> NvList<'a> {
    /// A packed list: encoding (1 is XDR), byte order, two unused bytes, then the list.
    pub(super) fn packed(bytes: &'a [u8]) -> Option<Self> {
        match bytes.get(..2)? {
            [1, 0 | 1] => Self::bare(bytes.get(4..)?),
            _ => None,
        }
    }

    /// After version and flags.
    fn bare(bytes: &'a [u8]) -> Option<Self> {
        bytes.get(8..).map(Self)
    }

    /// A 64-bit number.
    pub(super) fn number(&self, name: &str) -> Option<u64> {
        let pair = self.find(name, UINT64)?;
        let raw = pair.value.get(..8)?;
        Some(u64::from_be_bytes(raw.try_into().ok()?))
    }

    /// A string; what is not UTF-8 is replaced.
    pub(super) fn text(&self, name: &str) -> Option<String> {
        let pair = self.find(name, STRING)?;
        let len = usize::try_from(word(pair.value, 0)?).ok()?;
        let raw = pair.value.get(4..4_usize.checked_add(len)?)?;
        Some(String::from_utf8_lossy(raw).into_owned())
    }

    /// A nested list.
    pub(super) fn list(&self, name: &str) -> Option<Self> {
        Self::bare(self.find(name, NVLIST)?.value)
    }

    /// How many lists an array of lists holds.
    pub(super) fn count(&self, name: &str) -> Option<u32> {
        self.find(name, NVLIST_ARRAY).map(|pair| pair.elements)
    }

    fn find(&self, name: &str, kind: u32) -> Option<NvPair<'a>> {
        let mut rest = self.0;
        for _ in 0..MOST_PAIRS {
            let (pair, after) = split(rest)?;
            if pair.kind == kind && pair.name == name.as_bytes() {
                return Some(pair);
            }
            rest = after;
        }
        None
    }
}

/// The first pair and what follows it; `None` at the end mark and where the bytes make no sense.
fn split(bytes: &[u8]) -> Option<(NvPair<'_>, &[u8])> {
    let size = usize::try_from(word(bytes, 0)?).ok()?;
    let (pair, rest) = bytes.split_at_checked(size)?;
    let name_len = usize::try_from(word(pair, 8)?).ok()?;
    let name = pair.get(12..12_usize.checked_add(name_len)?)?;
    let at = 12_usize.checked_add(name_len.checked_next_multiple_of(4)?)?;
    let pair = NvPair {
        name,
        kind: word(pair, at)?,
        elements: word(pair, at.checked_add(4)?)?,
        value: pair.get(at.checked_add(8)?..)?,
    };
    Some((pair, rest))
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    let raw = bytes.get(at..at.checked_add(4)?)?;
    Some(u32::from_be_bytes(raw.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pair_that_claims_too_much_ends_the_walk() {
        let mut bytes = vec![1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1];
        bytes.extend(u32::MAX.to_be_bytes());
        bytes.extend([0; 64]);
        let list = NvList::packed(&bytes).unwrap();
        assert_eq!(list.number("guid"), None);
        assert!(NvList::packed(&[0, 1, 0, 0]).is_none());
        assert!(NvList::packed(&[1]).is_none());
    }
}
