//! SQLite, which has no server.

use std::path::{Path, PathBuf};
use std::process::Command;

use ioalign_device::Result;

use super::{
    EngineFolders, FoundState, ROW_BYTES, ROWS, RunningServer, TestedDatabase, damage, transactions,
};
use crate::programs::{BesideChild, found, output};

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
        output(shell(folders)?.arg(made)).map(|_| ())
    }

    fn protect(&self, _folders: &EngineFolders, _is_on: bool) -> Result<()> {
        // Each connection says what it wants.
        Ok(())
    }

    fn start(
        &self,
        _folders: &EngineFolders,
    ) -> Result<std::result::Result<RunningServer, FoundState>> {
        Ok(Ok(None))
    }

    fn client(&self, folders: &EngineFolders, number: u64, script: &Path) -> Result<BesideChild> {
        let printed = folders.file(&format!("printed-{number}"));
        let mut command = Command::new(found("stdbuf", "coreutils")?);
        command
            .arg("--output=L")
            .arg(program()?)
            .arg("-bail")
            .arg(file(folders));
        BesideChild::start(
            &mut command,
            Some(script),
            &printed,
            &folders.file("clients"),
        )
    }

    fn flusher(&self, _folders: &EngineFolders) -> Result<Option<BesideChild>> {
        Ok(None)
    }

    fn look(&self, folders: &EngineFolders) -> Result<std::result::Result<String, FoundState>> {
        let checked = output(shell(folders)?.arg("PRAGMA integrity_check;"));
        let text = checked.and_then(|said| match said.trim() {
            "ok" => output(shell(folders)?.arg(
                "SELECT count(*), sum(length(pad)) FROM t; SELECT count(*) FROM t INDEXED BY by_n WHERE n >= 0; SELECT n FROM c ORDER BY id;",
            )),
            damaged => Ok(format!("damaged: {damaged}")),
        });
        match text {
            Ok(text) if text.starts_with("damaged") => Ok(Err(FoundState::Damaged(
                text.lines().next().unwrap_or_default().to_owned(),
            ))),
            Ok(text) => Ok(Ok(text)),
            Err(error) => match damage(&error.to_string()) {
                Some(line) => Ok(Err(FoundState::Damaged(line))),
                None => Err(error),
            },
        }
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

fn shell(folders: &EngineFolders) -> Result<Command> {
    let mut command = Command::new(program()?);
    command.arg("-batch").arg(file(folders));
    Ok(command)
}
