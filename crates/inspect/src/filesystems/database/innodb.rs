//! InnoDB of MySQL and MariaDB: page size from the header of a tablespace.
//!
//! Layout: `fil0types.h`, `fsp0types.h`: the first page of every tablespace has type 8 at byte 24,
//! its space id at 34 and again at 38, and the space flags at 54 (FIL_PAGE_DATA +
//! FSP_SPACE_FLAGS), all big endian.

use std::path::{Path, PathBuf};

use ioalign_core::DatabaseEngine;
use rustix::fs::FileType;

use super::{Database, LARGEST_PAGE, be32, config, grammar};
use crate::confined::ConfinedFolder;
use crate::error::{Error, Result};

const TYPE_FSP_HEADER: [u8; 2] = [0, 8];
/// Set by MariaDB's `full_crc32` format, which has the page size in the lowest bits.
const FULL_CRC32: u32 = 1 << 4;
/// The data folder, where the configuration names none.
pub(super) const USUAL_FOLDER: &str = "/var/lib/mysql";
/// Options in the data folder, which `mysqld_safe` reads last (`MYSQL_HOME`).
const OWN_OPTIONS: &str = "my.cnf";
/// The system tablespace.
const SYSTEM: &str = "ibdata1";
/// Folders and files looked at for a tablespace, where there is no system tablespace.
const MOST_ENTRIES: usize = 256;

pub(super) fn find(
    dir: &ConfinedFolder,
    root: Option<&ConfinedFolder>,
) -> Result<Option<Database>> {
    let space = match dir.head(SYSTEM, 64)? {
        Some(header) => Some((PathBuf::from(SYSTEM), header)),
        None => any_tablespace(dir)?,
    };
    let Some((path, header)) = space else {
        return Ok(None);
    };
    let Some(page) = page_size(&header) else {
        let what = "It is named like an InnoDB tablespace and its header is none";
        return Err(Error::malformed(what).in_file(&dir.path_of(path)).at(54));
    };
    let mut found = Database::new(DatabaseEngine::InnoDb, page, dir.path());
    found = found.fact("tablespace", dir.path_of(path).display().to_string());
    found.torn_page_protection = protection(dir, root, &mut found);
    Ok(Some(found))
}

/// 4 to 64 KiB; `None` where the bytes are no tablespace header.
fn page_size(header: &[u8]) -> Option<u64> {
    if header.get(24..26)? != TYPE_FSP_HEADER || be32(header, 34)? != be32(header, 38)? {
        return None;
    }
    let flags = be32(header, 54)?;
    let shift = if flags & FULL_CRC32 != 0 {
        flags & 0xf
    } else {
        // Zero is the 16 KiB of all versions before other sizes existed.
        match flags >> 6 & 0xf {
            0 => 5,
            shift => shift,
        }
    };
    let page = 512_u64.checked_shl(shift)?;
    (4096..=LARGEST_PAGE).contains(&page).then_some(page)
}

/// The first `*.ibd` in the folder or a folder in it.
fn any_tablespace(dir: &ConfinedFolder) -> Result<Option<(PathBuf, Vec<u8>)>> {
    let entries = dir.entries("", MOST_ENTRIES);
    let mut paths: Vec<_> = entries.iter().map(|(path, _)| path.clone()).collect();
    for (folder, kind) in &entries {
        if *kind == FileType::Directory {
            let inner = dir.entries(folder, MOST_ENTRIES).into_iter();
            paths.extend(inner.map(|(path, _)| path));
        }
        if paths.len() > MOST_ENTRIES * 8 {
            break;
        }
    }
    let found = paths.into_iter().find(|path| has_ending(path, &["ibd"]));
    match found {
        Some(path) => Ok(dir.head(&path, 64)?.map(|header| (path, header))),
        None => Ok(None),
    }
}

fn has_ending(path: &Path, endings: &[&str]) -> bool {
    path.extension()
        .is_some_and(|found| endings.iter().any(|ending| found == *ending))
}

/// The contents of the configuration; without any, doublewrite files (MySQL 8.0.20) mean yes.
fn protection(
    dir: &ConfinedFolder,
    root: Option<&ConfinedFolder>,
    found: &mut Database,
) -> Option<bool> {
    let read = |root: &ConfinedFolder| -> Vec<String> {
        let files = config::mysql_files(root);
        let texts = files.iter().filter_map(|file| config::text(root, file));
        texts.collect()
    };
    let mut texts = root.map(read).unwrap_or_default();
    texts.extend(config::text(dir, OWN_OPTIONS));
    let last = |option| {
        texts
            .iter()
            .filter_map(|text| config::last(text, option))
            .next_back()
    };
    if let Some(page) = last("innodb_page_size").filter(|page| grammar::is_word(page)) {
        found.facts.insert("configured-page", page);
    }
    match last("innodb_doublewrite") {
        Some(value) => Some(protects(&value)),
        None if has_doublewrite_file(dir) || !texts.is_empty() => Some(true),
        None => None,
    }
}

/// Whether a value of `innodb_doublewrite` restores torn pages. `DETECT_ONLY` writes no page content:
/// nothing can be restored from it.
pub(super) fn protects(value: &str) -> bool {
    !config::negative(value) && value != "detect_only"
}

fn has_doublewrite_file(dir: &ConfinedFolder) -> bool {
    let entries = dir.entries("", MOST_ENTRIES);
    let mut paths = entries.iter().map(|(path, _)| path);
    paths.any(|path| has_ending(path, &["dblwr", "bdblwr"]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(flags: u32) -> Vec<u8> {
        let mut header = vec![0; 64];
        header[25] = 8;
        header[54..58].copy_from_slice(&flags.to_be_bytes());
        header
    }

    #[test]
    fn flags_of_all_formats_give_the_page() {
        for (flags, page) in [
            (0, 16 << 10),
            (0x21, 16 << 10),
            (3 << 6, 4 << 10),
            (4 << 6 | 0x21, 8 << 10),
            (7 << 6, 64 << 10),
            (0x15, 16 << 10),
            (0x13, 4 << 10),
            (0x17, 64 << 10),
        ] {
            assert_eq!(page_size(&header(flags)), Some(page), "{flags:#x}");
        }
        assert_eq!(page_size(&header(8 << 6)), None);
        assert_eq!(page_size(&header(0x12)), None);
        assert_eq!(page_size(&[0; 64]), None);
        assert_eq!(page_size(&[0, 8]), None);
    }
}
