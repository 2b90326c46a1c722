//! The tarball, and the list of all files with their hashes.

use std::path::Path;

use anyhow::Result;

use super::facts::{Architecture, ReleaseFacts};
use super::{stable, write};
use crate::run;

/// `ioalign-VERSION-ARCHITECTURE.tar.gz`: the files of the packages, for a Linux without packages.
pub fn tarball(
    facts: &ReleaseFacts,
    architecture: Architecture,
    tree: &Path,
    folder: &Path,
) -> Result<()> {
    let name = format!("ioalign-{}-{}", facts.version, architecture.rust());
    let archive = folder.join(format!("{name}.tar.gz"));
    tar(facts, tree, &name, &archive)
}

/// All of `tree` below `name`, in one order and of nobody.
pub fn tar(facts: &ReleaseFacts, tree: &Path, name: &str, archive: &Path) -> Result<()> {
    let mut command = stable(facts, "tar");
    command
        .args([
            "--create",
            "--sort=name",
            "--owner=0",
            "--group=0",
            "--numeric-owner",
            "--format=gnu",
        ])
        .arg(format!("--mtime=@{}", facts.seconds))
        .arg("--use-compress-program=gzip -9n")
        .arg(format!("--transform=s,^\\.,{name},"))
        .arg("--directory")
        .arg(tree)
        .arg("--file")
        .arg(archive)
        .arg(".");
    run::output(&mut command)?;
    Ok(())
}

/// `SHA256SUMS`, which is also printed.
pub fn sum(folder: &Path) -> Result<()> {
    let mut names: Vec<_> = std::fs::read_dir(folder)?
        .map(|entry| entry.map(|entry| entry.file_name()))
        .collect::<Result<_, _>>()?;
    names.sort();
    let sums = run::output(run::command("sha256sum").current_dir(folder).args(&names))?;
    write(&folder.join("SHA256SUMS"), &sums)?;
    println!("{}:", folder.display());
    for line in sums.lines() {
        let name = line.rsplit("  ").next().unwrap_or_default();
        let bytes = std::fs::metadata(folder.join(name))?.len();
        println!("{line}  {bytes} bytes");
    }
    Ok(())
}
