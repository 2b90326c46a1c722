//! The crates that differ from what was committed upstream, by their folders.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use anyhow::Result;

use crate::{paths, run};

/// The names of the crates with a changed file: since the branch left its upstream, or since the last commit where there is none.
pub fn crates() -> Result<BTreeSet<String>> {
    let base = git(&["merge-base", "HEAD", "@{upstream}"]).unwrap_or_else(|_| "HEAD".to_owned());
    let changed = git(&["diff", "--name-only", base.trim()])?;
    let new = git(&["ls-files", "--others", "--exclude-standard"])?;
    let files = changed.lines().chain(new.lines());
    Ok(files.filter_map(crate_of).collect())
}

fn git(args: &[&str]) -> Result<String> {
    run::output(run::command("git").args(args))
}

/// Workspaces apart from this one.
const APART: [&str; 2] = ["fuzz/", "engines/"];

/// The crate that a file belongs to: the name in the nearest manifest above it.
fn crate_of(file: &str) -> Option<String> {
    if APART.iter().any(|folder| file.starts_with(folder)) {
        return None;
    }
    let folders = Path::new(file).ancestors().skip(1);
    let manifests = folders.map(|folder| paths::root().join(folder).join("Cargo.toml"));
    let text = manifests
        .take_while(|path| path.parent() != Some(&paths::root()))
        .find_map(|path| fs::read_to_string(path).ok())?;
    let name = text.lines().find_map(|line| line.strip_prefix("name = "))?;
    Some(name.trim_matches('"').to_owned())
}

#[cfg(test)]
mod tests {
    use super::crate_of;

    #[test]
    fn a_file_belongs_to_the_crate_above_it() {
        let found = |file| crate_of(file);
        assert_eq!(
            found("crates/core/src/judge/mod.rs").as_deref(),
            Some("ioalign-core")
        );
        assert_eq!(found("xtask/src/main.rs").as_deref(), Some("xtask"));
        assert_eq!(found("fuzz/fuzz_targets/subject.rs"), None);
        assert_eq!(found("README.md"), None);
        assert_eq!(found("docs/check.md"), None);
    }
}
