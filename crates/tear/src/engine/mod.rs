//! Databases under test: made, loaded, left by a loss of power, and looked at.

mod innodb;
mod postgresql;
mod sqlite;

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use ioalign_core::random::split_mix;
use ioalign_core::tear_document::TestedEngine;
use ioalign_device::{Error, ErrorKind, Result};

use crate::programs::BesideChild;

pub use innodb::MariaDb;
pub use postgresql::PostgreSql;
pub use sqlite::Sqlite;

/// Rows of the table.
pub const ROWS: u64 = 30_000;
/// Bytes that each row carries.
pub const ROW_BYTES: u64 = 400;
/// Transactions in a script: more than one load can do.
const TRANSACTIONS: u64 = 4000;
/// Clients that write at the same time, numbered from 1.
pub const CLIENTS: u64 = 4;
/// Rows that a transaction changes.
const CHANGED: u64 = 6;
/// How long a start may take.
const STARTS_IN: Duration = Duration::from_secs(60);
/// Words in the log of a server that has found a page in parts.
const CORRUPTION: [&str; 8] = [
    "corrupt",
    "checksum",
    "invalid page",
    "malformed",
    "could not read block",
    "unexpected zero page",
    "not a database",
    "failed read of file",
];

/// Marks of errors in the logs of servers.
const ERRORS: [&str; 5] = ["[ERROR]", "ERROR:", "FATAL:", "PANIC:", "Error:"];

/// Where an engine works.
#[derive(Clone, Debug)]
pub struct EngineFolders {
    /// The data folder, on the disk that loses power.
    pub data: PathBuf,
    /// Sockets, logs, scripts and what clients print, elsewhere.
    pub beside: PathBuf,
}

impl EngineFolders {
    /// A file beside the data.
    pub fn file(&self, name: &str) -> PathBuf {
        self.beside.join(name)
    }
}

/// What a loss of power has left of a database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FoundState {
    /// All of it.
    Whole,
    /// Pages are damaged; the first line that says so.
    Damaged(String),
    /// Every page is whole, and transactions that were acknowledged are gone.
    Forgotten(String),
}

/// A server that runs, or nothing where the engine has none.
pub type RunningServer = Option<BesideChild>;

/// A database engine under test.
pub trait TestedDatabase {
    /// Makes the database with its rows, and ends.
    fn make(&self, folders: &EngineFolders) -> Result<()>;
    /// Writes the protection into the configuration, where a server has one.
    fn protect(&self, folders: &EngineFolders, is_on: bool) -> Result<()>;
    /// Starts the server on what is there.
    fn start(
        &self,
        folders: &EngineFolders,
    ) -> Result<std::result::Result<RunningServer, FoundState>>;
    /// Starts a client that runs a script of transactions and prints each number that is committed.
    fn client(&self, folders: &EngineFolders, number: u64, script: &Path) -> Result<BesideChild>;
    /// Another client that makes the server write pages; `None` where it does so anyway.
    fn flusher(&self, folders: &EngineFolders) -> Result<Option<BesideChild>>;
    /// Reads every page, and the numbers of every client.
    fn look(&self, folders: &EngineFolders) -> Result<std::result::Result<String, FoundState>>;
    /// A script of transactions.
    fn script(&self, client: u64, chance: &mut u64) -> String;
    /// How many clients may write at the same time.
    fn clients(&self) -> u64 {
        CLIENTS
    }
    /// What `check` is asked about.
    fn judged(&self, folders: &EngineFolders) -> PathBuf {
        folders.data.clone()
    }
}

/// The engine with this name.
pub fn tested(engine: TestedEngine, protected: bool) -> Box<dyn TestedDatabase> {
    match engine {
        TestedEngine::MariaDb => Box::new(MariaDb),
        TestedEngine::PostgreSql => Box::new(PostgreSql),
        TestedEngine::Sqlite => Box::new(Sqlite { protected }),
    }
}

/// A script of transactions: each changes some rows and the number of its client, which it prints once it is committed.
pub fn transactions(begin: &str, pad: &str, client: u64, chance: &mut u64) -> String {
    let mut text = String::new();
    for _ in 0..TRANSACTIONS {
        let _ = writeln!(text, "{begin};");
        // Rows of this client alone: no client waits for another.
        let mut row = || split_mix(chance) % (ROWS / CLIENTS) * CLIENTS + client;
        let rows: Vec<_> = (0..CHANGED).map(|_| row().to_string()).collect();
        let _ = writeln!(
            text,
            "UPDATE t SET n = n + 1, pad = {pad} WHERE id IN ({});",
            rows.join(", ")
        );
        let _ = writeln!(text, "UPDATE c SET n = n + 1 WHERE id = {client};");
        let _ = writeln!(text, "COMMIT;\nSELECT n FROM c WHERE id = {client};");
    }
    text
}

/// The last number that a client has printed.
pub fn acknowledged(printed: &Path) -> u64 {
    let text = fs::read_to_string(printed).unwrap_or_default();
    // A last line without an end may be cut.
    let whole = text.rsplit_once('\n').map_or("", |(whole, _)| whole);
    let numbers = whole.lines().filter_map(|line| line.trim().parse().ok());
    numbers.max().unwrap_or(0)
}

/// What the end of a log says: damaged pages, or a failure of another kind.
pub fn read_log(log: &Path) -> Result<FoundState> {
    let text = fs::read(log)
        .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
        .unwrap_or_default();
    damage(&text).map_or_else(
        || {
            let last = text.lines().rev().find(|line| !line.trim().is_empty());
            let what = format!(
                "the server does not start: {}",
                last.unwrap_or("it says nothing")
            );
            Err(Error::new(ErrorKind::Refused, what).of_target(log))
        },
        |line| Ok(FoundState::Damaged(line)),
    )
}

/// The first line that tells of a damaged page: of errors, where there are such.
pub fn damage(text: &str) -> Option<String> {
    let tells = |line: &&str| {
        let line = line.to_lowercase();
        CORRUPTION.iter().any(|word| line.contains(word))
    };
    let is_error = |line: &&str| ERRORS.iter().any(|word| line.contains(word));
    let error = text.lines().filter(is_error).find(tells);
    let line = error.or_else(|| text.lines().find(tells))?;
    Some(line.trim().to_owned())
}

/// What a query that failed has found.
pub fn failed_query(error: &Error, log: &Path) -> Result<FoundState> {
    match damage(&error.to_string()) {
        Some(line) => Ok(FoundState::Damaged(line)),
        None => read_log(log),
    }
}

fn written(path: &Path, text: &str) -> Result<()> {
    fs::write(path, text).map_err(|error| Error::io("cannot be written", error).of_target(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_line_is_no_acknowledgment() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("printed");
        fs::write(&file, "1\n2\n30").unwrap();
        assert_eq!(acknowledged(&file), 2);
        fs::write(&file, "").unwrap();
        assert_eq!(acknowledged(&file), 0);
    }

    #[test]
    fn only_words_of_damage_are_damage() {
        assert!(damage("a\nERROR: invalid page in block 3 of relation base/5/1\n").is_some());
        assert!(damage("[ERROR] Can't create thread\n").is_none());
    }
}
