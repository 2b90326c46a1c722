//! `buffer_pattern`: `0xdeadbeef`, `"text"`; a plain number is one of 32 bits.

use crate::jobs::values;

pub const ZEROS: &str = "zeros are never written: arrays do not store them";
const WRONG: &str = "hexadecimal digits, or text in quotes";

/// As hexadecimal digits.
pub fn read(value: &str) -> Result<String, &'static str> {
    let digits = match (quoted(value), value.strip_prefix("0x")) {
        (Some(text), _) => hex(text.as_bytes()),
        (None, Some(digits)) if digits.len() % 2 == 1 => format!("0{digits}"),
        (None, Some(digits)) => digits.to_owned(),
        (None, None) => hex(&value.parse::<u32>().map_err(|_| WRONG)?.to_le_bytes()),
    };
    if !digits.is_empty() && !values::are_not_zeros(&digits) {
        return Err(ZEROS);
    }
    values::hex(&digits).map_err(|_| WRONG)
}

fn quoted(value: &str) -> Option<&str> {
    value.strip_prefix('"')?.strip_suffix('"')
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_those_of_fio() {
        let of = |value: &str| read(value).ok();
        assert_eq!(of("0xdeadbeef").as_deref(), Some("deadbeef"));
        assert_eq!(of("0xABC").as_deref(), Some("0abc"));
        assert_eq!(of("\"abc\"").as_deref(), Some("616263"));
        assert_eq!(of("258").as_deref(), Some("02010000"));
        assert_eq!((read("0x00"), read("0")), (Err(ZEROS), Err(ZEROS)));
        for wrong in ["0x", "\"\"", "0xzz", "é", "'file'"] {
            assert_eq!(read(wrong), Err(WRONG), "{wrong}");
        }
    }
}
