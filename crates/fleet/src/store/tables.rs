//! The tables whose rows a report replaces or adds, and how many rows at once.

use super::database::{FleetDatabase, SqlValue};
use crate::error::FleetResult;

/// Rows a statement: few statements, and few kinds of them to be kept ready.
const ROWS: usize = 32;

/// A table and the columns that are filled.
pub(super) type InsertedColumns = (&'static str, &'static [&'static str]);

pub(super) const FINDING: InsertedColumns = (
    "finding",
    &[
        "host_id",
        "rule",
        "layer",
        "severity",
        "model",
        "firmware",
        "unit_bytes",
        "offset_bytes",
        "straddle_ratio",
        "extra_ios_per_day",
        "fixable",
        "disks",
        "why",
        "since",
        "waived_until",
    ],
);
pub(super) const CHANGE: InsertedColumns = (
    "change",
    &["at", "host_id", "appeared", "rule", "layer", "severity"],
);
pub(super) const DEVICE: InsertedColumns = (
    "device",
    &[
        "host_id",
        "name",
        "model",
        "firmware",
        "transport",
        "size_bytes",
    ],
);
pub(super) const CLAIM: InsertedColumns = (
    "claim",
    &[
        "host_id",
        "device",
        "model",
        "firmware",
        "transport",
        "kind",
        "size_bytes",
        "source",
        "trusted",
        "why",
    ],
);

/// Many rows a statement.
pub(super) fn insert(
    database: &mut dyn FleetDatabase,
    (table, columns): InsertedColumns,
    rows: &[Vec<SqlValue>],
) -> FleetResult<()> {
    for rows in rows.chunks(ROWS) {
        let places = (1..=rows.len() * columns.len()).map(|number| format!("${number}"));
        let places: Vec<_> = places.collect();
        let places: Vec<_> = places
            .chunks(columns.len())
            .map(|row| row.join(", "))
            .collect();
        let sql = format!(
            "INSERT INTO {table} ({}) VALUES ({})",
            columns.join(", "),
            places.join("), (")
        );
        database.execute(&sql, &rows.concat())?;
    }
    Ok(())
}
