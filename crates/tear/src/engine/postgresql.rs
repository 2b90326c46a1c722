//! PostgreSQL.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use ioalign_device::{Error, Result};

use super::{
    AfterLoss, EngineFolders, ROW_BYTES, ROWS, TestedDatabase, failed_query, filled, transactions,
    written,
};
use crate::programs::{found, output};

/// Where Debian keeps the servers of each version.
const VERSIONS: &str = "/usr/lib/postgresql";
const USER: u32 = 65534;

/// Few shared buffers and a checkpoint after the other, so that pages are written all the time.
#[derive(Debug)]
pub struct PostgreSql;

impl TestedDatabase for PostgreSql {
    fn make(&self, folders: &EngineFolders) -> Result<()> {
        given_away(&folders.data)?;
        let cluster = cluster(folders);
        let mut command = unprivileged("initdb")?;
        command.args([
            "-A",
            "trust",
            "-U",
            "ioalign",
            "--data-checksums",
            "--no-sync",
            "-D",
        ]);
        output(command.arg(&cluster))?;
        self.protect(folders, true)?;
        let made = format!(
            "CREATE TABLE t (id INT PRIMARY KEY, n BIGINT NOT NULL, pad CHAR({ROW_BYTES}) NOT NULL) WITH (fillfactor = 50); \
             ALTER TABLE t ALTER pad SET STORAGE PLAIN; \
             CREATE TABLE c (id INT PRIMARY KEY, n BIGINT NOT NULL); \
             INSERT INTO t SELECT i, 0, repeat('x', {ROW_BYTES}) FROM generate_series(1, {ROWS}) i; \
             INSERT INTO c SELECT i, 0 FROM generate_series(1, 9) i; VACUUM FREEZE;"
        );
        let statements = made.split(';').map(str::trim);
        filled(self, folders, statements.filter(|one| !one.is_empty()))
    }

    fn protect(&self, folders: &EngineFolders, is_on: bool) -> Result<()> {
        given_away(&folders.beside)?;
        let text = format!(
            "listen_addresses = ''\nunix_socket_directories = '{}'\nshared_buffers = '1MB'\nmax_connections = 20\n\
             autovacuum = off\nwal_level = minimal\nmax_wal_senders = 0\ncheckpoint_completion_target = 0\n\
             full_page_writes = {}\n",
            folders.beside.display(),
            if is_on { "on" } else { "off" },
        );
        written(&cluster(folders).join("postgresql.conf"), &text)
    }

    fn server(&self, folders: &EngineFolders) -> Result<Option<Command>> {
        let mut command = unprivileged("postgres")?;
        command.arg("-D").arg(cluster(folders));
        Ok(Some(command))
    }

    fn client(&self, folders: &EngineFolders) -> Result<Command> {
        let mut command = unprivileged("psql")?;
        command.args(["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1"]);
        command.args(["-U", "ioalign", "-d", "postgres", "-h"]);
        command.arg(&folders.beside);
        Ok(command)
    }

    fn query(&self, folders: &EngineFolders, statements: &str) -> Result<Command> {
        let mut command = self.client(folders)?;
        command.args(["-c", statements]);
        Ok(command)
    }

    fn flush(&self) -> Option<&'static str> {
        // It writes pages by the page cache, at each checkpoint.
        Some("CHECKPOINT")
    }

    fn look(&self, folders: &EngineFolders) -> Result<AfterLoss<String>> {
        // By the table and by its index.
        let asked = [
            "SET enable_indexscan = off; SELECT count(*), sum(length(pad)) FROM t",
            "SET enable_seqscan = off; SELECT count(*) FROM (SELECT id, n FROM t ORDER BY id) o",
            "SELECT n FROM c ORDER BY id",
        ];
        let mut text = String::new();
        for statement in asked {
            match output(&mut self.query(folders, statement)?) {
                Ok(found) => text += found.trim_start_matches("SET\n"),
                Err(error) => return failed_query(&error, &folders.file("log")).map(Err),
            }
        }
        Ok(Ok(text))
    }

    fn judged(&self, folders: &EngineFolders) -> PathBuf {
        cluster(folders)
    }

    fn script(&self, client: u64, chance: &mut u64) -> String {
        transactions(
            "BEGIN",
            &format!("repeat(chr(97 + (n % 26)::int), {ROW_BYTES})"),
            client,
            chance,
        )
    }
}

/// The server writes there.
fn given_away(folder: &Path) -> Result<()> {
    let owned = std::os::unix::fs::chown(folder, Some(USER), Some(USER));
    owned.map_err(|error| Error::io("cannot be given to a user", error).of_target(folder))
}

fn cluster(folders: &EngineFolders) -> PathBuf {
    folders.data.join("cluster")
}

/// A program of the newest version, as a user without rights: it refuses to run as root.
fn unprivileged(program: &str) -> Result<Command> {
    let versions = fs::read_dir(VERSIONS).into_iter().flatten().flatten();
    let paths = versions.map(|version| version.path().join("bin").join(program));
    let newest = paths.filter(|path| path.is_file()).max();
    let path = newest.map_or_else(|| found(program, "postgresql"), Ok)?;
    let mut command = Command::new(found("setpriv", "util-linux")?);
    let user = format!("--reuid={USER}");
    let group = format!("--regid={USER}");
    command
        .args([&user, &group, "--clear-groups", "--"])
        .arg(path);
    Ok(command)
}
