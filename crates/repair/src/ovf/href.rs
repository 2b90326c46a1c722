//! Names of files as references (RFC 3986): `vm%20disk1.vmdk` is the file `vm disk1.vmdk`.

use std::fmt::Write;

/// The name of a file in a reference; as it is written, where that is no reference.
pub fn decoded(href: &str) -> String {
    unescaped(href).unwrap_or_else(|| href.to_owned())
}

fn unescaped(href: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(href.len());
    let mut rest = href.as_bytes();
    while let Some((byte, more)) = rest.split_first() {
        rest = more;
        if *byte != b'%' {
            bytes.push(*byte);
            continue;
        }
        let (digits, more) = rest.split_at_checked(2)?;
        let digits = std::str::from_utf8(digits).ok()?;
        let is_hex = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
        bytes.push(u8::from_str_radix(digits, 16).ok().filter(|_| is_hex)?);
        rest = more;
    }
    String::from_utf8(bytes).ok()
}

/// A reference to the file with this name.
pub fn encoded(name: &str) -> String {
    let mut text = String::with_capacity(name.len());
    for byte in name.bytes() {
        let is_plain = byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=@/".contains(&byte);
        match is_plain {
            true => text.push(char::from(byte)),
            // A string takes all.
            false => drop(write!(text, "%{byte:02X}")),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_comes_back_and_what_is_no_reference_is_a_name() {
        for (href, name) in [
            ("vm%20disk1.vmdk", "vm disk1.vmdk"),
            ("vm disk1.vmdk", "vm disk1.vmdk"),
            ("%e2%82%AC.vmdk", "€.vmdk"),
            ("a%2520b", "a%20b"),
            ("100%", "100%"),
            ("100%.vmdk", "100%.vmdk"),
            ("%+1", "%+1"),
            ("%zz", "%zz"),
            ("%ff.vmdk", "%ff.vmdk"),
            ("a&b(1).vmdk", "a&b(1).vmdk"),
        ] {
            assert_eq!(decoded(href), name, "{href}");
            assert_eq!(decoded(&encoded(name)), name);
        }
        assert_eq!(encoded("a b%€.vmdk"), "a%20b%25%E2%82%AC.vmdk");
    }
}
