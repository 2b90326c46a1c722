//! The text of a job file as sections of keys, `[global]` spread over those that follow it.

/// A section with what it inherits before its own keys.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FioSection {
    pub name: String,
    pub keys: Vec<(String, String)>,
}

/// A job file is small; more keys than this are not a real job.
const MOST_KEYS: usize = 10_000;

/// All sections but `[global]`.
pub fn sections(text: &str) -> Result<Vec<FioSection>, String> {
    let mut global = Vec::new();
    let mut all: Vec<FioSection> = Vec::new();
    let mut in_global = false;
    for (number, line) in (1..).zip(text.lines()) {
        // Either sign begins a comment wherever it stands, also within quotes and names.
        let line = line.split([';', '#']).next().unwrap_or_default().trim();
        if line.is_empty() {
            continue;
        }
        if line.starts_with("include ") {
            return Err(format!(
                "line {number}: `{line}`: put what it includes in its place"
            ));
        }
        if number > MOST_KEYS {
            return Err(format!("more than {MOST_KEYS} lines: it is no job file"));
        }
        if let Some(name) = line.strip_prefix('[') {
            let name = name.strip_suffix(']');
            let name = name.ok_or_else(|| format!("line {number}: `[` without `]`"))?;
            in_global = name == "global";
            if !in_global {
                let (name, keys) = (name.to_owned(), global.clone());
                all.push(FioSection { name, keys });
            }
            continue;
        }
        let (key, value) = line.split_once('=').unwrap_or((line, ""));
        let pair = (key.trim().to_owned(), value.trim().to_owned());
        match all.last_mut() {
            _ if in_global => global.push(pair),
            Some(section) => section.keys.push(pair),
            None => return Err(format!("line {number}: it is before any section")),
        }
    }
    if all.is_empty() {
        return Err("no section beside [global] is in it".to_owned());
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};
    use std::process::Command;

    use ioalign_testkit::needs;

    use super::*;
    use crate::jobs::fio::table;

    #[test]
    fn global_keys_reach_later_sections() {
        let text = "; c\n[global]\nbs=4k\n[a]\nrw=read\n[global]\nbs = 8k\n[b]\ntime_based\n";
        let all = sections(text).unwrap();
        assert_eq!(all.len(), 2);
        assert_eq!(all[0].keys.len(), 2);
        let pair = |key: &str, value: &str| (key.to_owned(), value.to_owned());
        assert_eq!(
            all[1].keys,
            [pair("bs", "4k"), pair("bs", "8k"), pair("time_based", "")]
        );
        assert!(sections("[global]\nbs=4k").is_err());
        assert!(sections("bs=4k\n").unwrap_err().contains("line 1"));
        assert!(sections("[a\n").unwrap_err().contains("line 1"));
    }

    /// The same as fio understands it: `--showcmd` prints a job file as options, under their first names.
    #[test]
    fn examples_are_read_as_fio_reads_them() {
        needs!(Packages);
        let mut read = 0;
        for (index, path) in examples().iter().enumerate() {
            let text = std::fs::read_to_string(path).unwrap();
            // Jobs with comments behind values, and some of the others: fio starts slowly.
            let is_behind = |line: &str| line.find([';', '#']).is_some_and(|at| at > 0);
            if index % 8 != 0 && !text.lines().any(|line| is_behind(line.trim())) {
                continue;
            }
            let Some(shown) = shown(path) else {
                continue;
            };
            let ours = sections(&text).unwrap().into_iter();
            let ours: Vec<_> = ours.map(|one| sorted((one.name, one.keys))).collect();
            assert_eq!(ours, shown, "{}", path.display());
            read += 1;
        }
        assert!(read > 10, "{read}");
    }

    fn examples() -> Vec<PathBuf> {
        let folder = std::fs::read_dir("/usr/share/doc/fio/examples");
        let folder = folder.expect("the package fio-examples");
        let mut all: Vec<_> = folder.map(|entry| entry.unwrap().path()).collect();
        all.retain(|path| path.extension().is_some_and(|ending| ending == "fio"));
        all.sort();
        all
    }

    /// A section by its name, and its keys by their first names, in the order of these: fio sorts them too.
    type Sorted = (String, Vec<(String, String)>);

    fn sorted((name, keys): Sorted) -> Sorted {
        let first = |key: String| table::find(&key).map_or(key, |known| known.name().to_owned());
        let mut keys: Vec<_> = keys
            .into_iter()
            .map(|(key, value)| (first(key), value))
            .collect();
        // A text is shown in quotes of its own.
        keys.retain(|(key, _)| key != "name" && key != "description");
        keys.sort_by(|a, b| a.0.cmp(&b.0));
        (name, keys)
    }

    /// `None` where this fio cannot read it: an engine that was not built in.
    fn shown(path: &Path) -> Option<Vec<Sorted>> {
        let mut fio = Command::new("fio");
        let output = fio
            .arg("--showcmd")
            .arg(path)
            .output()
            .expect("the package fio");
        let line = String::from_utf8(output.stdout).unwrap();
        let text = std::fs::read_to_string(path).unwrap();
        let is_section = |name: &str| text.contains(&format!("[{name}]"));
        let mut global = Vec::new();
        let mut all: Vec<Sorted> = Vec::new();
        for word in line.trim().split(" --").skip(1) {
            let (key, value) = word.split_once('=').unwrap_or((word, ""));
            let pair = (key.to_owned(), value.trim().to_owned());
            match all.last_mut() {
                // A section, unless a key `name` follows it.
                _ if key == "name" && is_section(value) => {
                    all.push((value.to_owned(), global.clone()));
                }
                Some((_, keys)) => keys.push(pair),
                None => global.push(pair),
            }
        }
        // A value that begins with two dashes looks like an option.
        let is_plain = !text
            .lines()
            .any(|line| line.contains('=') && line.contains(" --"));
        (output.status.success() && is_plain).then(|| all.into_iter().map(sorted).collect())
    }
}
