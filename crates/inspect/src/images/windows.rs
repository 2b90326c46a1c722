//! Parents as Windows names them: UTF-16, backslashes, drive letters, several names for one file.

use std::path::{Path, PathBuf};

use super::policy::open_beside;
use super::{Image, ImagePolicy, open_as};
use crate::error::{Error, ErrorKind, Result};

/// UTF-16 text up to the first NUL; `wide` makes a unit of two bytes.
pub(super) fn utf16(bytes: &[u8], wide: fn([u8; 2]) -> u16) -> String {
    let (units, _) = bytes.as_chunks::<2>();
    let units = units.iter().map(|unit| wide(*unit));
    char::decode_utf16(units.take_while(|unit| *unit != 0))
        .map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER))
        .collect()
}

/// The path with slashes, without a leading `./` and without `file://`.
pub(super) fn slashed(path: &str) -> String {
    let path = path.replace('\\', "/");
    let path = path.strip_prefix("file://localhost").unwrap_or(&path);
    let path = path.strip_prefix("file://").unwrap_or(path);
    path.strip_prefix("./").unwrap_or(path).to_owned()
}

/// Opens the parent by the first of its names that leads to a file, as format `format`.
///
/// The last part of each name is tried beside the image too: chains are copied as a folder, and
/// the absolute names in them are those of another machine. When none works the first error is
/// the answer.
pub(super) fn open_parent(
    image: &Path,
    names: &[String],
    policy: &ImagePolicy,
    format: &str,
) -> Result<Option<Image>> {
    let mut first = None;
    for name in candidates(names) {
        match open_beside(image, Path::new(&name), policy) {
            Ok((source, below)) => return open_as(&source, &below, Some(format)),
            Err(error) if error.kind() == ErrorKind::Loop => return Err(error),
            Err(error) => first = first.or(Some(error)),
        }
    }
    let nameless = || {
        let what = "It needs a parent and does not name one";
        Error::malformed(what).in_file(image).field("parent")
    };
    Err(first.unwrap_or_else(nameless))
}

fn candidates(names: &[String]) -> Vec<String> {
    let whole: Vec<_> = names.iter().map(|name| slashed(name)).collect();
    let last = |name: &String| name.rsplit('/').next().map(str::to_owned);
    let mut out = Vec::new();
    for name in whole.iter().cloned().chain(whole.iter().filter_map(last)) {
        if !name.is_empty() && !out.contains(&name) {
            out.push(name);
        }
    }
    out
}

/// The name to show: the first one, as written.
pub(super) fn shown(names: &[String]) -> Option<PathBuf> {
    names.first().map(PathBuf::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_paths() {
        assert_eq!(utf16(b"a\0\xe9\0\0\0x\0", u16::from_le_bytes), "aé");
        assert_eq!(utf16(b"\0a\0b", u16::from_be_bytes), "ab");
        let names = [".\\base.vhd".to_owned(), "C:\\vm\\base.vhd".to_owned()];
        assert_eq!(candidates(&names), ["base.vhd", "C:/vm/base.vhd"]);
        assert_eq!(slashed("file://localhost/a/b"), "/a/b");
    }
}
