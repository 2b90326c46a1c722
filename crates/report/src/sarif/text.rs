//! Strings of SARIF: messages, where brackets make links and braces placeholders, and URIs.

use serde::Serialize;

use crate::words::ended::ended;

/// A `message` or `multiformatMessageString` object.
#[derive(Serialize)]
pub struct Message {
    pub text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub markdown: Option<String>,
}

impl Message {
    /// A sentence that may hold untrusted names: no links (§3.11.6), no placeholders (§3.11.5).
    pub fn plain(text: &str) -> Self {
        Self {
            text: literal(&ended(text)),
            markdown: None,
        }
    }

    /// Our own words, in both forms.
    pub fn both(text: &str, markdown: &str) -> Self {
        Self {
            text: literal(text),
            markdown: Some(markdown.replace('{', "{{").replace('}', "}}")),
        }
    }
}

fn literal(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\\' | '[' | ']' => out.extend(['\\', c]),
            '{' | '}' => out.extend([c, c]),
            _ => out.push(c),
        }
    }
    out
}

/// A path as a URI reference: absolute ones become `file:` URIs, others stay relative.
pub fn uri(path: &str) -> String {
    let plain = path.trim_start_matches("./");
    if plain.starts_with('/') {
        format!("file://{}", percent(plain))
    } else if plain.is_empty() {
        ".".to_owned()
    } else {
        percent(plain)
    }
}

/// Everything but the unreserved characters of RFC 3986 and the slash.
fn percent(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_become_uris() {
        assert_eq!(uri("./a b/c:d%.img"), "a%20b/c%3Ad%25.img");
        assert_eq!(uri("/srv/ä.img"), "file:///srv/%C3%A4.img");
        assert_eq!(uri(""), ".");
    }

    #[test]
    fn names_make_no_links_and_no_placeholders() {
        let message = Message::plain("[x](http://evil) {0} \\");
        assert_eq!(message.text, "\\[x\\](http://evil) {{0}} \\\\.");
    }
}
