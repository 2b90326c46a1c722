//! `--output`: the same layout in a new image.

use std::path::Path;
use std::time::Instant;

use anyhow::{Result, anyhow};
use ioalign_repair::container::{self, Format};
use ioalign_repair::{Error, ErrorKind};

use super::document::Ended;
use super::progress::Shown;
use super::{Page, options, place, plan, refuse, target};
use crate::args::FixArgs;
use crate::exit::Exit;

/// Writes the new image; where nothing needs moving none is made.
pub fn run(arguments: &FixArgs, new: &Path) -> Result<Exit> {
    if new.exists() {
        return Err(anyhow!(
            "{}: it is there already, and is not replaced",
            new.display()
        ));
    }
    place::no_unfinished(arguments)?;
    let mut disk = target::open(arguments, false)?;
    let plan = plan(&mut *disk, arguments)?;
    refuse::expected(&plan, arguments)?;
    let mut page = Page::of(arguments, &plan);
    if plan.is_empty() {
        page.write()?;
        return Ok(page.exit());
    }
    refuse::without_consent(&plan, arguments)?;
    let shown = Shown::of(&arguments.look)?;
    let begun = Instant::now();
    let made = container::create(
        new,
        format(arguments, new),
        disk.size_bytes(),
        disk.logical_bytes(),
    );
    let done = made.and_then(|mut image| {
        let mut tell = |progress: &_| shown.tell(progress);
        let how = options(arguments);
        container::write_new_with(&mut *disk, &plan.job, &mut *image, &how, &mut tell)
    });
    shown.end();
    match done {
        Ok(done) => {
            page.ended = Ended::Copied;
            page.done = Some((done, begun.elapsed()));
            page.write()?;
            Ok(page.exit())
        }
        Err(error) => removed(error, new),
    }
}

/// Half of a copy is of use to nobody; the original is as it was.
pub fn removed(error: Error, new: &Path) -> Result<Exit> {
    let _ = std::fs::remove_file(new);
    if error.kind() == ErrorKind::Interrupted {
        anstream::eprintln!("ioalign: stopped; {} was removed", new.display());
        return Ok(Exit::Interrupted);
    }
    Err(refuse::error(error, new))
}

/// As typed, or by the name, or raw.
pub fn format(arguments: &FixArgs, new: &Path) -> Format {
    let typed = arguments.format.map(Format::from);
    let named = || Format::from_extension(new);
    typed.or_else(named).unwrap_or(Format::Raw)
}
