//! `--abandon`: a disk is set free without the journal of the move that is in flight on it.

use std::fmt::Write;
use std::path::Path;

use anyhow::Result;
use ioalign_core::fix_document::FixResult;
use ioalign_core::move_marker::{self, BYTES, GPT_SET_ASIDE, GPT_SIGNATURE, MarkerFound};
use ioalign_core::{rules, shell};
use ioalign_repair::{Disk, Error};

use super::{document, flight, refuse, search, target};
use crate::args::FixArgs;
use crate::exit::{Exit, UsageError};

/// The offset in an MBR of the part that the marker keeps.
const TABLE_AT: usize = 440;
const SIGNATURE_AT: usize = 510;

/// Takes the marker away, and puts back what it keeps.
pub fn run(arguments: &FixArgs, again: &Path) -> Result<Exit> {
    let path = &arguments.target;
    if !ioalign_device::same(path, again) {
        let what = format!(
            "{}: --abandon names the target again, and {} is another one; next: `ioalign fix {name} --abandon {name}`",
            path.display(),
            again.display(),
            name = shell::path(path)
        );
        return Err(UsageError(what).into());
    }
    let failed = |error: Error| refuse::error(error, path);
    let mut disk = target::open(arguments, true)?;
    let Some(found) = flight::marker_on(&mut *disk).map_err(failed)? else {
        let what = format!(
            "{}: no move is in flight on it: there is no marker",
            path.display()
        );
        let next = format!("ioalign check {}", shell::path(path));
        return Err(refuse::refusal(rules::FIX_USAGE, what, &next));
    };
    let journal = search::of_marker(arguments, &found).ok();
    let headers = headers(&mut *disk).map_err(failed)?;
    let restored = restore(&mut *disk, &headers).map_err(failed)?;
    let ways = refuse::ways(arguments, arguments.journal.as_deref(), true).map(|(way, _)| way);
    let text = said(
        path,
        &found,
        restored,
        journal.as_deref().map(|path| (path, &ways[..])),
    );
    let next = match journal {
        Some(_) => ways.to_vec(),
        None => vec![format!("ioalign check {}", shell::path(path))],
    };
    document::write_end(arguments, FixResult::Abandoned, next, &text)?;
    target::close(disk, path)?;
    Ok(Exit::Done)
}

/// The places where headers of a GPT are replaced: behind the first block, and in the last.
fn headers(disk: &mut dyn Disk) -> ioalign_repair::Result<Vec<(u64, Vec<u8>)>> {
    let (bytes, size) = (disk.logical_bytes(), disk.size_bytes());
    let mut found = Vec::new();
    for at in [bytes, size.saturating_sub(bytes)] {
        let mut block = vec![0; usize::try_from(bytes).unwrap_or(BYTES)];
        let read = disk.read_at(at, &mut block);
        read.map_err(|error| Error::io("a header of its table cannot be read", error))?;
        if let Some(rest) = block.strip_prefix(&GPT_SET_ASIDE) {
            found.push((at, [&GPT_SIGNATURE, rest].concat()));
        }
    }
    Ok(found)
}

/// Headers first: while the marker is there, none of them counts.
fn restore(disk: &mut dyn Disk, headers: &[(u64, Vec<u8>)]) -> ioalign_repair::Result<usize> {
    let failed = |error| Error::io("it cannot be written", error);
    for (at, block) in headers {
        disk.write_at(*at, block).map_err(failed)?;
    }
    disk.flush().map_err(failed)?;
    let mut sector = flight::first_sector(disk)?;
    let old = move_marker::old_table(&sector);
    if let Some(marker) = sector.get_mut(..BYTES) {
        marker.fill(0);
    }
    for (at, bytes) in [(TABLE_AT, &old[..]), (SIGNATURE_AT, &[0x55, 0xaa])] {
        if let Some(place) = sector.get_mut(at..at + bytes.len()) {
            place.copy_from_slice(bytes);
        }
    }
    disk.write_at(0, &sector).map_err(failed)?;
    disk.flush().map_err(failed)?;
    Ok(headers.len())
}

/// `journal`: where it lies, and the commands that still end the move with it.
fn said(
    target: &Path,
    found: &MarkerFound,
    headers: usize,
    journal: Option<(&Path, &[String])>,
) -> String {
    let name = shell::path(target);
    let mut text = String::new();
    let _ = writeln!(
        text,
        "{name}: the move is given up. The entries of the old MBR{} are back; its boot code is not",
        if headers > 0 { " and the GPT" } else { "" }
    );
    let _ = writeln!(
        text,
        "  Partitions in flight are split between their old and new places, and their superblocks \
         are missing"
    );
    if matches!(found, MarkerFound::Damaged) {
        let _ = writeln!(
            text,
            "  The marker was damaged, so the entries may be wrong"
        );
    }
    if let Some((path, ways)) = journal {
        let _ = writeln!(
            text,
            "  Its journal {} is still there: it alone has those superblocks. It can still end the move: {}",
            shell::path(path),
            ways.iter()
                .map(|way| format!("`{way}`"))
                .collect::<Vec<_>>()
                .join(" or ")
        );
    }
    text
}
