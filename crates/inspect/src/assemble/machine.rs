//! A machine: this one, a copied tree, or a bundle.

use super::host::{HostOptions, host_in};
use super::{AssembleOptions, Inspection, bundle};
use crate::error::Result;
use crate::host::Root;

/// Reads a machine into a stack.
pub fn host(what: &HostOptions, options: &AssembleOptions) -> Result<Inspection> {
    match &what.sysroot {
        Some(path) if path.is_file() => bundle::sysroot(path, what, options),
        Some(path) => host_in(&Root::captured(path)?, what, options),
        None => host_in(&Root::live()?, what, options),
    }
}
