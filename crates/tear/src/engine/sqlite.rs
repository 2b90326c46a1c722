//! SQLite, which has no server.

use std::path::PathBuf;
use std::process::Command;

use ioalign_device::{Error, Result};

use super::{
    AfterLoss, EngineFolders, FoundState, ROW_BYTES, ROWS, TestedDatabase, damage, filled,
    transactions,
};
use crate::programs::{found, output};

/// With the write-ahead log, or without any journal.
#[derive(Debug)]
pub struct Sqlite {
    /// Whether there is a log.
    pub protected: bool,
}

impl Sqlite {
    /// What every connection begins with. A cache of few pages writes them before a transaction ends.
    fn settings(&self) -> String {
        let journal = if self.protected { "WAL" } else { "OFF" };
        format!(
            ".output /dev/null\nPRAGMA journal_mode={journal};\nPRAGMA synchronous=FULL;\nPRAGMA cache_size=4;\nPRAGMA cache_spill=ON;\n\
             PRAGMA wal_autocheckpoint=20;\n.output\n"
        )
    }
}

impl TestedDatabase for Sqlite {
    fn make(&self, folders: &EngineFolders) -> Result<()> {
        let made = format!(
            "PRAGMA page_size=16384; \
             CREATE TABLE t (id INTEGER PRIMARY KEY, n INTEGER NOT NULL, pad TEXT NOT NULL); \
             CREATE INDEX by_n ON t (n, id); \
             CREATE TABLE c (id INTEGER PRIMARY KEY, n INTEGER NOT NULL); \
             WITH RECURSIVE s(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM s WHERE i < {ROWS}) \
             INSERT INTO t SELECT i, 0, printf('%.*c', {ROW_BYTES}, 'x') FROM s; \
             WITH RECURSIVE s(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM s WHERE i < 9) INSERT INTO c SELECT i, 0 FROM s;"
        );
        filled(self, folders, [made.as_str()])
    }

    fn protect(&self, _folders: &EngineFolders, _is_on: bool) -> Result<()> {
        // Each connection says what it wants.
        Ok(())
    }

    fn server(&self, _folders: &EngineFolders) -> Result<Option<Command>> {
        Ok(None)
    }

    fn client(&self, folders: &EngineFolders) -> Result<Command> {
        let mut command = Command::new(found("stdbuf", "coreutils")?);
        command.arg("--output=L").arg(program()?);
        command.arg("-bail").arg(file(folders));
        Ok(command)
    }

    fn query(&self, folders: &EngineFolders, statements: &str) -> Result<Command> {
        let mut command = Command::new(program()?);
        command.arg("-batch").arg(file(folders)).arg(statements);
        Ok(command)
    }

    fn look(&self, folders: &EngineFolders) -> Result<AfterLoss<String>> {
        let asked = |text: &str| output(&mut self.query(folders, text)?);
        let failed = |error: Error| match damage(&error.to_string()) {
            Some(line) => Ok(Err(FoundState::Damaged(line))),
            None => Err(error),
        };
        let checked = match asked("PRAGMA integrity_check;") {
            Ok(text) => text,
            Err(error) => return failed(error),
        };
        if checked.trim() != "ok" {
            let first = checked.trim().lines().next().unwrap_or_default();
            return Ok(Err(FoundState::Damaged(format!("damaged: {first}"))));
        }
        let all = "SELECT count(*), sum(length(pad)) FROM t; \
                   SELECT count(*) FROM t INDEXED BY by_n WHERE n >= 0; \
                   SELECT n FROM c ORDER BY id;";
        asked(all).map_or_else(failed, |text| Ok(Ok(text)))
    }

    fn clients(&self) -> u64 {
        1
    }

    fn judged(&self, folders: &EngineFolders) -> PathBuf {
        file(folders)
    }

    fn script(&self, client: u64, chance: &mut u64) -> String {
        self.settings()
            + &transactions(
                "BEGIN",
                &format!("printf('%.*c', {ROW_BYTES}, char(97 + n % 26))"),
                client,
                chance,
            )
    }
}

fn program() -> Result<PathBuf> {
    found("sqlite3", "sqlite3")
}

fn file(folders: &EngineFolders) -> PathBuf {
    folders.data.join("tested.sqlite")
}
