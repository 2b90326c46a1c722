//! SQLite files and WiredTiger folders.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use ioalign_core::DatabaseEngine;
use rustix::fs::{Mode, OFlags};

use super::{Database, LARGEST_PAGE, SMALLEST_PAGE, grammar};
use crate::confined::ConfinedFolder;
use crate::error::{Error, Result};

/// SQLite: "Database File Format", section 1.3: magic, page size at 16 (1 means 65536), write
/// version at 18 (2: write-ahead log).
pub(super) fn find_sqlite(path: &Path) -> Result<Option<Database>> {
    let Some(header) = head(path, 100)? else {
        return Ok(None);
    };
    if !header.starts_with(b"SQLite format 3\0") {
        return Ok(None);
    }
    let raw = header.get(16..18).and_then(|raw| raw.try_into().ok());
    let page = match raw.map_or(0, u16::from_be_bytes) {
        1 => LARGEST_PAGE,
        page => u64::from(page),
    };
    if !page.is_power_of_two() || !(SMALLEST_PAGE..=LARGEST_PAGE).contains(&page) {
        let what = format!("A SQLite page of {page} bytes is not a power of two from 512 to 65536");
        let error = Error::malformed(what).in_file(path).at(16);
        return Err(error.field("page_size"));
    }
    let journal = match header.get(18) {
        Some(2) => "wal",
        _ => "rollback",
    };
    Ok(Some(
        Database::new(DatabaseEngine::Sqlite, page, path).fact("journal", journal),
    ))
}

/// The allocation size of WiredTiger files unless configured otherwise.
const WIREDTIGER_ALLOCATION: u64 = 4096;

/// WiredTiger, the engine of MongoDB: a folder with the file `WiredTiger`, whose text begins with
/// that word. It never overwrites a block in use, and blocks have checksums.
pub(super) fn find_wiredtiger(
    dir: &ConfinedFolder,
    _root: Option<&ConfinedFolder>,
) -> Result<Option<Database>> {
    let Some(text) = dir.head("WiredTiger", 256)? else {
        return Ok(None);
    };
    if !text.starts_with(b"WiredTiger") {
        return Ok(None);
    }
    let mut found = Database::new(DatabaseEngine::MongoDb, WIREDTIGER_ALLOCATION, dir.path());
    found.torn_page_protection = Some(true);
    let text = String::from_utf8_lossy(&text);
    if let Some(version) = text.lines().nth(1).and_then(grammar::wiredtiger_version) {
        found = found.fact("version", version);
    }
    Ok(Some(found))
}

/// The first bytes of a regular file that the operator named. A FIFO would block the open, so the type is asked
/// before, and again of what was opened.
fn head(path: &Path, most: u64) -> Result<Option<Vec<u8>>> {
    if !path.is_file() {
        return Ok(None);
    }
    let failed = |error| Error::io("Cannot read it", error).in_file(path);
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK;
    let file = rustix::fs::open(path, flags, Mode::empty()).map_err(|e| failed(e.into()))?;
    let file = File::from(file);
    if !file.metadata().map_err(failed)?.is_file() {
        return Ok(None);
    }
    let mut bytes = Vec::new();
    file.take(most).read_to_end(&mut bytes).map_err(failed)?;
    Ok(Some(bytes))
}
