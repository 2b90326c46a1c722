//! A machine: this one, a copied tree, or a bundle.

use std::path::Path;

use super::host::{HostOptions, host_in};
use super::{AssembleOptions, Inspection, bundle};
use crate::error::Result;
use crate::host::{self, Mount, Root};

/// Reads a machine into a stack.
pub fn host(what: &HostOptions, options: &AssembleOptions) -> Result<Inspection> {
    match &what.sysroot {
        Some(path) if path.is_file() => bundle::sysroot(path, what, options),
        Some(path) => host_in(&Root::captured(path)?, what, options),
        None => host_in(&Root::live()?, what, options),
    }
}

/// The mount that holds a file or folder of this machine; `None`: it is not there.
pub fn mount_of(path: &Path) -> Result<Option<Mount>> {
    let root = Root::live()?;
    let real = path.canonicalize().ok();
    Ok(real.and_then(|real| host::mount_of(&root, &real)))
}
