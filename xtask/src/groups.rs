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
    /// Those that need programs or root.
    Oracle,
    /// Those that need the virtual machine, or what was made in it.
    Vm,
}

impl TestGroup {
    /// The group that a step of `cargo xtask test` runs.
    pub fn of_step(step: &str) -> Option<Self> {
        match step {
            "test" => Some(Self::All),
            "unit" => Some(Self::Unit),
            "oracle" => Some(Self::Oracle),
            "vm" => Some(Self::Vm),
            _ => None,
        }
    }

    /// `IOALIGN_TESTS`: whether a test may be left out.
    pub const fn mode(self) -> &'static str {
        match self {
            Self::Unit => "unit",
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

    /// The last test of `cargo test --workspace`: the programs of other packages ran before.
    #[test]
    fn what_was_left_out_is_counted() {
        use std::io::Write as _;
        let counts = ioalign_testkit::needs::counts();
        let all: usize = counts.values().sum();
        if all == 0 {
            return;
        }
        assert_ne!(std::env::var("IOALIGN_TESTS").as_deref(), Ok("all"));
        let mut text = format!("\nleft out: {all} tests; target/left-out has their names\n");
        for (reason, number) in counts {
            text += &format!("  {number:4} for want of {reason}\n");
        }
        text += "  `./dev test` has all that they need; `cargo xtask test` leaves none out\n";
        // Not through `print!`, which libtest captures.
        let _ = std::io::stderr().write_all(text.as_bytes());
    }
}
