//! The release a second time, at another place: equal commits give equal files.

use std::fs;

use anyhow::{Context, Result, bail};

use super::facts::ReleaseFacts;
use super::options::Options;
use crate::{paths, run};

/// Only a commit can be built again.
pub fn ensure(facts: &ReleaseFacts) -> Result<()> {
    if facts.commit.ends_with("-dirty") {
        bail!(
            "--reproduce builds the last commit again, and this tree has changes: commit them first"
        );
    }
    Ok(())
}

/// Builds the same again in a clone with a target folder of its own, and compares all hashes.
pub fn compare(args: &[String], options: &Options) -> Result<()> {
    let place = paths::target().join("dist-again");
    let _ = fs::remove_dir_all(&place);
    let (clone, target, out) = (place.join("tree"), place.join("build"), place.join("out"));
    run::must(
        run::command("git")
            .args(["clone", "--quiet"])
            .arg(paths::root())
            .arg(&clone),
    )?;
    let mut again = run::cargo(&["xtask", "dist"]);
    again
        .args(without_checks(args))
        .arg("--out")
        .arg(&out)
        .current_dir(&clone)
        .env("CARGO_TARGET_DIR", &target);
    run::must(&mut again)?;
    let sums = |folder: &std::path::Path| {
        let path = folder.join("SHA256SUMS");
        fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))
    };
    let differ = differences(&sums(&options.out)?, &sums(&out)?);
    if !differ.is_empty() {
        bail!(
            "built twice, these files differ (the second in {}): {}",
            out.display(),
            differ.join(", ")
        );
    }
    println!("built twice, at two places: all files are equal");
    Ok(fs::remove_dir_all(&place)?)
}

/// The arguments of the second build: the last `--out` counts, and a build that compared itself would not end.
fn without_checks(args: &[String]) -> impl Iterator<Item = &String> {
    args.iter()
        .filter(|arg| !["--prove", "--reproduce"].contains(&arg.as_str()))
}

/// Names of files whose hashes differ, or that one list lacks.
fn differences(first: &str, second: &str) -> Vec<String> {
    let only = |these: &str, those: &str| -> Vec<String> {
        these
            .lines()
            .filter(|line| !those.lines().any(|other| other == *line))
            .filter_map(|line| Some(line.split_once("  ")?.1.to_owned()))
            .collect()
    };
    let mut names = only(first, second);
    names.extend(only(second, first));
    names.sort();
    names.dedup();
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_differs_or_is_missing_is_named_once() {
        let first = "aa  x.deb\nbb  y.rpm\ncc  z.whl\n";
        assert!(differences(first, first).is_empty());
        assert_eq!(
            differences(first, "aa  x.deb\nb0  y.rpm\n"),
            ["y.rpm", "z.whl"]
        );
    }

    #[test]
    fn the_second_build_does_not_build_a_third() {
        let args = ["--arch", "x86_64", "--reproduce", "--prove"].map(str::to_owned);
        let left: Vec<_> = without_checks(&args).collect();
        assert_eq!(left, ["--arch", "x86_64"]);
    }
}
