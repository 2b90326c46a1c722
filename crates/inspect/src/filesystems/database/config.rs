//! Options in my.cnf-like and postgresql.conf-like files.
//!
//! Not the servers' own rules: sections are not distinguished (the options looked for belong to the
//! server only) and includes are not followed, because all files of the folder are read anyway.

use std::path::{Path, PathBuf};

use rustix::fs::FileType;

use crate::confined::ConfinedFolder;

/// Files read at most, and how deep folders are entered.
const MOST_FILES: usize = 64;
const DEEPEST: usize = 3;
/// Of one file; longer ones are read up to here.
const MOST_BYTES: u64 = 256 << 10;

/// All `.cnf` files of MySQL and MariaDB under `root`, in order of their paths. Links are left
/// out: they could leave the root.
pub(super) fn mysql_files(root: &ConfinedFolder) -> Vec<PathBuf> {
    let mut files: Vec<_> = ["etc/my.cnf", "etc/mysql/my.cnf"].map(PathBuf::from).into();
    for folder in ["etc/my.cnf.d", "etc/mysql"] {
        collect(root, Path::new(folder), DEEPEST, &mut files);
    }
    files
}

fn collect(root: &ConfinedFolder, folder: &Path, depth: usize, files: &mut Vec<PathBuf>) {
    for (path, kind) in root.entries(folder, MOST_FILES) {
        if kind == FileType::Directory && depth > 0 {
            collect(root, &path, depth - 1, files);
        }
        let configuration = path.extension().is_some_and(|ext| ext == "cnf");
        if configuration && files.len() < MOST_FILES && !files.contains(&path) {
            files.push(path);
        }
    }
}

/// The text of a file; `None` where it is not there, not readable, or a link.
pub(super) fn text(folder: &ConfinedFolder, inside: impl AsRef<Path>) -> Option<String> {
    let bytes = folder.head(inside, MOST_BYTES).ok()??;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// The last value of `option`, in lower case. Dashes equal underscores, `#` and `;` start a
/// comment, quotes are dropped; `skip_OPTION` gives `off`, an option without a value `on`.
pub(super) fn last(text: &str, option: &str) -> Option<String> {
    text.lines()
        .filter_map(|line| value(line, option))
        .next_back()
}

/// The same as it is written: the value of an option that is a path.
pub(super) fn last_path<'a>(text: &'a str, option: &str) -> Option<&'a str> {
    text.lines()
        .filter_map(|line| written(line, option))
        .next_back()
}

fn value(line: &str, option: &str) -> Option<String> {
    written(line, option).map(str::to_ascii_lowercase)
}

fn written<'a>(line: &'a str, option: &str) -> Option<&'a str> {
    let line = line.split(['#', ';']).next()?.trim();
    let end = line.find(['=', ' ', '\t']).unwrap_or(line.len());
    let (name, rest) = line.split_at(end);
    let name = name.to_ascii_lowercase().replace('-', "_");
    let name = name.strip_prefix("loose_").unwrap_or(&name);
    if name.strip_prefix("skip_") == Some(option) {
        return Some("off");
    }
    if name != option {
        return None;
    }
    let value = rest.trim_start_matches(['=', ' ', '\t']).trim();
    match value.trim_matches(['\'', '"']) {
        "" => Some("on"),
        value => Some(value),
    }
}

/// Whether a value means no.
pub(super) fn negative(value: &str) -> bool {
    matches!(
        value,
        "0" | "off" | "false" | "no" | "of" | "fals" | "f" | "n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_value_counts() {
        let text = "[mysqld]\ninnodb_doublewrite = 1\n# innodb_doublewrite=0\n\
                    loose-innodb-doublewrite=OFF ; why\n";
        assert_eq!(last(text, "innodb_doublewrite").as_deref(), Some("off"));
        assert_eq!(last(text, "innodb_page_size"), None);
        let skip = "skip-innodb_doublewrite";
        assert_eq!(last(skip, "innodb_doublewrite").as_deref(), Some("off"));
        assert_eq!(last("fsync", "fsync").as_deref(), Some("on"));
        let paths = "datadir = /srv/old\nDataDir = \"/srv/MySQL\" # here\n";
        assert_eq!(last_path(paths, "datadir"), Some("/srv/MySQL"));
        assert_eq!(
            last("full_page_writes 'off'", "full_page_writes").as_deref(),
            Some("off")
        );
    }
}
