//! Which tests are wanted: all of them, or a group by what they need, as `needs!` at their head says
//! (`crates/testkit/src/needs.rs`).

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use crate::paths;

/// A group of tests.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum TestGroup {
    /// All; nothing is left out, so that a missing program is a failure.
    All,
    /// Those that need nothing but Rust.
    Unit,
    /// Those that need neither root nor the virtual machine: the inner loop.
    Quick,
    /// Those that need programs or root.
    Oracle,
    /// Those that need the virtual machine, or what was made in it.
    Vm,
}

impl TestGroup {
    /// `IOALIGN_TESTS`: whether a test may be left out.
    pub const fn mode(self) -> &'static str {
        match self {
            Self::Unit => "unit",
            Self::Quick => "quick",
            Self::All | Self::Oracle | Self::Vm => "all",
        }
    }

    /// The names of the tests, where they are not all.
    pub fn names(self) -> Result<Vec<String>> {
        let mut names = Vec::new();
        if matches!(self, Self::Oracle | Self::Vm) {
            collect(&paths::root().join("crates"), self, &mut names)?;
        }
        names.sort();
        names.dedup();
        Ok(names)
    }

    fn has(self, needs: &str) -> bool {
        let is_vm = needs.contains("Fixtures") || needs.contains("Guest");
        is_vm == (self == Self::Vm)
    }
}

fn collect(folder: &Path, group: TestGroup, names: &mut Vec<String>) -> Result<()> {
    let entries = fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()));
    for entry in entries? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, group, names)?;
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            names.extend(in_source(&fs::read_to_string(&path)?, group));
        }
    }
    Ok(())
}

/// The functions that begin with `needs!` of this group.
fn in_source(source: &str, group: TestGroup) -> Vec<String> {
    let mut names = Vec::new();
    let mut function = None;
    for line in source.lines().map(str::trim_start) {
        if let Some(rest) = line.strip_prefix("fn ") {
            function = rest.split('(').next().map(str::to_owned);
        } else if let Some(needs) = line.strip_prefix("needs!(")
            && group.has(needs)
        {
            names.extend(function.take());
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::{TestGroup, in_source};

    #[test]
    fn tests_are_grouped_by_their_needs() {
        let source = "#[test]\nfn one() {\n    needs!(Packages);\n}\nfn two() {\n    needs!(Root, Fixtures);\n}\nfn three() {}\n";
        assert_eq!(in_source(source, TestGroup::Oracle), ["one"]);
        assert_eq!(in_source(source, TestGroup::Vm), ["two"]);
    }

    /// The last test of `cargo test --workspace`: the programs of other packages ran before. Nextest runs tests in any order, so
    /// `cargo xtask test` counts after its run.
    #[test]
    fn what_was_left_out_is_counted() {
        use ioalign_testkit::needs;
        if std::env::var_os("NEXTEST").is_none() {
            needs::print_counts(&needs::counts());
        }
    }
}
