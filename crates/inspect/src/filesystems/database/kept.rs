//! The databases of a host in its bundle: what their headers and configuration said, not these files.

use std::collections::BTreeMap;
use std::path::PathBuf;

use ioalign_core::{Bytes, DatabaseEngine};
use serde::{Deserialize, Serialize};

use super::{Database, grammar};

/// More than any host runs.
const MOST: usize = 1024;

/// One database as it is written.
#[derive(Serialize, Deserialize)]
struct Kept {
    kind: String,
    page_bytes: u64,
    torn_page_protection: Option<bool>,
    path: PathBuf,
    /// The path without links, to find the mount that holds it.
    lies_at: Option<PathBuf>,
    #[serde(default)]
    facts: BTreeMap<String, String>,
}

/// The databases as JSON.
pub(crate) fn write(databases: &[Database]) -> String {
    let rows: Vec<_> = databases.iter().map(kept).collect();
    serde_json::to_string_pretty(&rows).unwrap_or_default() + "\n"
}

/// The databases that such a text names; those of an unknown kind are left out.
pub(crate) fn read(text: &str) -> Vec<Database> {
    let rows: Vec<Kept> = serde_json::from_str(text).unwrap_or_default();
    rows.into_iter().take(MOST).filter_map(database).collect()
}

fn kept(database: &Database) -> Kept {
    let facts = database.facts.iter();
    Kept {
        kind: database.engine.name().to_owned(),
        page_bytes: database.page.get(),
        torn_page_protection: database.torn_page_protection,
        path: database.path.clone(),
        lies_at: database.lies_at(),
        facts: facts
            .filter(|(key, value)| grammar::is_fact(key, value))
            .map(|(key, value)| ((*key).to_owned(), value.clone()))
            .collect(),
    }
}

fn database(kept: Kept) -> Option<Database> {
    let engine = DatabaseEngine::named(&kept.kind)?;
    let fact = |(key, value): (String, String)| {
        let key = grammar::key(&key).filter(|key| grammar::is_fact(key, &value))?;
        Some((key, value))
    };
    Some(Database {
        engine,
        page: Bytes::new(kept.page_bytes),
        torn_page_protection: kept.torn_page_protection,
        path: kept.path,
        real: kept.lies_at,
        facts: kept.facts.into_iter().filter_map(fact).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn databases_come_back() {
        let mut one = super::super::named("innodb:16k,doublewrite=off").unwrap();
        one.path = PathBuf::from("/var/lib/mysql");
        one.real = Some(PathBuf::from("/srv/mysql"));
        one.facts.insert("version", "8".to_owned());
        let text = write(std::slice::from_ref(&one));
        assert_eq!(read(&text), std::slice::from_ref(&one));
        one.facts.insert("version", "8 root:x:0:0".to_owned());
        assert!(!write(std::slice::from_ref(&one)).contains("root"));
        assert!(read("[{").is_empty());
        assert!(read(&text.replace("innodb", "clay")).is_empty());
    }
}
