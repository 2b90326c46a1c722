//! MariaDB with InnoDB.

use std::path::PathBuf;
use std::process::Command;

use ioalign_device::{Error, Result};

use super::{
    AfterLoss, EngineFolders, FoundState, ROW_BYTES, ROWS, TestedDatabase, failed_query, filled,
    transactions, written,
};
use crate::programs::{found, output};

const SERVER: (&str, &str) = ("mariadbd", "mariadb-server-core");
const CLIENT: (&str, &str) = ("mariadb", "mariadb-client-core");

/// A small buffer pool and a small log, so that pages are written all the time.
#[derive(Debug)]
pub struct MariaDb;

impl TestedDatabase for MariaDb {
    fn make(&self, folders: &EngineFolders) -> Result<()> {
        self.protect(folders, true)?;
        let made = format!(
            "CREATE DATABASE d; USE d; \
             CREATE TABLE t (id INT PRIMARY KEY, n BIGINT NOT NULL, pad VARCHAR({ROW_BYTES}) NOT NULL) ENGINE=InnoDB CHARSET=latin1; \
             CREATE TABLE c (id INT PRIMARY KEY, n BIGINT NOT NULL) ENGINE=InnoDB; \
             INSERT INTO t SELECT seq, 0, REPEAT('x', {ROW_BYTES}) FROM seq_1_to_{ROWS}; \
             INSERT INTO c SELECT seq, 0 FROM seq_1_to_9;"
        );
        filled(self, folders, [made.as_str()])
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

    fn server(&self, folders: &EngineFolders) -> Result<Option<Command>> {
        let mut command = Command::new(found(SERVER.0, SERVER.1)?);
        let options = configuration(folders);
        command.arg(format!("--defaults-file={}", options.display()));
        Ok(Some(command))
    }

    fn client(&self, folders: &EngineFolders) -> Result<Command> {
        let mut command = connection(folders)?;
        command.arg("--database=d");
        Ok(command)
    }

    fn query(&self, folders: &EngineFolders, statements: &str) -> Result<Command> {
        let mut command = connection(folders)?;
        command.args(["--connect-timeout=5", "--execute", statements]);
        Ok(command)
    }

    fn look(&self, folders: &EngineFolders) -> Result<AfterLoss<String>> {
        let asked = |text: &str| output(&mut self.query(folders, text)?);
        let failed = |error: &Error| failed_query(error, &folders.file("log")).map(Err);
        let checked = match asked("CHECK TABLE d.t EXTENDED; CHECK TABLE d.c EXTENDED;") {
            Ok(text) => text,
            Err(error) => return failed(&error),
        };
        let mut lines = checked.lines();
        if let Some(line) = lines.find(|line| line.contains("rror") || line.contains("arning")) {
            return Ok(Err(FoundState::Damaged(line.to_owned())));
        }
        let all = "SELECT COUNT(*), SUM(LENGTH(pad)) FROM d.t; SELECT n FROM d.c ORDER BY id;";
        asked(all).map_or_else(|error| failed(&error), |text| Ok(Ok(text)))
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

fn connection(folders: &EngineFolders) -> Result<Command> {
    let mut command = Command::new(found(CLIENT.0, CLIENT.1)?);
    let shape = [
        "--no-defaults",
        "--batch",
        "--skip-column-names",
        "--unbuffered",
    ];
    command
        .args(shape)
        .arg("--socket")
        .arg(folders.file("socket"));
    Ok(command)
}
