//! PostgreSQL.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use ioalign_device::{Error, ErrorKind, Result};

use super::{
    EngineFolders, FoundState, ROW_BYTES, ROWS, RunningServer, STARTS_IN, TestedDatabase,
    failed_query, read_log, transactions, written,
};
use crate::programs::{BesideChild, found, output};

/// Where Debian keeps the servers of each version.
const VERSIONS: &str = "/usr/lib/postgresql";
/// What it writes pages by: the page cache, at each checkpoint.
const CHECKPOINTS: u32 = 2000;
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
        let Some(server) = started(folders)? else {
            let what = "PostgreSQL does not start";
            return Err(read_log(&folders.file("log"))
                .err()
                .unwrap_or_else(|| Error::new(ErrorKind::Refused, what)));
        };
        let made = format!(
            "CREATE TABLE t (id INT PRIMARY KEY, n BIGINT NOT NULL, pad CHAR({ROW_BYTES}) NOT NULL) WITH (fillfactor = 50); \
             ALTER TABLE t ALTER pad SET STORAGE PLAIN; \
             CREATE TABLE c (id INT PRIMARY KEY, n BIGINT NOT NULL); \
             INSERT INTO t SELECT i, 0, repeat('x', {ROW_BYTES}) FROM generate_series(1, {ROWS}) i; \
             INSERT INTO c SELECT i, 0 FROM generate_series(1, 9) i; VACUUM FREEZE;"
        );
        for statement in made
            .split(';')
            .filter(|statement| !statement.trim().is_empty())
        {
            output(query(folders)?.arg("-c").arg(statement))?;
        }
        server.end(STARTS_IN);
        Ok(())
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
            &mut query(folders)?,
            Some(script),
            &printed,
            &folders.file("clients"),
        )
    }

    fn flusher(&self, folders: &EngineFolders) -> Result<Option<BesideChild>> {
        let script = folders.file("checkpoints");
        written(&script, &"CHECKPOINT;\n".repeat(CHECKPOINTS as usize))?;
        let printed = folders.file("checkpointed");
        BesideChild::start(
            &mut query(folders)?,
            Some(&script),
            &printed,
            &folders.file("clients"),
        )
        .map(Some)
    }

    fn look(&self, folders: &EngineFolders) -> Result<std::result::Result<String, FoundState>> {
        // By the table and by its index.
        let asked = [
            "SET enable_indexscan = off; SELECT count(*), sum(length(pad)) FROM t",
            "SET enable_seqscan = off; SELECT count(*) FROM (SELECT id, n FROM t ORDER BY id) o",
            "SELECT n FROM c ORDER BY id",
        ];
        let mut text = String::new();
        for statement in asked {
            match output(query(folders)?.arg("-c").arg(statement)) {
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

/// The server, once it answers; `None` if it ended instead.
fn started(folders: &EngineFolders) -> Result<Option<BesideChild>> {
    let log = folders.file("log");
    let _ = fs::remove_file(&log);
    let mut command = unprivileged("postgres")?;
    command.arg("-D").arg(cluster(folders));
    let mut server = BesideChild::start(&mut command, None, &folders.file("server"), &log)?;
    let answers = server.until(STARTS_IN, || {
        query(folders).is_ok_and(|mut asked| output(asked.args(["-c", "SELECT 1"])).is_ok())
    });
    Ok(answers.then_some(server))
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

fn query(folders: &EngineFolders) -> Result<Command> {
    let mut command = unprivileged("psql")?;
    command.args([
        "-X",
        "-q",
        "-A",
        "-t",
        "-v",
        "ON_ERROR_STOP=1",
        "-U",
        "ioalign",
        "-d",
        "postgres",
        "-h",
    ]);
    command.arg(&folders.beside);
    Ok(command)
}
