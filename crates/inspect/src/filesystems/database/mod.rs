//! Databases on plain files: the page they write, and whether a torn page is survived.
//!
//! A database page larger than what the storage writes in one piece can be torn by a crash. The
//! page size is in the files' headers; the protection (doublewrite buffer, full page images in
//! the log) is in the configuration, which is looked for only where the caller says.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use ioalign_core::{Bytes, DatabaseEngine};

use crate::confined::ConfinedFolder;
use crate::error::Result;

mod config;
mod grammar;
mod innodb;
pub(crate) mod kept;
mod postgresql;
mod small;

/// Sizes that a page can have in any of them.
const SMALLEST_PAGE: u64 = 512;
const LARGEST_PAGE: u64 = 64 << 10;

/// A database, as its files or its name describe it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Database {
    /// The server that writes it.
    pub engine: DatabaseEngine,
    /// The unit in which it writes its data files.
    pub page: Bytes,
    /// Whether it survives a page that was written in part (InnoDB doublewrite, PostgreSQL
    /// `full_page_writes`); `None` where nothing was found that says so.
    pub torn_page_protection: Option<bool>,
    /// The folder or file; empty for one that is only named.
    pub path: PathBuf,
    /// The same without links, where the database is not on this machine.
    pub(crate) real: Option<PathBuf>,
    /// Further facts for the display.
    pub facts: BTreeMap<&'static str, String>,
}

impl Database {
    fn new(engine: DatabaseEngine, page: u64, path: &Path) -> Self {
        Self {
            engine,
            page: Bytes::new(page),
            torn_page_protection: None,
            path: path.to_owned(),
            real: None,
            facts: BTreeMap::new(),
        }
    }

    /// Its path without links.
    pub(crate) fn lies_at(&self) -> Option<PathBuf> {
        let real = || self.path.canonicalize().ok();
        self.real.clone().or_else(real)
    }

    /// Takes the protection against torn pages from a `my.cnf`, unless it is known already.
    pub(crate) fn configured(&mut self, text: &str) {
        if self.engine == DatabaseEngine::InnoDb && self.torn_page_protection.is_none() {
            let value = config::last(text, "innodb_doublewrite");
            self.torn_page_protection = value.map(|value| innodb::protects(&value));
        }
    }

    /// Adds a fact; text that is none by its grammar is another file's, and left out.
    fn fact(mut self, key: &'static str, value: impl Into<String>) -> Self {
        let value = value.into();
        if grammar::is_fact(key, &value) {
            self.facts.insert(key, value);
        }
        self
    }
}

/// Whether the configuration of MySQL and MariaDB is that of the server with this data folder.
pub(crate) fn is_data_folder(configuration: &str, folder: &Path) -> bool {
    let named = config::last_path(configuration, "datadir");
    let path = named.unwrap_or(innodb::USUAL_FOLDER);
    Path::new(path)
        .canonicalize()
        .is_ok_and(|path| path == folder)
}

/// Tries one kind: the data folder, and the root under which configuration may be looked for.
type Find = fn(&ConfinedFolder, Option<&ConfinedFolder>) -> Result<Option<Database>>;

const KINDS: &[Find] = &[innodb::find, postgresql::find, small::find_wiredtiger];

/// The database whose data folder (or file, for SQLite) is `dir`, without its configuration
/// outside that folder.
pub fn find(dir: &Path) -> Result<Option<Database>> {
    find_under(dir, None)
}

