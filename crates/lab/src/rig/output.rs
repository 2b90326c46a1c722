//! Files that the guest wrote: a tar, sent through a virtio port.

use std::fs;
use std::path::Path;

use crate::error::{Result, Tried};
use crate::host;

/// Unpacks it. Owners are not kept: the folder is the caller's.
pub fn unpack(tar: &Path, folder: &Path) -> Result<()> {
    fs::create_dir_all(folder).tried(|| format!("cannot make {}", folder.display()))?;
    let folder = folder
        .canonicalize()
        .tried(|| format!("cannot follow {}", folder.display()))?;
    let mut command = host::command("tar");
    command.args([
        "--extract",
        "--no-same-owner",
        "--no-same-permissions",
        "--file",
    ]);
    command.arg(tar).arg("--directory").arg(folder);
    host::output(&mut command).tried(|| "the guest left no tar on /dev/out".to_owned())?;
    Ok(())
}
