//! `--forget`: the journal of a move that is not on the disk is removed.

use anyhow::Result;
use ioalign_core::fix_document::FixResult;
use ioalign_core::{rules, shell};
use ioalign_inspect::moving;
use ioalign_repair::Error;
use ioalign_repair::journal::{self, JournalFile};

use super::flight::{self, Unfinished};
use super::{document, refuse, search, standing, target};
use crate::args::FixArgs;
use crate::exit::Exit;

/// Removes it when it is proven that nothing of its move is on the target.
pub fn run(arguments: &FixArgs) -> Result<Exit> {
    let marker = moving::marker_of(&arguments.target).ok().flatten();
    let path = match &marker {
        Some(found) => {
            search::of_marker(arguments, found).map_err(|_| flight::marked(arguments, found))?
        }
        None => search::usual(arguments)?,
    };
    let failed = |error: Error| refuse::error(error, &path);
    let mut file = JournalFile::open(&path).map_err(failed)?;
    let is_unfinished = journal::is_unfinished(file.store()).unwrap_or(false);
    match (is_unfinished, &marker) {
        (true, None) => {}
        (true, Some(found)) => return Err(flight::marked(arguments, found)),
        (false, _) => {
            let contents = journal::read(file.store()).map_err(failed)?;
            let journal = path.clone();
            is_needless(&Unfinished { journal, contents }, arguments)?;
        }
    }
    file.remove().map_err(failed)?;
    let name = shell::path(&arguments.target);
    let check = format!("ioalign check {name}");
    let text = format!(
        "{name}: nothing of the move is on it; its journal {} is gone, and nothing else was written\nNext: {check}\n",
        shell::path(&path)
    );
    document::write_end(arguments, FixResult::Forgotten, vec![check], &text)?;
    Ok(Exit::Done)
}

/// Refuses to give up a journal that alone has a part of the disk.
fn is_needless(job: &Unfinished, arguments: &FixArgs) -> Result<()> {
    job.is_of_target(arguments)?;
    let contents = &job.contents;
    let sector = contents.job.identity.logical_bytes;
    let mut disk = target::with_sector(arguments, false, Some(sector))?;
    let seen = standing::of(&mut *disk, contents, true, &arguments.target)?;
    if !seen.is_on_disk {
        return Ok(());
    }
    let name = shell::path(&arguments.target);
    let what = format!(
        "{name}: a part of the move is on it, which only the journal {} can put together; if others wrote a table \
         there since, that takes --trust-disk as well",
        shell::path(&job.journal)
    );
    let ways = refuse::ways(arguments, arguments.journal.as_deref(), false);
    Err(refuse::choice(rules::FIX_DISK_CHANGED, what, ways))
}
