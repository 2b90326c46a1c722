//! `--stack`: the layers below the traced devices, from a document of `check --json` or from this machine.

use std::path::Path;

use anyhow::{Result, anyhow};
use ioalign_inspect::assemble::{self, HostOptions};
use ioalign_observe::analyse::StackIndex;

use crate::document;

/// Whether the stack is that of this machine.
pub fn is_live(path: &Path) -> bool {
    path.as_os_str() == "live"
}

/// The stack that the operator named.
pub fn read(path: &Path) -> Result<StackIndex> {
    if is_live(path) {
        let options = HostOptions {
            sysroot: None,
            only: Vec::new(),
            extents: false,
        };
        let found = assemble::host(&options, &assemble::AssembleOptions::default());
        let found = found.map_err(|error| anyhow!("{}", error.full()))?;
        return Ok(StackIndex::new(found.stack));
    }
    document::stack(path).map(StackIndex::new)
}
