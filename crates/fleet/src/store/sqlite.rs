//! SQLite: one file, compiled in.

use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use rusqlite::types::{ToSql, ToSqlOutput, Value, ValueRef};
use rusqlite::{Connection, ErrorCode, params_from_iter};

use super::database::{FleetDatabase, SqlRow, SqlValue};
use crate::error::{FleetError, FleetResult};

/// How long a writer waits for another process.
const BUSY: Duration = Duration::from_secs(10);
/// And after what time it asks again, where SQLite does not wait itself.
const AGAIN: Duration = Duration::from_millis(5);
/// Statements kept ready.
const STATEMENTS: usize = 64;

/// An open file.
pub struct SqliteDatabase(Connection);

impl SqliteDatabase {
    /// Opens the file, which is made where there is none.
    pub fn open(path: &Path) -> FleetResult<Self> {
        let database = Connection::open(path).map_err(|error| failed(&error))?;
        let set = || -> rusqlite::Result<()> {
            database.busy_timeout(BUSY)?;
            database.set_prepared_statement_cache_capacity(STATEMENTS);
            // A reader waits for no writer, and a commit is on the disk when it returns.
            write_ahead(&database)?;
            database.pragma_update(None, "synchronous", "full")?;
            database.pragma_update(None, "foreign_keys", true)?;
            database.pragma_update(None, "trusted_schema", false)?;
            // The server may open nothing outside the folder of the store: no temporary files.
            database.pragma_update(None, "temp_store", "memory")?;
            database.pragma_update(None, "cache_size", -65_536)?;
            database.pragma_update(None, "mmap_size", 1 << 30)
        };
        set().map_err(|error| failed(&error))?;
        Ok(Self(database))
    }
}

/// Two that open a new file at once want to turn the same reader's lock into a writer's: SQLite lets neither wait
/// (`sqlite3_busy_handler`), and the one that lost asks again.
fn write_ahead(database: &Connection) -> rusqlite::Result<()> {
    let begun = Instant::now();
    loop {
        match database.pragma_update(None, "journal_mode", "wal") {
            Err(error)
                if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy)
                    && begun.elapsed() < BUSY =>
            {
                thread::sleep(AGAIN);
            }
            other => return other,
        }
    }
}

impl FleetDatabase for SqliteDatabase {
    fn batch(&mut self, sql: &str) -> FleetResult<()> {
        self.0.execute_batch(sql).map_err(|error| failed(&error))
    }

    fn execute(&mut self, sql: &str, parameters: &[SqlValue]) -> FleetResult<u64> {
        let run = || -> rusqlite::Result<usize> {
            self.0
                .prepare_cached(sql)?
                .execute(params_from_iter(parameters))
        };
        run()
            .map(|rows| rows as u64)
            .map_err(|error| failed(&error))
    }

    fn query(&mut self, sql: &str, parameters: &[SqlValue]) -> FleetResult<Vec<SqlRow>> {
        let run = || -> rusqlite::Result<Vec<SqlRow>> {
            let mut statement = self.0.prepare_cached(sql)?;
            let columns = statement.column_count();
            let rows = statement.query_map(params_from_iter(parameters), |row| {
                (0..columns)
                    .map(|column| row.get_ref(column).map(value))
                    .collect()
            })?;
            rows.collect()
        };
        run().map_err(|error| failed(&error))
    }

    fn begin(&mut self) -> FleetResult<()> {
        self.batch("BEGIN IMMEDIATE")
    }

    /// It has one writer, and a transaction that will write is it.
    fn lock(&mut self, _: &str) -> FleetResult<()> {
        Ok(())
    }

    fn dialect(&self, sql: &str) -> String {
        sql.replace("{id}", "INTEGER PRIMARY KEY AUTOINCREMENT")
            .replace("{blob}", "BLOB")
    }

    fn is_open(&self) -> bool {
        true
    }
}

fn value(value: ValueRef<'_>) -> SqlValue {
    match value {
        ValueRef::Null => SqlValue::Null,
        ValueRef::Integer(value) => SqlValue::Integer(value),
        ValueRef::Real(value) => SqlValue::Real(value),
        ValueRef::Text(text) => SqlValue::Text(String::from_utf8_lossy(text).into_owned()),
        ValueRef::Blob(bytes) => SqlValue::Bytes(bytes.to_vec()),
    }
}

impl ToSql for SqlValue {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match self {
            Self::Null => ToSqlOutput::Owned(Value::Null),
            Self::Integer(value) => ToSqlOutput::Owned(Value::Integer(*value)),
            Self::Real(value) => ToSqlOutput::Owned(Value::Real(*value)),
            Self::Text(text) => ToSqlOutput::Borrowed(ValueRef::Text(text.as_bytes())),
            Self::Bytes(bytes) => ToSqlOutput::Borrowed(ValueRef::Blob(bytes)),
        })
    }
}

/// A full disk, a lock held by others: later. A file of something else: never.
fn failed(error: &rusqlite::Error) -> FleetError {
    let what = format!("SQLite: {error}");
    match error.sqlite_error_code() {
        Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => FleetError::Foreign(what),
        _ => FleetError::Unavailable(what),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// What is acknowledged is on the disk, a reader waits for no writer, and a file of others runs nothing.
    #[test]
    fn a_store_is_opened_with_its_settings() {
        let folder = tempfile::tempdir().unwrap();
        let mut database = SqliteDatabase::open(&folder.path().join("fleet.db")).unwrap();
        for (name, wanted) in [
            ("journal_mode", SqlValue::Text("wal".to_owned())),
            ("synchronous", SqlValue::Integer(2)),
            ("foreign_keys", SqlValue::Integer(1)),
            ("trusted_schema", SqlValue::Integer(0)),
            ("temp_store", SqlValue::Integer(2)),
            ("busy_timeout", SqlValue::Integer(10_000)),
        ] {
            let found = database.query(&format!("PRAGMA {name}"), &[]).unwrap();
            assert_eq!(found, [[wanted]], "{name}");
        }
    }
}
