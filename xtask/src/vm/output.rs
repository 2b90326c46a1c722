//! Files that the guest wrote: a tar, sent through a virtio port.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use crate::run;

/// Unpacks it. Owners are not kept: the folder is the caller's.
pub fn unpack(tar: &Path, folder: &Path) -> Result<()> {
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let folder = folder
        .canonicalize()
        .with_context(|| format!("cannot follow {}", folder.display()))?;
    let mut command = run::command("tar");
    command.args([
        "--extract",
        "--no-same-owner",
        "--no-same-permissions",
        "--file",
    ]);
    command.arg(tar).arg("--directory").arg(folder);
    run::output(&mut command).context("the guest left no tar on /dev/out")?;
    Ok(())
}
