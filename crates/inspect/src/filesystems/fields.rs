//! Small checks and decoders that several superblock readers share.

use ioalign_core::Bytes;

/// Whether `value` is a power of two from `least` to `most`.
pub(crate) const fn power_of_two(value: u64, least: u64, most: u64) -> bool {
    value.is_power_of_two() && value >= least && value <= most
}

/// `1 << shift` when `shift` lies in the range that the format allows.
pub(crate) fn shifted(shift: u32, least: u32, most: u32) -> Option<u64> {
    if (least..=most).contains(&shift) {
        1_u64.checked_shl(shift)
    } else {
        None
    }
}

/// `count × unit` bytes, or `None` where a forged count overflows.
pub(crate) fn product(count: u64, unit: u64) -> Option<Bytes> {
    count.checked_mul(unit).map(Bytes::new)
}

/// Text in UTF-16, little endian, up to the first NUL.
pub(super) fn utf16_le(raw: &[u8]) -> String {
    utf16(raw, u16::from_le_bytes)
}

/// Text in UTF-16, big endian, up to the first NUL.
pub(super) fn utf16_be(raw: &[u8]) -> String {
    utf16(raw, u16::from_be_bytes)
}

fn utf16(raw: &[u8], unit: fn([u8; 2]) -> u16) -> String {
    let units = raw
        .chunks_exact(2)
        .filter_map(|pair| <[u8; 2]>::try_from(pair).ok())
        .map(unit)
        .take_while(|unit| *unit != 0);
    char::decode_utf16(units)
        .map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER))
        .collect::<String>()
        .trim()
        .to_owned()
}

/// A DOS-style serial number: `1A2B-3C4D`.
pub(super) fn serial(number: u32) -> String {
    format!("{:04X}-{:04X}", number >> 16, number & 0xffff)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_hold() {
        assert!(power_of_two(4096, 512, 4096));
        assert!(!power_of_two(8192, 512, 4096));
        assert!(!power_of_two(0, 0, 4096));
        assert_eq!(shifted(12, 9, 16), Some(4096));
        assert_eq!(shifted(64, 0, 64), None);
        assert_eq!(product(u64::MAX, 2), None);
    }

    #[test]
    fn labels_end_at_nul_and_survive_bad_surrogates() {
        assert_eq!(utf16_le(b"a\0b\0\0\0c\0"), "a\u{62}");
        assert_eq!(utf16_be(b"\0a\0b\0"), "ab");
        assert_eq!(utf16_le(&[0x00, 0xd8]), "\u{fffd}");
        assert_eq!(serial(0x1a2b_3c4d), "1A2B-3C4D");
    }
}
