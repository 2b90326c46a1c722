//! Words of commands that a person pastes into a POSIX shell.
//!
//! Names come from disks, files and documents of others. Every name in a printed command goes through
//! [`word`] or [`path`], so that `sh`, `dash` and `bash` take it as one word that means itself, and so that
//! no control character reaches the terminal.

use std::borrow::Cow;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// A word that the shell takes as exactly `text`.
pub fn word(text: &str) -> Cow<'_, str> {
    if !text.is_empty() && text.bytes().all(is_plain) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(quoted(text.as_bytes()))
}

/// The word for a file. A name that begins with a dash gets `./`, because it is no option.
pub fn path(path: &Path) -> Cow<'_, str> {
    let bytes = path.as_os_str().as_bytes();
    if bytes.first() == Some(&b'-') {
        return Cow::Owned(quoted_or_plain(&[b"./", bytes].concat()));
    }
    match path.to_str() {
        Some(text) => word(text),
        None => Cow::Owned(quoted(bytes)),
    }
}

fn quoted_or_plain(bytes: &[u8]) -> String {
    if bytes.iter().copied().all(is_plain) {
        return String::from_utf8_lossy(bytes).into_owned();
    }
    quoted(bytes)
}

/// Characters without a meaning to any shell, wherever they stand in a word. `~` and `=` at the start have one.
const fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(
            byte,
            b'_' | b'.' | b'/' | b':' | b'@' | b'%' | b'+' | b',' | b'-'
        )
}

/// In single quotes; with `$'…'` where a byte must not reach a terminal as it is. `dash` before 0.5.13 does not
/// know that form, which POSIX has since 2024: there it is one word with another text.
fn quoted(bytes: &[u8]) -> String {
    let text = std::str::from_utf8(bytes).ok();
    if let Some(text) = text.filter(|text| text.chars().all(is_shown)) {
        return format!("'{}'", text.replace('\'', r"'\''"));
    }
    let mut out = String::from("$'");
    for chunk in bytes.utf8_chunks() {
        chunk.valid().chars().for_each(|c| escape(c, &mut out));
        for byte in chunk.invalid() {
            octal(*byte, &mut out);
        }
    }
    out.push('\'');
    out
}

fn escape(c: char, out: &mut String) {
    match c {
        // To an old dash this is a single-quoted text, which a quote would end.
        '\'' => octal(b'\'', out),
        '\\' => out.push_str(r"\\"),
        _ if is_shown(c) => out.push(c),
        _ => {
            let mut bytes = [0; 4];
            for byte in c.encode_utf8(&mut bytes).bytes() {
                octal(byte, out);
            }
        }
    }
}

/// Always three digits: what follows may be a digit.
fn octal(byte: u8, out: &mut String) {
    out.push('\\');
    for shift in [6, 3, 0] {
        out.push(char::from(b'0' + ((byte >> shift) & 7)));
    }
}

/// Whether a terminal shows it as a character of its own: no control, no change of direction, no zero width.
fn is_shown(c: char) -> bool {
    !c.is_control()
        && !matches!(c,
            '\u{ad}' | '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::ffi::OsStr;
    use std::process::Command;

    fn echoed(shell: &str, word: &str) -> Vec<u8> {
        let script = format!("printf %s {word}");
        let output = Command::new(shell).args(["-c", &script]).output();
        output.expect("the shell runs").stdout
    }

    #[test]
    fn plain_names_stay_as_they_are() {
        for name in ["/dev/sda1", "disk.img", "a:b,c@d%e+f"] {
            assert_eq!(word(name), name);
        }
        assert_eq!(path(Path::new("-rf")), "./-rf");
        assert_eq!(path(Path::new("-r f")), "'./-r f'");
    }

    #[test]
    fn commands_in_names_stay_inert() {
        for name in [
            "a;touch X;.img",
            "$(touch X)",
            "`touch X`",
            "it's",
            "~",
            "",
            "a\\b",
            "*",
            "a=b",
        ] {
            for shell in ["sh", "bash", "dash"] {
                assert_eq!(
                    echoed(shell, &word(name)),
                    name.as_bytes(),
                    "{shell} {name}"
                );
            }
        }
    }

    #[test]
    fn no_control_character_is_printed() {
        let word = word("a\x1b[2J\u{202e}b\n");
        assert_eq!(word, r"$'a\033[2J\342\200\256b\012'");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]
        #[test]
        fn every_name_returns_from_bash(bytes in proptest::collection::vec(1u8..=255, 1..40)) {
            let name = Path::new(OsStr::from_bytes(&bytes));
            let expected = match bytes.first() {
                Some(b'-') => [b"./", &bytes[..]].concat(),
                _ => bytes.clone(),
            };
            prop_assert_eq!(echoed("bash", &path(name)), expected);
            // dash takes some for another name, and none for a command.
            let script = format!("printf '<%s>' {}", path(name));
            let output = Command::new("dash").args(["-c", &script]).output().expect("dash runs");
            prop_assert!(output.stderr.is_empty());
            prop_assert!(output.stdout.starts_with(b"<") && output.stdout.ends_with(b">"));
        }
    }
}
