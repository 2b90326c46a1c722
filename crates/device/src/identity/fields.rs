//! An identity as text: ` key=value` for each field. Special characters of a value become `%` and two hex digits.

use std::fmt;

/// Fields in the order in which they were written.
#[derive(Default)]
pub(super) struct IdentityFields(Vec<(String, String)>);

impl IdentityFields {
    pub fn parse(text: &str) -> Option<Self> {
        let one = |word: &str| {
            let (key, value) = word.split_once('=')?;
            Some((key.to_owned(), decoded(value)?))
        };
        let all: Option<Vec<_>> = text.split_ascii_whitespace().map(one).collect();
        all.map(Self)
    }

    /// Adds a field; one without a value says nothing.
    pub fn push(&mut self, key: &str, value: &str) {
        if !value.is_empty() {
            self.0.push((key.to_owned(), value.to_owned()));
        }
    }

    pub fn text(&self, key: &str) -> Option<&str> {
        let found = self.0.iter().find(|(known, _)| known == key);
        found.map(|(_, value)| value.as_str())
    }

    pub fn number(&self, key: &str) -> Option<u64> {
        self.text(key)?.parse().ok()
    }

    /// The text, or nothing.
    pub fn owned(&self, key: &str) -> String {
        self.text(key).unwrap_or_default().to_owned()
    }
}

impl fmt::Display for IdentityFields {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (key, value) in &self.0 {
            write!(f, " {key}=")?;
            for byte in value.bytes() {
                match byte {
                    b'%' | b'=' => write!(f, "%{byte:02x}")?,
                    b'!'..=b'~' => write!(f, "{}", char::from(byte))?,
                    _ => write!(f, "%{byte:02x}")?,
                }
            }
        }
        Ok(())
    }
}

fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        if *first == b'%' {
            let (digits, after) = after.split_at_checked(2)?;
            let digits = std::str::from_utf8(digits).ok()?;
            bytes.push(u8::from_str_radix(digits, 16).ok()?);
            rest = after;
        } else {
            bytes.push(*first);
            rest = after;
        }
    }
    String::from_utf8(bytes).ok()
}

/// A text as part of a file's name.
pub(super) fn plain(text: &str) -> String {
    let is_plain = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_');
    let each = text.chars().map(|c| if is_plain(&c) { c } else { '-' });
    each.take(100).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_value_returns() {
        let mut fields = IdentityFields::default();
        fields.push("a", "x y=1%20\nä");
        fields.push("b", "");
        let text = fields.to_string();
        assert_eq!(text, " a=x%20y%3d1%2520%0a%c3%a4");
        let read = IdentityFields::parse(&text).unwrap();
        assert_eq!(
            (read.text("a"), read.text("b")),
            (Some("x y=1%20\nä"), None)
        );
        assert!(IdentityFields::parse("a=%").is_none() && IdentityFields::parse("a").is_none());
    }
}
