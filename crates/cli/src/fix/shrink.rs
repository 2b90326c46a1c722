//! `--shrink-last`: the file system becomes smaller before anything else is done.

use anyhow::{Result, bail};
use ioalign_repair::resize;

use super::{plan, refuse, target};
use crate::args::FixArgs;

/// Runs the tools that the plan asks for; whether there were any. Afterwards the plan is made anew, by what
/// is there then.
pub fn first(arguments: &FixArgs) -> Result<bool> {
    if !arguments.change.shrink_last {
        return Ok(false);
    }
    let mut disk = target::open(arguments, true)?;
    let plan = plan(&mut *disk, arguments)?;
    let Some(shrink) = plan.shrink.as_ref().filter(|shrink| shrink.needs_tool()) else {
        return Ok(false);
    };
    refuse::expected(&plan, arguments)?;
    refuse::without_consent(&plan, arguments)?;
    let path = &arguments.target;
    if !target::is_block(path)? && !target::is_raw(&mut *disk, path) {
        bail!(
            "{}: the tools of a file system cannot see into an image of this format; make it a raw one first \
             (--output), nothing was written",
            path.display()
        );
    }
    // The tools want it for themselves.
    drop(disk);
    resize::run(path, shrink, &mut |command| {
        if !arguments.look.quiet {
            anstream::eprintln!("ioalign: {command}");
        }
    })
    .map_err(|error| refuse::error(error, path))?;
    Ok(true)
}
