//! Numbers and words in the lines of text traces, without allocation and without panics.

/// The lines of a chunk, without their ends (LF or CR-LF).
pub fn lines(chunk: &[u8]) -> impl Iterator<Item = &[u8]> {
    ByteLines { rest: chunk }
}

struct ByteLines<'a> {
    rest: &'a [u8],
}

impl<'a> Iterator for ByteLines<'a> {
    type Item = &'a [u8];

    #[inline]
    fn next(&mut self) -> Option<&'a [u8]> {
        if self.rest.is_empty() {
            return None;
        }
        let (line, rest) = match memchr::memchr(b'\n', self.rest) {
            Some(end) => self.rest.split_at(end),
            None => (self.rest, &[][..]),
        };
        self.rest = rest.get(1..).unwrap_or_default();
        Some(line.strip_suffix(b"\r").unwrap_or(line))
    }
}

/// A cursor over one line.
#[derive(Copy, Clone, Debug)]
pub struct FieldCursor<'a> {
    rest: &'a [u8],
}

impl<'a> FieldCursor<'a> {
    /// At the start of a line.
    pub const fn new(line: &'a [u8]) -> Self {
        Self { rest: line }
    }

    /// The rest of the line.
    pub const fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// Skips blanks and tabs.
    #[inline]
    pub fn blanks(&mut self) -> &mut Self {
        while let [b' ' | b'\t', rest @ ..] = self.rest {
            self.rest = rest;
        }
        self
    }

    /// Takes one byte if it is this one.
    #[inline]
    pub fn byte(&mut self, wanted: u8) -> Option<()> {
        match self.rest {
            [first, rest @ ..] if *first == wanted => {
                self.rest = rest;
                Some(())
            }
            _ => None,
        }
    }

    /// An unsigned decimal number; `None` where there is no digit, or past 64 bits.
    #[inline]
    pub fn number(&mut self) -> Option<u64> {
        let mut value = 0_u64;
        let mut digits = 0_u32;
        while let [digit @ b'0'..=b'9', rest @ ..] = self.rest {
            // 19 digits always fit: only then is the checked way needed.
            let next = u64::from(digit - b'0');
            value = if digits < 19 {
                value * 10 + next
            } else {
                value.checked_mul(10)?.checked_add(next)?
            };
            digits += 1;
            self.rest = rest;
        }
        (digits > 0).then_some(value)
    }

    /// An unsigned decimal number, perhaps with a fraction, times `scale`, a power of ten: 1e9 makes
    /// nanoseconds of seconds. Digits below one are cut.
    #[inline]
    pub fn decimal(&mut self, scale: u64) -> Option<u64> {
        let mut value = self.number()?.checked_mul(scale)?;
        if let [b'.', rest @ ..] = self.rest {
            self.rest = rest;
            let mut unit = scale;
            while let [digit @ b'0'..=b'9', rest @ ..] = self.rest {
                unit /= 10;
                value = value.checked_add(u64::from(digit - b'0') * unit)?;
                self.rest = rest;
            }
        }
        Some(value)
    }

    /// Takes a comma and the blanks around it.
    #[inline]
    pub fn comma(&mut self) -> Option<&mut Self> {
        self.blanks().byte(b',')?;
        Some(self.blanks())
    }

    /// Whether nothing but blanks is left.
    #[inline]
    pub fn ended(&mut self) -> bool {
        self.blanks().rest.is_empty()
    }

    /// The word up to the next blank or tab, after leading blanks; empty at the end.
    #[inline]
    pub fn word(&mut self) -> &'a [u8] {
        self.blanks();
        let end = self.rest.iter().position(|b| matches!(b, b' ' | b'\t'));
        let (word, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        self.rest = rest;
        word
    }

