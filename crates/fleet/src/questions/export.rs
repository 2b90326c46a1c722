//! Everything as CSV or JSON, row by row: the store may hold more than fits into memory.

use std::io::Write;

use ioalign_core::csv;
use serde_json::Value;

use crate::error::{FleetError, FleetResult};
use crate::store::{FleetStore, SqlRow, SqlValue, word};

/// Rows a query.
const PAGE: usize = 5000;

/// The tables that are exported.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum ExportedTable {
    /// A row a host.
    Hosts,
    /// A row a finding.
    Findings,
    /// A row a claim of a disk.
    Claims,
}

/// How.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum ExportFormat {
    /// RFC 4180 with a head line; texts that a spreadsheet would run are quoted.
    Csv,
    /// A list of objects, an object a line.
    Json,
}

impl ExportedTable {
    /// By its name: `hosts`, `findings`, `claims`.
    pub fn named(name: &str) -> Option<Self> {
        Some(match name {
            "hosts" => Self::Hosts,
            "findings" => Self::Findings,
            "claims" => Self::Claims,
            _ => return None,
        })
    }

    /// Names of the columns, and what they are made of. The first is the key that is paged by.
    const fn columns(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::Hosts => &[
                ("host_id", "machine"),
                ("host", "name"),
                ("severity", "severity"),
                ("findings", "findings"),
                ("ios_per_day", "ios_per_day"),
                ("extra_ios_per_day", "extra_ios_per_day"),
                ("reports", "reports"),
                ("first_seen_seconds", "first_seen"),
                ("last_seen_seconds", "last_seen"),
            ],
            Self::Findings => &[
                ("host_id", "host.machine"),
                ("host", "host.name"),
                ("rule", "rule"),
                ("severity", "one.severity"),
                ("layer", "layer"),
                ("model", "model"),
                ("firmware", "firmware"),
                ("unit_bytes", "unit_bytes"),
                ("offset_bytes", "offset_bytes"),
                ("straddle_ratio", "straddle_ratio"),
                ("extra_ios_per_day", "one.extra_ios_per_day"),
                ("fixable_in_place", "fixable"),
                ("since_seconds", "since"),
                ("waived_until", "waived_until"),
                ("why", "why"),
            ],
            Self::Claims => &[
                ("host_id", "host.machine"),
                ("host", "host.name"),
                ("device", "device"),
                ("model", "model"),
                ("firmware", "firmware"),
                ("transport", "transport"),
                ("kind", "kind"),
                ("size_bytes", "size_bytes"),
                ("source", "source"),
                ("trusted", "trusted"),
                ("why", "why"),
            ],
        }
    }

    const fn source(self) -> &'static str {
        match self {
            Self::Hosts => "host AS one",
            Self::Findings => "finding AS one JOIN host ON host.id = one.host_id",
            Self::Claims => "claim AS one JOIN host ON host.id = one.host_id",
        }
    }
}

/// Writes the whole table.
///
/// # Errors
/// When the store does not answer, or `out` takes no more.
pub fn export(
    store: &mut FleetStore,
    table: ExportedTable,
    format: ExportFormat,
    out: &mut dyn Write,
) -> FleetResult<()> {
    let columns = table.columns();
    let names: Vec<&str> = columns.iter().map(|(name, _)| *name).collect();
    let values: Vec<&str> = columns.iter().map(|(_, value)| *value).collect();
    let sql = format!(
        "SELECT one.id, {} FROM {} WHERE one.id > $1 ORDER BY one.id LIMIT {PAGE}",
        values.join(", "),
        table.source()
    );
    let head = match format {
        ExportFormat::Csv => names.join(",") + "\n",
        ExportFormat::Json => "[".to_owned(),
    };
    write(out, &head)?;
    let (mut last, mut is_first) = (0, true);
    loop {
        let rows = store.database()?.query(&sql, &[last.into()])?;
        let count = rows.len();
        for row in rows {
            let (id, values) = split(row);
            last = id.max(last + 1);
            let line = match format {
                ExportFormat::Csv => csv_line(&names, values),
                ExportFormat::Json => json_line(&names, values, is_first),
            };
            is_first = false;
            write(out, &line)?;
        }
        if count < PAGE {
            break;
        }
    }
    match format {
        ExportFormat::Csv => Ok(()),
        ExportFormat::Json => write(out, "\n]\n"),
    }
}

fn write(out: &mut dyn Write, text: &str) -> FleetResult<()> {
    let failed = |error| FleetError::File(format!("the export ended early: {error}"));
    out.write_all(text.as_bytes()).map_err(failed)
}

fn split(row: SqlRow) -> (i64, Vec<SqlValue>) {
    let mut row = row.into_iter();
    let id = row.next().and_then(|id| id.integer()).unwrap_or(i64::MAX);
    (id, row.collect())
}

/// A value as JSON: severities are words, truths are truths, everything else is what it is.
fn shown(name: &str, value: SqlValue) -> Value {
    match (name, value) {
        ("severity", SqlValue::Integer(rank)) => word(rank).into(),
        ("trusted" | "fixable_in_place", SqlValue::Integer(truth)) => (truth != 0).into(),
        (_, SqlValue::Integer(value)) => value.into(),
        (_, SqlValue::Real(value)) => value.into(),
        (_, SqlValue::Text(text)) => text.into(),
        (_, SqlValue::Null | SqlValue::Bytes(_)) => Value::Null,
    }
}

fn csv_line(names: &[&str], values: Vec<SqlValue>) -> String {
    let cells = names
        .iter()
        .zip(values)
        .map(|(name, value)| match shown(name, value) {
            Value::Null => String::new(),
            Value::String(text) => csv::cell(&text).into_owned(),
            other => other.to_string(),
        });
    cells.collect::<Vec<_>>().join(",") + "\n"
}

fn json_line(names: &[&str], values: Vec<SqlValue>, is_first: bool) -> String {
    let values = names.iter().zip(values);
    let object: serde_json::Map<_, _> = values
        .map(|(name, value)| ((*name).to_owned(), shown(name, value)))
        .collect();
    format!(
        "{}\n{}",
        if is_first { "" } else { "," },
        Value::Object(object)
    )
}
