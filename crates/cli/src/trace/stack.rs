//! `--stack`: the layers below the traced devices, from a document of `check --json` or from this machine.

use std::path::Path;

use anyhow::{Context, Result, anyhow};
use ioalign_inspect::assemble::{self, HostOptions};
use ioalign_observe::analyse::StackIndex;

/// Bytes of a document that are read at most.
const MOST: u64 = 1 << 30;

/// The stack that the operator named.
pub fn read(path: &Path) -> Result<StackIndex> {
    if path.as_os_str() == "live" {
        let options = HostOptions {
            sysroot: None,
            only: Vec::new(),
            extents: false,
        };
        let found = assemble::host(&options, &assemble::Options::default());
        let found = found.map_err(|error| anyhow!("{}", error.full()))?;
        return Ok(StackIndex::new(found.stack));
    }
    let name = path.display();
    let size = std::fs::metadata(path).with_context(|| format!("{name}: cannot open it"))?;
    if size.len() > MOST {
        return Err(anyhow!("{name}: larger than a gibibyte"));
    }
    let text = std::fs::read_to_string(path).with_context(|| format!("{name}: cannot read it"))?;
    let stack = ioalign_report::json::read::stack(&text).map_err(|why| anyhow!("{name}: {why}"))?;
    Ok(StackIndex::new(stack))
}
