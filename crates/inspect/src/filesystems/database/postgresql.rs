//! PostgreSQL: block size from `global/pg_control`.
//!
//! Layout: `src/include/catalog/pg_control.h`. Its start changes with versions; what comes after
//! the constant 1234567.0, written to recognise foreign floating-point formats, has not for
//! decades: block size, blocks a segment, WAL block size, WAL segment size.

use std::path::Path;

use ioalign_core::Bytes;

use super::{Database, SMALLEST_PAGE, config, head};
use crate::error::{Error, Result};

/// `PG_CONTROL_MAX_SAFE_SIZE`: one sector.
const CONTROL_BYTES: u64 = 512;
const MARKER: f64 = 1_234_567.0;
/// `BLCKSZ` goes up to 32 KiB.
const LARGEST_BLOCK: u64 = 32 << 10;

pub(super) fn find(dir: &Path, _root: Option<&Path>) -> Result<Option<Database>> {
    let path = dir.join("global/pg_control");
    let Some(control) = head(&path, CONTROL_BYTES)? else {
        return Ok(None);
    };
    let Some(numbers) = after_marker(&control) else {
        let what = "It is named like a PostgreSQL control file and its marker is missing";
        return Err(Error::malformed(what).in_file(&path));
    };
    let [page, _, wal_page, wal_segment] = numbers.map(u64::from);
    if !page.is_power_of_two() || !(SMALLEST_PAGE..=LARGEST_BLOCK).contains(&page) {
        let what = format!("A PostgreSQL block of {page} bytes is not a power of two to 32768");
        return Err(Error::malformed(what).in_file(&path).field("blcksz"));
    }
    let mut found = Database::new("postgresql", page, dir)
        .fact("wal-page", Bytes::new(wal_page).to_string())
        .fact("wal-segment", Bytes::new(wal_segment).to_string());
    if let Some(version) = config::text(&dir.join("PG_VERSION")) {
        found = found.fact("version", version.trim());
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
fn protection(dir: &Path) -> Option<bool> {
    let main = config::text(&dir.join("postgresql.conf"))?;
    let automatic = config::text(&dir.join("postgresql.auto.conf")).unwrap_or_default();
    let value = config::last(&automatic, "full_page_writes")
        .or_else(|| config::last(&main, "full_page_writes"));
    Some(!value.is_some_and(|value| config::negative(&value)))
}