    /// The field up to the separator, which is taken too.
    #[inline]
    pub fn until(&mut self, separator: u8) -> &'a [u8] {
        match memchr::memchr(separator, self.rest) {
            Some(end) => {
                let (field, rest) = self.rest.split_at(end);
                self.rest = rest.get(1..).unwrap_or_default();
                field
            }
            None => std::mem::take(&mut self.rest),
        }
    }

    /// `seconds.fraction` as nanoseconds; a fraction of one to nine digits, more are cut.
    #[inline]
    pub fn seconds(&mut self) -> Option<i64> {
        let whole = self.number()?;
        let mut nanos = 0_u64;
        if self.byte(b'.').is_some() {
            let mut digits = 0;
            while let [digit @ b'0'..=b'9', rest @ ..] = self.rest {
                if digits < 9 {
                    nanos = nanos * 10 + u64::from(digit - b'0');
                    digits += 1;
                }
                self.rest = rest;
            }
            nanos *= 10_u64.pow(9 - digits);
        }
        let total = whole.checked_mul(1_000_000_000)?.checked_add(nanos)?;
        i64::try_from(total).ok()
    }
}

/// The last word of a line and what is before it, without the blanks between; for lines whose middle
/// may hold blanks.
#[inline]
pub fn last_word(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let line = line.trim_ascii_end();
    let start = memchr::memrchr2(b' ', b'\t', line).map_or(0, |blank| blank + 1);
    let (rest, word) = line.split_at(start);
    (!word.is_empty()).then_some((rest.trim_ascii_end(), word))
}

/// A number of 512-byte sectors and a count of them, as bytes.
#[inline]
pub fn sectors(start: u64, count: u64) -> Option<(u64, u32)> {
    let len = u32::try_from(count.checked_mul(512)?).ok()?;
    Some((start.checked_mul(512)?, len))
}

/// A whole field that is an unsigned decimal number.
#[inline]
pub fn number(field: &[u8]) -> Option<u64> {
    let mut cursor = FieldCursor::new(field.trim_ascii());
    let value = cursor.number()?;
    cursor.rest().is_empty().then_some(value)
}

/// A whole field that is a decimal number with a fraction, times `scale` (1e9 for seconds to
/// nanoseconds), rounded down; exponents as spreadsheets write them are taken too.
pub fn scaled(field: &[u8], scale: u64) -> Option<u64> {
    let field = field.trim_ascii();
    if field.iter().any(|b| matches!(b, b'e' | b'E')) {
        return exponent(field, scale);
    }
    let mut cursor = FieldCursor::new(field);
    let mut value = cursor.number()?.checked_mul(scale)?;
    if cursor.byte(b'.').is_some() {
        let mut unit = scale;
        while let [digit @ b'0'..=b'9', rest @ ..] = cursor.rest {
            // Scales are powers of ten: what is left of the division is less than one unit.
            unit /= 10;
            value = value.checked_add(u64::from(digit - b'0') * unit)?;
            cursor.rest = rest;
        }
    }
    cursor.rest().is_empty().then_some(value)
}

// An exponent means that digits are gone already: a float is as good as the text.
#[allow(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss
)]
fn exponent(field: &[u8], scale: u64) -> Option<u64> {
    let value: f64 = std::str::from_utf8(field).ok()?.parse().ok()?;
    let value = value * scale as f64;
    (value.is_finite() && (0.0..1.8e19).contains(&value)).then_some(value as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_in_any_way() {
        let all: Vec<_> = lines(b"a\r\nb\n\nc").collect();
        assert_eq!(all, [&b"a"[..], b"b", b"", b"c"]);
        assert_eq!(lines(b"").count(), 0);
    }

    #[test]
    fn numbers_do_not_wrap() {
        assert_eq!(number(b" 18446744073709551615 "), Some(u64::MAX));
        assert_eq!(number(b"18446744073709551616"), None);
        assert_eq!(number(b"12a"), None);
        assert_eq!(number(b""), None);
    }

    #[test]
    fn seconds_with_any_fraction() {
        let seconds = |text: &[u8]| FieldCursor::new(text).seconds();
        assert_eq!(seconds(b"1.5"), Some(1_500_000_000));
        assert_eq!(seconds(b"0.000000001"), Some(1));
        assert_eq!(seconds(b"12"), Some(12_000_000_000));
        assert_eq!(seconds(b"1.0000000019"), Some(1_000_000_001));
        assert_eq!(seconds(b"99999999999999999999"), None);
    }

    #[test]
    fn scaled_numbers() {
        assert_eq!(scaled(b"1.25", 1_000_000_000), Some(1_250_000_000));
        assert_eq!(scaled(b"1.5E+3", 1000), Some(1_500_000));
        assert_eq!(scaled(b"7", 1), Some(7));
        assert_eq!(scaled(b"-1", 1), None);
    }
}
