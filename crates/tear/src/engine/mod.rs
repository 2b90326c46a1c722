//! Databases under test: made, loaded, left by a loss of power, and looked at.

mod innodb;
mod postgresql;
mod sqlite;

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use ioalign_core::random::split_mix;
use ioalign_core::tear_document::TestedEngine;
use ioalign_device::{Error, ErrorKind, Result};

use crate::programs::{BesideChild, output};

use innodb::MariaDb;
use postgresql::PostgreSql;
use sqlite::Sqlite;

/// Rows of the table.
pub const ROWS: u64 = 30_000;
/// Bytes that each row carries.
pub const ROW_BYTES: u64 = 400;
/// Transactions in a script: more than one load can do.
const TRANSACTIONS: u64 = 4000;
/// Clients that write at the same time, numbered from 1.
pub const CLIENTS: u64 = 4;
/// Statements that make a server write pages: more than one load can do.
const FLUSHES: usize = 2000;
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

/// What was wanted, or the damage that was found instead.
pub type AfterLoss<T> = std::result::Result<T, FoundState>;

/// A server that runs, or nothing where the engine has none.
pub type RunningServer = Option<BesideChild>;

/// A database engine under test.
pub trait TestedDatabase {
    /// Makes the database with its rows, and ends.
    fn make(&self, folders: &EngineFolders) -> Result<()>;
    /// Writes the protection into the configuration, where a server has one.
    fn protect(&self, folders: &EngineFolders, is_on: bool) -> Result<()>;
    /// The server; `None`: the engine has none.
    fn server(&self, folders: &EngineFolders) -> Result<Option<Command>>;
    /// A client that runs the statements of its standard input and prints what they find.
    fn client(&self, folders: &EngineFolders) -> Result<Command>;
    /// A client that runs one text of statements.
    fn query(&self, folders: &EngineFolders, statements: &str) -> Result<Command>;
    /// The statement that makes the server write pages; `None`: it does so anyway.
    fn flush(&self) -> Option<&'static str> {
        None
    }
    /// Reads every page, and the numbers of every client.
    fn look(&self, folders: &EngineFolders) -> Result<AfterLoss<String>>;
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

/// Starts the server on what is there, and waits until it answers.
pub fn start(
    database: &dyn TestedDatabase,
    folders: &EngineFolders,
) -> Result<AfterLoss<RunningServer>> {
    let Some(mut command) = database.server(folders)? else {
        return Ok(Ok(None));
    };
    let log = folders.file("log");
    let _ = fs::remove_file(&log);
    let mut server = BesideChild::start(&mut command, None, &folders.file("server"), &log)?;
    let answers = server.until(STARTS_IN, || {
        let asked = database.query(folders, "SELECT 1");
        asked.is_ok_and(|mut asked| output(&mut asked).is_ok())
    });
    match answers {
        true => Ok(Ok(Some(server))),
        false => read_log(&log).map(Err),
    }
}

/// Makes a database by these texts of statements, each sent by itself, in a server that ends afterwards.
fn filled<'a>(
    database: &dyn TestedDatabase,
    folders: &EngineFolders,
    statements: impl IntoIterator<Item = &'a str>,
) -> Result<()> {
    let server = start(database, folders)?.map_err(|state| damaged_before(&state))?;
    for text in statements {
        output(&mut database.query(folders, text)?)?;
    }
    if let Some(server) = server {
        server.end(STARTS_IN);
    }
    Ok(())
}

/// A database that nothing has happened to.
pub fn damaged_before(state: &FoundState) -> Error {
    let what = format!("the database is damaged before any loss of power: {state:?}");
    Error::new(ErrorKind::Refused, what)
}

/// Starts the clients that write, each with a script of its own, and the one that makes the server write pages.
pub fn load(
    database: &dyn TestedDatabase,
    folders: &EngineFolders,
    chance: &mut u64,
) -> Result<Vec<BesideChild>> {
    let mut running = Vec::new();
    for number in 1..=database.clients() {
        let text = database.script(number, chance);
        running.push(client(database, folders, &number.to_string(), &text)?);
    }
    if let Some(statement) = database.flush() {
        let text = format!("{statement};\n").repeat(FLUSHES);
        running.push(client(database, folders, "flush", &text)?);
    }
    Ok(running)
}

/// A client that runs a script; what it prints is in [`printed`].
fn client(
    database: &dyn TestedDatabase,
    folders: &EngineFolders,
    name: &str,
    text: &str,
) -> Result<BesideChild> {
    let script = folders.file(&format!("script-{name}"));
    written(&script, text)?;
    BesideChild::start(
        &mut database.client(folders)?,
        Some(&script),
        &printed(folders, name),
        &folders.file("clients"),
    )
}

/// What a client has printed.
fn printed(folders: &EngineFolders, name: &str) -> PathBuf {
    folders.file(&format!("printed-{name}"))
}

/// The last number of a client that was acknowledged.
pub fn acknowledged_to(folders: &EngineFolders, client: u64) -> u64 {
    acknowledged(&printed(folders, &client.to_string()))
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
fn transactions(begin: &str, pad: &str, client: u64, chance: &mut u64) -> String {
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
fn acknowledged(printed: &Path) -> u64 {
    let text = fs::read_to_string(printed).unwrap_or_default();
    // A last line without an end may be cut.
    let whole = text.rsplit_once('\n').map_or("", |(whole, _)| whole);
    let numbers = whole.lines().filter_map(|line| line.trim().parse().ok());
    numbers.max().unwrap_or(0)
}

/// What the end of a log says: damaged pages, or a failure of another kind.
fn read_log(log: &Path) -> Result<FoundState> {
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

/// The first line about a damaged page: of errors, where there are such.
fn damage(text: &str) -> Option<String> {
    let is_damage = |line: &&str| {
        let line = line.to_lowercase();
        CORRUPTION.iter().any(|word| line.contains(word))
    };
    let is_error = |line: &&str| ERRORS.iter().any(|word| line.contains(word));
    let error = text.lines().filter(is_error).find(is_damage);
    let line = error.or_else(|| text.lines().find(is_damage))?;
    Some(line.trim().to_owned())
}

/// What a query that failed has found.
fn failed_query(error: &Error, log: &Path) -> Result<FoundState> {
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
