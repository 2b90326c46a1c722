//! Reports in: many in one transaction, each at most once.

use std::num::NonZeroU32;

use super::database::{FleetDatabase, RowReader, SqlValue, first_number, transaction};
use super::{FleetStore, forget, rank, state, waive};
use crate::error::{FleetError, FleetResult};
use crate::judged::JudgedCapture;

/// A push that was judged.
#[derive(Clone, Debug)]
pub struct NewReport {
    /// By which the push is known: its SHA-256.
    pub content_hash: String,
    /// By which its judgement is known: of the capture and the judge.
    pub capture_hash: String,
    /// The host.
    pub host_id: String,
    /// Its name.
    pub host: String,
    /// Its clock.
    pub taken_at: i64,
    /// Our clock, in seconds since 1970.
    pub received_at: i64,
    /// Whose token it was.
    pub pushed_by: String,
    /// The rows.
    pub judged: JudgedCapture,
}

/// What became of it.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct AddedReport {
    /// Its number.
    pub report: i64,
    /// It was there already; nothing changed.
    pub is_duplicate: bool,
}

impl FleetStore {
    /// Adds the reports, all or none; they are on the disk when this returns. `today` is `YYYY-MM-DD`.
    ///
    /// # Errors
    /// When the store does not answer or is full.
    pub fn add(&mut self, reports: &[&NewReport], today: &str) -> FleetResult<Vec<AddedReport>> {
        // Every server takes the locks of hosts in the same order: none waits for another in a circle.
        let mut order: Vec<usize> = (0..reports.len()).collect();
        order.sort_by_key(|index| reports.get(*index).map(|report| &report.host_id));
        let keep = self.keep;
        transaction(self.database()?, |database| {
            let waivers = waive::valid(database, today)?;
            let mut added = Vec::with_capacity(order.len());
            for index in order {
                if let Some(report) = reports.get(index) {
                    added.push((index, one(database, report, &waivers, keep)?));
                }
            }
            added.sort_by_key(|(index, _)| *index);
            Ok(added.into_iter().map(|(_, added)| added).collect())
        })
    }
}

fn one(
    database: &mut dyn FleetDatabase,
    report: &NewReport,
    waivers: &[waive::FleetWaiver],
    keep: Option<NonZeroU32>,
) -> FleetResult<AddedReport> {
    let host = host(database, report)?;
    if let Some(report) = known(database, &report.content_hash)? {
        return Ok(AddedReport {
            report,
            is_duplicate: true,
        });
    }
    let judgement = judgement(database, report)?;
    let number = insert(database, report, host.id, judgement)?;
    state::replace(database, &host, judgement, report, waivers)?;
    if let Some(keep) = keep {
        forget::forget(database, host.id, keep)?;
    }
    Ok(AddedReport {
        report: number,
        is_duplicate: false,
    })
}

/// The row of a host, locked until the end of the transaction.
pub(super) struct HostRow {
    pub(super) id: i64,
    pub(super) judgement: Option<i64>,
}

fn host(database: &mut dyn FleetDatabase, report: &NewReport) -> FleetResult<HostRow> {
    let sql = "INSERT INTO host (machine, name, first_seen, last_seen, reports, unread, severity, findings)
        VALUES ($1, $2, $3, $3, 0, 0, 0, 0)
        ON CONFLICT (machine) DO UPDATE SET last_seen = host.last_seen
        RETURNING id, judgement_id";
    let name = crate::judged::short(&report.host);
    let parameters = [
        report.host_id.as_str().into(),
        name.into(),
        report.received_at.into(),
    ];
    let mut row = only(database.query(sql, &parameters)?)?;
    Ok(HostRow {
        id: row.integer()?,
        judgement: row.maybe_integer()?,
    })
}

fn known(database: &mut dyn FleetDatabase, hash: &str) -> FleetResult<Option<i64>> {
    let sql = "SELECT id FROM report WHERE content_hash = $1";
    Ok(first_number(&database.query(sql, &[hash.into()])?))
}

fn judgement(database: &mut dyn FleetDatabase, report: &NewReport) -> FleetResult<i64> {
    let sql = "SELECT id FROM judgement WHERE capture_hash = $1";
    let hash: SqlValue = report.capture_hash.as_str().into();
    let found = database.query(sql, std::slice::from_ref(&hash))?;
    if let Some(id) = first_number(&found) {
        return Ok(id);
    }
    let insert = "INSERT INTO judgement (capture_hash, document) VALUES ($1, $2)
        ON CONFLICT (capture_hash) DO NOTHING";
    let packed = SqlValue::Bytes(super::document::pack(&report.judged.document)?);
    database.execute(insert, &[hash.clone(), packed])?;
    only(database.query(sql, &[hash])?)?.integer()
}

fn insert(
    database: &mut dyn FleetDatabase,
    report: &NewReport,
    host: i64,
    judgement: i64,
) -> FleetResult<i64> {
    let sql = "INSERT INTO report (content_hash, host_id, judgement_id, received_at, taken_at, pushed_by, severity,
            ios_per_day, extra_ios_per_day)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) RETURNING id";
    let parameters = [
        report.content_hash.as_str().into(),
        host.into(),
        judgement.into(),
        report.received_at.into(),
        report.taken_at.into(),
        report.pushed_by.as_str().into(),
        rank(report.judged.verdict).into(),
        report.judged.ios_per_day.into(),
        report.judged.extra_ios_per_day.into(),
    ];
    only(database.query(sql, &parameters)?)?.integer()
}

/// The one row of an answer.
pub(crate) fn only(rows: Vec<super::SqlRow>) -> FleetResult<RowReader> {
    let first = rows.into_iter().next().map(RowReader::new);
    first
        .ok_or_else(|| FleetError::Foreign("the store gives no row for one that it has".to_owned()))
}
