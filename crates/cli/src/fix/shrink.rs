//! `--shrink-last`: the file system becomes smaller before anything else is done.

use anyhow::Result;
use ioalign_core::rules;
use ioalign_repair::Disk;
use ioalign_repair::container::ImageFormat;
use ioalign_repair::fix::RepairPlan;
use ioalign_repair::resize::{self, Shrink};

use super::command::{self, FixStep};
use super::{overlays, plan, refuse, target};
use crate::args::FixArgs;
use crate::image_name;
use crate::say::note;

/// Runs the tools that the plan asks for, and returns whether there were any. Afterwards `fix` plans again.
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
    overlays::refuse(arguments)?;
    possible(&mut *disk, &plan, arguments)?;
    let path = &arguments.target;
    // The tools want it for themselves.
    drop(disk);
    resize::run(path, shrink, &mut |command| {
        if !arguments.look.quiet {
            note(command);
        }
    })
    .map_err(|error| refuse::error(error, path))?;
    Ok(true)
}

/// Whether the tools of a file system can see it.
pub fn possible(disk: &mut dyn Disk, plan: &RepairPlan, arguments: &FixArgs) -> Result<()> {
    let path = &arguments.target;
    let needs_tool = plan.shrink.as_ref().is_some_and(Shrink::needs_tool);
    if !needs_tool || target::is_block(path)? || target::is_raw(disk, path) {
        return Ok(());
    }
    let what = format!(
        "{}: the tools of a file system cannot see into an image of this format; make it a raw one first \
         (--output), nothing was written",
        path.display()
    );
    let new = image_name::beside(path, "img");
    let raw = FixStep::Output(&new, Some(ImageFormat::Raw));
    Err(refuse::refusal(
        rules::FIX_NOT_IN_PLACE,
        what,
        &command::line(arguments, raw),
    ))
}
