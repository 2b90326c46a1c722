//! PostgreSQL: block size from `global/pg_control`.
//!
//! Layout: `src/include/catalog/pg_control.h`. Its start changes with versions; what comes after
//! the constant 1234567.0, written to recognise foreign floating-point formats, has not for
//! decades: block size, blocks a segment, WAL block size, WAL segment size.

use ioalign_core::{Bytes, DatabaseEngine};

use super::{Database, SMALLEST_PAGE, config, grammar};
use crate::confined::ConfinedFolder;
use crate::error::{Error, Result};

const CONTROL: &str = "global/pg_control";
/// `PG_CONTROL_MAX_SAFE_SIZE`: one sector.
const CONTROL_BYTES: u64 = 512;
const MARKER: f64 = 1_234_567.0;
/// `BLCKSZ` goes up to 32 KiB.
const LARGEST_BLOCK: u64 = 32 << 10;

pub(super) fn find(
    dir: &ConfinedFolder,
    _root: Option<&ConfinedFolder>,
) -> Result<Option<Database>> {
    let Some(control) = dir.head(CONTROL, CONTROL_BYTES)? else {
        return Ok(None);
    };
    let Some(numbers) = after_marker(&control) else {
        let what = "It is named like a PostgreSQL control file and its marker is missing";
        return Err(Error::malformed(what).in_file(&dir.path_of(CONTROL)));
    };
    let [page, _, wal_page, wal_segment] = numbers.map(u64::from);
    if !page.is_power_of_two() || !(SMALLEST_PAGE..=LARGEST_BLOCK).contains(&page) {
        let what = format!("A PostgreSQL block of {page} bytes is not a power of two to 32768");
        return Err(Error::malformed(what)
            .in_file(&dir.path_of(CONTROL))
            .field("blcksz"));
    }
    let mut found = Database::new(DatabaseEngine::PostgreSql, page, dir.path())
        .fact("wal-page", Bytes::new(wal_page).to_string())
        .fact("wal-segment", Bytes::new(wal_segment).to_string());
    // One byte more than a version can have: what is longer is none.
    if let Ok(Some(version)) = dir.head("PG_VERSION", grammar::LONGEST_VERSION + 2) {
        let version = String::from_utf8_lossy(&version);
        found = found.fact("version", version.trim_end_matches('\n'));
    }
    found.torn_page_protection = protection(dir);
    Ok(Some(found))
}

/// The four numbers after the marker, in the byte order of the machine that wrote it.
fn after_marker(control: &[u8]) -> Option<[u32; 4]> {
    let place = |marker: [u8; 8]| {
        let mut words = control.chunks_exact(4).zip(control.chunks_exact(4).skip(1));
        words.position(|(a, b)| marker.starts_with(a) && marker.ends_with(b))
    };
    let (at, read): (usize, fn([u8; 4]) -> u32) = match place(MARKER.to_le_bytes()) {
        Some(at) => (at, u32::from_le_bytes),
        None => (place(MARKER.to_be_bytes())?, u32::from_be_bytes),
    };
    let mut numbers = control.chunks_exact(4).skip(at + 2);
    let mut next = || Some(read(numbers.next()?.try_into().ok()?));
    Some([next()?, next()?, next()?, next()?])
}

/// `full_page_writes`, which is on unless a file says otherwise; what ALTER SYSTEM wrote wins.
/// `None` where the configuration is elsewhere (Debian keeps it in `/etc/postgresql`).
fn protection(dir: &ConfinedFolder) -> Option<bool> {
    let main = config::text(dir, "postgresql.conf")?;
    let automatic = config::text(dir, "postgresql.auto.conf").unwrap_or_default();
    let value = config::last(&automatic, "full_page_writes")
        .or_else(|| config::last(&main, "full_page_writes"));
    Some(!value.is_some_and(|value| config::negative(&value)))
}
