//! What a fact about a database can look like.
//!
//! Facts go into reports and bundles. They come from files that the database's user owns, so text that
//! does not match the grammar of a version is rejected: it may be a line of another user's file.

use std::path::Path;

/// Longest version.
pub(super) const LONGEST_VERSION: u64 = 16;
/// Longest word.
const LONGEST_WORD: usize = 32;
/// Longest path, as in the kernel.
const LONGEST_PATH: usize = 4096;

/// Whether a text can be the value of a fact.
type Fits = fn(&str) -> bool;

/// Keys of facts that databases have, and their grammar.
const FACTS: [(&str, Fits); 6] = [
    ("journal", |value| matches!(value, "wal" | "rollback")),
    ("version", is_version),
    ("wal-page", is_size),
    ("wal-segment", is_size),
    ("tablespace", is_tablespace),
    ("configured-page", is_word),
];

/// The key as it is known; `None` for any other.
pub(super) fn key(key: &str) -> Option<&'static str> {
    let found = FACTS.iter().find(|(known, _)| *known == key);
    found.map(|(known, _)| *known)
}

/// Whether a fact may be shown and kept.
pub(super) fn is_fact(key: &str, value: &str) -> bool {
    let known = FACTS.iter().find(|(known, _)| *known == key);
    known.is_some_and(|(_, fits)| fits(value))
}

/// `16`, `9.6`, `11.2.0`.
fn is_version(value: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_digit() || byte == b'.';
    value.len() as u64 <= LONGEST_VERSION
        && value.starts_with(|c: char| c.is_ascii_digit())
        && value.bytes().all(fits)
}

/// A size as it is printed: `16 MiB`, `8192 B`.
fn is_size(value: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b' ' | b'.' | b',');
    value.len() <= LONGEST_WORD
        && value.starts_with(|c: char| c.is_ascii_digit())
        && value.bytes().all(fits)
}

/// A value of an option: `16k`, `16384`.
pub(super) fn is_word(value: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric();
    (1..=LONGEST_WORD).contains(&value.len()) && value.bytes().all(fits)
}

/// The path of one of InnoDB's files.
fn is_tablespace(value: &str) -> bool {
    let name = Path::new(value).file_name().and_then(|name| name.to_str());
    let named = name.is_some_and(|name| name == "ibdata1" || name.ends_with(".ibd"));
    named && value.len() <= LONGEST_PATH && !value.chars().any(char::is_control)
}

/// The version in the second line of WiredTiger's file: `WiredTiger 11.2.0: (November 2, 2023)`.
pub(super) fn wiredtiger_version(line: &str) -> Option<&str> {
    let (version, rest) = line.strip_prefix("WiredTiger ")?.split_once(": (")?;
    (is_version(version) && rest.ends_with(')')).then_some(version)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_other_files_are_no_facts() {
        assert!(is_fact("version", "16") && is_fact("version", "11.2.0"));
        for line in [
            "root:$6$SECRETHASH$planted:19000:0:99999:7:::",
            "16\nroot:x",
            "",
            ".",
            "12345678901234567",
            "16 ",
        ] {
            assert!(!is_fact("version", line), "{line:?}");
        }
        assert!(is_fact("wal-segment", "16 MiB") && !is_fact("wal-page", "root:x:0"));
        assert!(is_fact("journal", "wal") && !is_fact("journal", "PLANTED"));
        assert!(is_fact("tablespace", "/var/lib/mysql/a b/c.ibd"));
        assert!(!is_fact("tablespace", "PLANTED") && !is_fact("other", "1"));
        assert_eq!(key("journal"), Some("journal"));
    }

    #[test]
    fn the_version_of_wiredtiger_is_a_number() {
        let line = "WiredTiger 11.2.0: (November 2, 2023)";
        assert_eq!(wiredtiger_version(line), Some("11.2.0"));
        for line in ["WiredTiger x: (now)", "root:x:0", "WiredTiger 1.0: (now"] {
            assert_eq!(wiredtiger_version(line), None, "{line}");
        }
    }
}
