//! Which files a job is about: `filename`, `directory`, and how much of each.

use std::path::PathBuf;

/// `a:b`; a colon within a name stands behind a backslash.
pub fn names(value: &str) -> Vec<String> {
    let mut all = vec![String::new()];
    let mut letters = value.chars().peekable();
    while let Some(letter) = letters.next() {
        if letter == ':' {
            all.push(String::new());
            continue;
        }
        let is_escaped = letter == '\\' && letters.peek() == Some(&':');
        let letter = if is_escaped { letters.next() } else { None }.unwrap_or(letter);
        if let Some(name) = all.last_mut() {
            name.push(letter);
        }
    }
    all.retain(|name| !name.is_empty());
    all
}

/// The files of a section. Names lie in the folder, where there is one; without names the folder itself is
/// the target.
pub fn paths(folder: Option<&str>, names: &[String]) -> Vec<PathBuf> {
    match folder {
        Some(folder) if names.is_empty() => vec![PathBuf::from(folder)],
        // As fio puts them together: also before a name that begins with a slash.
        Some(folder) => names
            .iter()
            .map(|name| PathBuf::from(format!("{}/{name}", folder.trim_end_matches('/'))))
            .collect(),
        None => names.iter().map(PathBuf::from).collect(),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn names_are_split_at_plain_colons() {
        assert_eq!(names("a:b"), ["a", "b"]);
        assert_eq!(
            names(r"/dev/disk/by-path/pci-0\:1:c"),
            ["/dev/disk/by-path/pci-0:1", "c"]
        );
        assert!(names("").is_empty());
    }

    #[test]
    fn names_lie_in_the_folder() {
        let two = names("a:b");
        assert_eq!(
            paths(Some("/x/"), &two),
            [Path::new("/x/a"), Path::new("/x/b")]
        );
        assert_eq!(paths(Some("/x"), &[]), [Path::new("/x")]);
        assert_eq!(paths(None, &two), [Path::new("a"), Path::new("b")]);
    }
}