/// The same with the configuration under `root`: `root/etc/mysql/**.cnf`, `root/etc/my.cnf`.
pub fn find_under(dir: &Path, root: Option<&Path>) -> Result<Option<Database>> {
    let Some(folder) = ConfinedFolder::open(dir)? else {
        return small::find_sqlite(dir);
    };
    let root = match root {
        Some(root) => ConfinedFolder::open(root)?,
        None => None,
    };
    for kind in KINDS {
        if let Some(found) = kind(&folder, root.as_ref())? {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// Names that an operator may give, with the page sizes that the product allows, the usual first.
const NAMED: &[(DatabaseEngine, &[&str], &[u64])] = &[
    (
        DatabaseEngine::InnoDb,
        &["mysql", "mariadb"],
        &[16, 4, 8, 32, 64],
    ),
    (
        DatabaseEngine::PostgreSql,
        &["postgres"],
        &[8, 1, 2, 4, 16, 32],
    ),
    (DatabaseEngine::Oracle, &[], &[8, 2, 4, 16, 32]),
    (DatabaseEngine::SqlServer, &["mssql"], &[8]),
    (DatabaseEngine::Db2, &[], &[4, 8, 16, 32]),
    (DatabaseEngine::Sqlite, &[], &[4, 1, 2, 8, 16, 32, 64]),
    (DatabaseEngine::MongoDb, &["wiredtiger"], &[4]),
    (DatabaseEngine::BlueStore, &["ceph"], &[4, 8, 16, 32, 64]),
];

/// Options that may follow a name: they say whether a page that was written in part is survived.
const PROTECTIONS: &[(DatabaseEngine, &str)] = &[
    (DatabaseEngine::InnoDb, "doublewrite"),
    (DatabaseEngine::InnoDb, "innodb_doublewrite"),
    (DatabaseEngine::PostgreSql, "full_page_writes"),
];

/// A database by its name, with a page size where it is not the usual one, and its protection
/// against torn pages where the operator knows it: `innodb`, `innodb:4k`, `oracle:8k`,
/// `innodb:16k,doublewrite=off`, `postgresql,full_page_writes=off`. `None` for an unknown name or
/// option, or a page size that the product does not have.
pub fn named(name: &str) -> Option<Database> {
    let (name, option) = match name.split_once(',') {
        Some((name, option)) => (name, Some(option)),
        None => (name, None),
    };
    let mut found = named_with_page(name)?;
    if let Some(option) = option {
        let (key, value) = option.split_once('=')?;
        let key = key.trim().to_ascii_lowercase().replace('-', "_");
        PROTECTIONS
            .iter()
            .find(|known| **known == (found.engine, key.as_str()))?;
        found.torn_page_protection = Some(!config::negative(&value.trim().to_ascii_lowercase()));
    }
    Some(found)
}

fn named_with_page(name: &str) -> Option<Database> {
    let (name, page) = match name.split_once(':') {
        Some((name, page)) => (name, Some(page.parse::<Bytes>().ok()?)),
        None => (name, None),
    };
    let name = name.trim().to_ascii_lowercase();
    let (engine, _, sizes) = NAMED
        .iter()
        .find(|(engine, aliases, _)| engine.name() == name || aliases.contains(&name.as_str()))?;
    let page = match page {
        Some(page) => sizes.iter().find(|kib| **kib << 10 == page.get())?,
        None => sizes.first()?,
    };
    Some(Database::new(*engine, page << 10, Path::new("")))
}

fn be32(bytes: &[u8], at: usize) -> Option<u32> {
    let raw = bytes.get(at..at.checked_add(4)?)?;
    Some(u32::from_be_bytes(raw.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_page_sizes() {
        for (name, kind, page) in [
            ("innodb", "innodb", 16384),
            ("MySQL:4k", "innodb", 4096),
            ("postgresql", "postgresql", 8192),
            ("oracle:32KiB", "oracle", 32768),
            ("sqlserver", "sqlserver", 8192),
            ("ceph", "bluestore", 4096),
        ] {
            let found = named(name).unwrap();
            assert_eq!(
                (found.engine.name(), found.page.get()),
                (kind, page),
                "{name}"
            );
        }
        for name in ["", "access", "sqlserver:4k", "innodb:", "innodb:5k", ":4k"] {
            assert!(named(name).is_none(), "{name}");
        }
    }

    #[test]
    fn names_may_say_how_pages_are_protected() {
        for (name, protected) in [
            ("innodb:16k", None),
            ("innodb:16k,doublewrite=off", Some(false)),
            ("mysql,innodb-doublewrite=ON", Some(true)),
            ("postgres,full_page_writes=0", Some(false)),
        ] {
            let found = named(name).unwrap();
            assert_eq!(found.torn_page_protection, protected, "{name}");
        }
        for name in [
            "innodb,full_page_writes=off",
            "innodb,doublewrite",
            "innodb,",
        ] {
            assert!(named(name).is_none(), "{name}");
        }
    }

    #[test]
    fn a_configuration_is_that_of_the_folder_it_names() {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().canonicalize().unwrap().join("Data");
        std::fs::create_dir(&data).unwrap();
        let text = format!("[mysqld]\ndatadir = {}/./\n", data.display());
        assert!(is_data_folder(&text, &data));
        assert!(!is_data_folder(&text, data.parent().unwrap()));
        // Without a word the server's own folder is meant.
        assert!(!is_data_folder("[mysqld]\n", &data));
    }

    #[test]
    fn a_named_database_learns_from_the_configuration() {
        let mut found = named("innodb").unwrap();
        found.configured("[mysqld]\ninnodb_doublewrite = 0\n");
        assert_eq!(found.torn_page_protection, Some(false));
        let mut stated = named("innodb,doublewrite=on").unwrap();
        stated.configured("innodb_doublewrite = 0\n");
        assert_eq!(
            stated.torn_page_protection,
            Some(true),
            "the operator knows"
        );
    }
}
