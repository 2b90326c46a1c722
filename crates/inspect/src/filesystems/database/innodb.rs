//! InnoDB of MySQL and MariaDB: page size from the header of a tablespace.
//!
//! Layout: `fil0types.h`, `fsp0types.h`: the first page of every tablespace has type 8 at byte 24,
//! its space id at 34 and again at 38, and the space flags at 54 (FIL_PAGE_DATA +
//! FSP_SPACE_FLAGS), all big endian.

use std::fs;
use std::path::{Path, PathBuf};

use super::{Database, LARGEST_PAGE, be32, config, head};
use crate::error::{Error, Result};

const TYPE_FSP_HEADER: [u8; 2] = [0, 8];
/// Set by MariaDB's `full_crc32` format, which has the page size in the lowest bits.
const FULL_CRC32: u32 = 1 << 4;
/// Folders and files looked at for a tablespace, where there is no system tablespace.
const MOST_ENTRIES: usize = 256;

pub(super) fn find(dir: &Path, root: Option<&Path>) -> Result<Option<Database>> {
    let system = dir.join("ibdata1");
    let space = match head(&system, 64)? {
        Some(header) => Some((system, header)),
        None => any_tablespace(dir)?,
    };
    let Some((path, header)) = space else {
        return Ok(None);
    };
    let Some(page) = page_size(&header) else {
        let what = "It is named like an InnoDB tablespace and its header is none";
        return Err(Error::malformed(what).in_file(&path).at(54));
    };
    let mut found = Database::new("innodb", page, dir);
    found = found.fact("tablespace", path.display().to_string());
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
fn any_tablespace(dir: &Path) -> Result<Option<(PathBuf, Vec<u8>)>> {
    let Ok(entries) = fs::read_dir(dir) else {
        return Ok(None);
    };
    let mut entries: Vec<_> = entries.take(MOST_ENTRIES).flatten().collect();
    entries.sort_by_key(fs::DirEntry::path);
    let folders = entries.iter().filter(|entry| is_folder(entry));
    let mut paths: Vec<_> = entries.iter().map(fs::DirEntry::path).collect();
    for folder in folders {
        if let Ok(inner) = fs::read_dir(folder.path()) {
            paths.extend(inner.take(MOST_ENTRIES).flatten().map(|entry| entry.path()));
        }
        if paths.len() > MOST_ENTRIES * 8 {
            break;
        }
    }
    let found = paths
        .into_iter()
        .find(|path| path.extension().is_some_and(|ext| ext == "ibd"));
    match found {
        Some(path) => Ok(head(&path, 64)?.map(|header| (path, header))),
        None => Ok(None),
    }
}

fn is_folder(entry: &fs::DirEntry) -> bool {
    entry.file_type().is_ok_and(|kind| kind.is_dir())
}

/// What the configuration says; without any, doublewrite files (MySQL 8.0.20) mean yes.
fn protection(dir: &Path, root: Option<&Path>, found: &mut Database) -> Option<bool> {
    let files = root.map(config::mysql_files).unwrap_or_default();
    let texts: Vec<_> = files.iter().filter_map(|file| config::text(file)).collect();
    let last = |option| {
        texts
            .iter()
            .filter_map(|text| config::last(text, option))
            .next_back()
    };
    if let Some(page) = last("innodb_page_size") {
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

fn has_doublewrite_file(dir: &Path) -> bool {
    let Ok(entries) = fs::read_dir(dir) else {
        return false;
    };
    entries.take(MOST_ENTRIES).flatten().any(|entry| {
        let path = entry.path();
        path.extension()
            .is_some_and(|ext| ext == "dblwr" || ext == "bdblwr")
    })
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
