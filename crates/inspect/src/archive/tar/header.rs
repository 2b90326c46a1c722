//! The 512-byte header of a tar member.

use super::TarMemberKind;
use crate::error::{Error, Result};

/// Bytes a block; headers take one, data are filled up to whole ones.
pub(in crate::archive) const BLOCK: usize = 512;

/// Offset and length of the fields that are read.
const NAME: (usize, usize) = (0, 100);
const SIZE: (usize, usize) = (124, 12);
const CHECKSUM: (usize, usize) = (148, 8);
const FLAG: usize = 156;
const TARGET: (usize, usize) = (157, 100);
const MAGIC: (usize, usize) = (257, 8);
/// Only in ustar: what stands before the name.
const PREFIX: (usize, usize) = (345, 155);
const USTAR: &[u8] = b"ustar\x0000";

/// The fields of a header.
#[derive(Debug)]
pub(super) struct TarHeader {
    pub(super) name: Vec<u8>,
    pub(super) target: Vec<u8>,
    pub(super) size: u64,
    pub(super) flag: u8,
}

impl TarHeader {
    pub(super) fn parse(block: &[u8; BLOCK]) -> Result<Self> {
        if !checksum_holds(block) {
            let what = "The header's checksum is wrong: it is damaged";
            return Err(Error::malformed(what).field("checksum"));
        }
        let size = number(field(block, SIZE))
            .ok_or_else(|| Error::malformed("The size is no number").field("size"))?;
        let mut name = text(field(block, NAME)).to_vec();
        let prefix = text(field(block, PREFIX));
        if field(block, MAGIC) == USTAR && !prefix.is_empty() {
            name = [prefix, b"/", &name].concat();
        }
        Ok(Self {
            name,
            target: text(field(block, TARGET)).to_vec(),
            size,
            flag: block.get(FLAG).copied().unwrap_or(0),
        })
    }

    /// Unknown types are files, as POSIX wants it.
    pub(super) fn kind(&self) -> TarMemberKind {
        match self.flag {
            b'1' => TarMemberKind::HardLink,
            b'2' => TarMemberKind::Link,
            b'5' | b'D' => TarMemberKind::Folder,
            b'3' | b'4' | b'6' | b'M' | b'N' | b'V' => TarMemberKind::Other,
            // Before POSIX a folder was a file whose name ends so.
            0 | b'0' if self.name.ends_with(b"/") => TarMemberKind::Folder,
            _ => TarMemberKind::File,
        }
    }

    /// Links and devices may carry a size that nothing follows.
    pub(super) const fn has_no_data(&self) -> bool {
        matches!(self.flag, b'1'..=b'6')
    }

    pub(super) const fn padding(&self) -> u64 {
        padding(self.size)
    }
}

/// Bytes from the end of `size` bytes of data to the end of their last block.
pub(super) const fn padding(size: u64) -> u64 {
    let over = size % BLOCK as u64;
    if over == 0 { 0 } else { BLOCK as u64 - over }
}

/// Whether `head` begins with a header; zeros are none.
pub(in crate::archive) fn is_header(head: &[u8]) -> bool {
    let block: Option<&[u8; BLOCK]> = head.first_chunk();
    block.is_some_and(|block| block.first() != Some(&0) && checksum_holds(block))
}

fn field(block: &[u8], (at, len): (usize, usize)) -> &[u8] {
    block.get(at..at + len).unwrap_or_default()
}

/// Up to the first zero.
fn text(field: &[u8]) -> &[u8] {
    field.split(|byte| *byte == 0).next().unwrap_or_default()
}

/// The sum of all bytes, the sum itself counted as blanks; some old tars added signed bytes.
fn checksum_holds(block: &[u8; BLOCK]) -> bool {
    let Some(stored) = number(field(block, CHECKSUM)).and_then(|n| i64::try_from(n).ok()) else {
        return false;
    };
    let own = CHECKSUM.0..CHECKSUM.0 + CHECKSUM.1;
    let bytes = block.iter().enumerate();
    let bytes = bytes.map(|(at, byte)| if own.contains(&at) { b' ' } else { *byte });
    let (mut plain, mut signed) = (0, 0);
    for byte in bytes {
        plain += i64::from(byte);
        signed += i64::from(byte.cast_signed());
    }
    stored == plain || stored == signed
}

/// An octal number with blanks around it, or, marked by the top bit, a binary one.
pub(super) fn number(field: &[u8]) -> Option<u64> {
    match field {
        [0x80, rest @ ..] => rest.iter().try_fold(0_u64, |value, byte| {
            value.checked_mul(256)?.checked_add(u64::from(*byte))
        }),
        // Negative, or too large for anything.
        [first, ..] if *first > 0x80 => None,
        _ => {
            let digits = field.trim_ascii_start();
            let end = digits.iter().position(|byte| !(b'0'..=b'7').contains(byte));
            let (digits, rest) = digits.split_at(end.unwrap_or(digits.len()));
            if rest.iter().any(|byte| !matches!(byte, 0 | b' ')) && !rest.starts_with(b"\0") {
                return None;
            }
            digits.iter().try_fold(0_u64, |value, digit| {
                value.checked_mul(8)?.checked_add(u64::from(digit - b'0'))
            })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_all_times() {
        assert_eq!(number(b"0000644\0"), Some(0o644));
        assert_eq!(number(b"   644 \0"), Some(0o644));
        assert_eq!(number(b"00000000017\0"), Some(15));
        assert_eq!(number(b""), Some(0));
        assert_eq!(number(b"\0\0\0"), Some(0));
        assert_eq!(number(b"\x80\0\0\0\0\0\0\x01\0\0\0\0"), Some(1 << 32));
        assert_eq!(number(&[0xff; 12]), None, "negative");
        assert_eq!(
            number(&[0x80, 255, 255, 255, 255, 255, 255, 255, 255, 255]),
            None
        );
        assert_eq!(number(b"12x4"), None);
        assert_eq!(number(b"777777777777777777777777"), None, "too large");
    }

    #[test]
    fn blocks_end_the_data() {
        assert_eq!((padding(0), padding(1), padding(512)), (0, 511, 0));
        assert!(!is_header(&[0; 512]) && !is_header(b"short"));
    }
}
