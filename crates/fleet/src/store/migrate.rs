//! Versions of the schema: each is a file of SQL, applied once, in order, in one transaction.

use super::database::{FleetDatabase, SqlValue, first_number, transaction};
use crate::error::{FleetError, FleetResult};

/// The files, from version 1 on. A released file is never changed: the next one changes what it made.
const FILES: &[&str] = &[
    include_str!("../../migrations/0001_reports.sql"),
    include_str!("../../migrations/0002_waived.sql"),
];

/// Brings the store to the newest version; what is in it stays.
///
/// # Errors
/// When it was written by a newer ioalign, or the database fails: then nothing was changed.
pub fn migrate(database: &mut dyn FleetDatabase) -> FleetResult<()> {
    // Alone in a transaction: two servers that start at once both come here.
    let made = "CREATE TABLE IF NOT EXISTS schema_version (version BIGINT PRIMARY KEY)";
    if let Err(first) = database.batch(made) {
        // PostgreSQL: the other one was faster by a hair, and its table is there now.
        database
            .query("SELECT version FROM schema_version", &[])
            .map_err(|_| first)?;
    }
    if version(database)? == known() {
        return Ok(());
    }
    transaction(database, |database| {
        database.lock("schema_version")?;
        let from = version(database)?;
        let done = usize::try_from(from)
            .ok()
            .filter(|done| *done <= FILES.len());
        let done = done.ok_or_else(|| newer(from))?;
        for (file, version) in FILES.iter().zip(1_i64..).skip(done) {
            let sql = database.dialect(file);
            database.batch(&sql)?;
            let insert = "INSERT INTO schema_version (version) VALUES ($1)";
            database.execute(insert, &[SqlValue::Integer(version)])?;
        }
        Ok(())
    })
}

fn known() -> i64 {
    i64::try_from(FILES.len()).unwrap_or(i64::MAX)
}

/// The version of the store; 0: a new one.
pub fn version(database: &mut dyn FleetDatabase) -> FleetResult<i64> {
    let rows = database.query("SELECT max(version) FROM schema_version", &[])?;
    Ok(first_number(&rows).unwrap_or(0))
}

fn newer(version: i64) -> FleetError {
    FleetError::Foreign(format!(
        "the store has version {version}, and this ioalign knows {}: start a newer one",
        known()
    ))
}
