//! MariaDB with InnoDB.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use ioalign_device::{Error, Result};

use super::{
    EngineFolders, FoundState, ROW_BYTES, ROWS, RunningServer, STARTS_IN, TestedDatabase,
    failed_query, read_log, transactions, written,
};
use crate::programs::{BesideChild, found, output};

const SERVER: (&str, &str) = ("mariadbd", "mariadb-server-core");
const CLIENT: (&str, &str) = ("mariadb", "mariadb-client-core");

/// A small buffer pool and a small log, so that pages are written all the time.
#[derive(Debug)]
pub struct MariaDb;

impl TestedDatabase for MariaDb {
    fn make(&self, folders: &EngineFolders) -> Result<()> {
        self.protect(folders, true)?;
        let Some(server) = started(folders)? else {
            return Err(read_log(&folders.file("log"))
                .err()
                .unwrap_or_else(no_server));
        };
        let made = format!(
            "CREATE DATABASE d; USE d; \
             CREATE TABLE t (id INT PRIMARY KEY, n BIGINT NOT NULL, pad VARCHAR({ROW_BYTES}) NOT NULL) ENGINE=InnoDB CHARSET=latin1; \
             CREATE TABLE c (id INT PRIMARY KEY, n BIGINT NOT NULL) ENGINE=InnoDB; \
             INSERT INTO t SELECT seq, 0, REPEAT('x', {ROW_BYTES}) FROM seq_1_to_{ROWS}; \
             INSERT INTO c SELECT seq, 0 FROM seq_1_to_9;"
        );
        output(query(folders, "")?.arg(made))?;
        server.end(STARTS_IN);
        Ok(())
    }

    fn protect(&self, folders: &EngineFolders, is_on: bool) -> Result<()> {
        let text = format!(
            "[mysqld]\ndatadir={data}\nsocket={socket}\npid-file={pid}\ntmpdir={beside}\n\
             user=root\nskip-networking\nskip-grant-tables\nskip-log-bin\nperformance_schema=off\n\
             innodb_page_size=16k\ninnodb_buffer_pool_size=8M\ninnodb_log_file_size=4M\ninnodb_flush_method=O_DIRECT\n\
             innodb_flush_log_at_trx_commit=1\ninnodb_io_capacity=4000\ninnodb_doublewrite={doublewrite}\n",
            data = folders.data.display(),
            socket = folders.file("socket").display(),
            pid = folders.file("pid").display(),
            beside = folders.beside.display(),
            doublewrite = u8::from(is_on),
        );
        written(&configuration(folders), &text)
    }

    fn start(
        &self,
        folders: &EngineFolders,
    ) -> Result<std::result::Result<RunningServer, FoundState>> {
        match started(folders)? {
            Some(server) => Ok(Ok(Some(server))),
            None => read_log(&folders.file("log")).map(Err),
        }
    }

    fn client(&self, folders: &EngineFolders, number: u64, script: &Path) -> Result<BesideChild> {
        let printed = folders.file(&format!("printed-{number}"));
        BesideChild::start(
            &mut connection(folders, "d")?,
            Some(script),
            &printed,
            &folders.file("clients"),
        )
    }

    fn flusher(&self, _folders: &EngineFolders) -> Result<Option<BesideChild>> {
        Ok(None)
    }

    fn look(&self, folders: &EngineFolders) -> Result<std::result::Result<String, FoundState>> {
        let log = folders.file("log");
        let checked =
            output(query(folders, "d")?.arg("CHECK TABLE t EXTENDED; CHECK TABLE c EXTENDED;"));
        let checked = match checked {
            Ok(text) => text,
            Err(error) => return failed_query(&error, &log).map(Err),
        };
        if let Some(line) = checked
            .lines()
            .find(|line| line.contains("rror") || line.contains("arning"))
        {
            return Ok(Err(FoundState::Damaged(line.to_owned())));
        }
        match output(
            query(folders, "d")?
                .arg("SELECT COUNT(*), SUM(LENGTH(pad)) FROM t; SELECT n FROM c ORDER BY id;"),
        ) {
            Ok(text) => Ok(Ok(text)),
            Err(error) => failed_query(&error, &log).map(Err),
        }
    }

    fn script(&self, client: u64, chance: &mut u64) -> String {
        transactions(
            "START TRANSACTION",
            &format!("REPEAT(CHAR(97 + n MOD 26), {ROW_BYTES})"),
            client,
            chance,
        )
    }
}

fn configuration(folders: &EngineFolders) -> PathBuf {
    folders.data.join("my.cnf")
}

/// The server, once it answers; `None` if it ended instead.
fn started(folders: &EngineFolders) -> Result<Option<BesideChild>> {
    let _ = std::fs::remove_file(folders.file("log"));
    let mut command = Command::new(found(SERVER.0, SERVER.1)?);
    command.arg(format!(
        "--defaults-file={}",
        configuration(folders).display()
    ));
    let mut server = BesideChild::start(
        &mut command,
        None,
        &folders.file("server"),
        &folders.file("log"),
    )?;
    let answers = server.until(STARTS_IN, || {
        query(folders, "").is_ok_and(|mut asked| output(asked.arg("SELECT 1")).is_ok())
    });
    Ok(answers.then_some(server))
}

fn connection(folders: &EngineFolders, database: &str) -> Result<Command> {
    let mut command = Command::new(found(CLIENT.0, CLIENT.1)?);
    command.args([
        "--no-defaults",
        "--batch",
        "--skip-column-names",
        "--unbuffered",
        "--socket",
    ]);
    command.arg(folders.file("socket"));
    if !database.is_empty() {
        command.arg(format!("--database={database}"));
    }
    Ok(command)
}

fn query(folders: &EngineFolders, database: &str) -> Result<Command> {
    let mut command = connection(folders, database)?;
    command.arg(format!(
        "--connect-timeout={}",
        Duration::from_secs(5).as_secs()
    ));
    command.arg("--execute");
    Ok(command)
}

fn no_server() -> Error {
    Error::new(ioalign_device::ErrorKind::Refused, "MariaDB does not start")
}
