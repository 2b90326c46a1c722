//! One host: what is wrong now, its disks, its reports.

use serde::Serialize;

use super::overview::{HOST, WorstHost, host};
use super::rows;
use crate::error::FleetResult;
use crate::store::{FleetStore, RowReader, SqlValue, word};

/// Reports that are listed.
const REPORTS: usize = 200;

/// All about one host.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HostHistory {
    /// The host.
    #[serde(flatten)]
    pub host: WorstHost,
    /// When it pushed first.
    pub first_seen_seconds: i64,
    /// What is wrong now, worst first.
    pub findings_now: Vec<HostFinding>,
    /// Its disks.
    pub devices: Vec<HostDevice>,
    /// Its reports, newest first, at most 200.
    pub reports: Vec<HostReport>,
}

/// A finding of a host.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HostFinding {
    /// The rule.
    pub rule: String,
    /// How bad.
    pub severity: &'static str,
    /// The layer.
    pub layer: String,
    /// The grid.
    pub unit_bytes: Option<i64>,
    /// The remainder.
    pub offset_bytes: Option<i64>,
    /// I/Os a day that became two; `null`: not known.
    pub extra_ios_per_day: Option<f64>,
    /// Since when.
    pub since_seconds: i64,
    /// The last day of its waiver; `null`: none.
    pub waived_until: Option<String>,
    /// The sentence.
    pub why: String,
}

/// A disk of a host.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HostDevice {
    /// The kernel's name.
    pub name: String,
    /// Its model.
    pub model: Option<String>,
    /// Its firmware.
    pub firmware: Option<String>,
    /// `nvme`, `sata`.
    pub transport: Option<String>,
    /// Its length.
    pub size_bytes: Option<i64>,
}

/// A push.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HostReport {
    /// Its number, by which two are compared.
    pub report: i64,
    /// When it came, by the server's clock.
    pub received_at_seconds: i64,
    /// When it was made, by the host's clock.
    pub taken_at_seconds: i64,
    /// The verdict, waivers apart.
    pub severity: &'static str,
    /// Whether the stack is another than in the report before.
    pub changed: bool,
    /// Whose token it was.
    pub pushed_by: String,
    /// I/Os a day; `null`: no profile came with it.
    pub ios_per_day: Option<f64>,
    /// I/Os a day that became two.
    pub extra_ios_per_day: Option<f64>,
}

/// What is known of the host with this id, or of the newest with this name? `None`: there is none.
///
/// # Errors
/// When the store does not answer.
pub fn history(store: &mut FleetStore, name: &str) -> FleetResult<Option<HostHistory>> {
    let database = store.database()?;
    let sql = format!(
        "SELECT {HOST}, first_seen, id FROM host WHERE machine = $1 OR name = $1
        ORDER BY CASE WHEN machine = $1 THEN 0 ELSE 1 END, last_seen DESC LIMIT 1"
    );
    let Some(row) = database.query(&sql, &[name.into()])?.into_iter().next() else {
        return Ok(None);
    };
    let mut row = RowReader::new(row);
    let (host, first_seen_seconds, id) = (host(&mut row)?, row.integer()?, row.integer()?);
    let id = [SqlValue::Integer(id)];
    let findings = "SELECT rule, severity, layer, unit_bytes, offset_bytes, extra_ios_per_day, since, waived_until, why
        FROM finding WHERE host_id = $1 ORDER BY severity DESC, rule, layer, id";
    let findings = database.query(findings, &id)?;
    let devices = "SELECT name, model, firmware, transport, size_bytes FROM device WHERE host_id = $1 ORDER BY name";
    let devices = database.query(devices, &id)?;
    // One more than is shown: whether the last one changed.
    let reports = format!(
        "SELECT id, received_at, taken_at, severity, judgement_id, pushed_by, ios_per_day, extra_ios_per_day
        FROM report WHERE host_id = $1 ORDER BY id DESC LIMIT {}",
        REPORTS + 1
    );
    let reports = database.query(&reports, &id)?;
    Ok(Some(HostHistory {
        host,
        first_seen_seconds,
        findings_now: rows(findings, finding)?,
        devices: rows(devices, device)?,
        reports: reports_of(rows(reports, report)?),
    }))
}

fn finding(row: &mut RowReader) -> FleetResult<HostFinding> {
    Ok(HostFinding {
        rule: row.text()?,
        severity: word(row.integer()?),
        layer: row.text()?,
        unit_bytes: row.maybe_integer()?,
        offset_bytes: row.maybe_integer()?,
        extra_ios_per_day: row.real()?,
        since_seconds: row.integer()?,
        waived_until: row.maybe_text()?,
        why: row.text()?,
    })
}

fn device(row: &mut RowReader) -> FleetResult<HostDevice> {
    Ok(HostDevice {
        name: row.text()?,
        model: row.maybe_text()?,
        firmware: row.maybe_text()?,
        transport: row.maybe_text()?,
        size_bytes: row.maybe_integer()?,
    })
}

/// A report and its judgement.
fn report(row: &mut RowReader) -> FleetResult<(HostReport, i64)> {
    let mut report = HostReport {
        report: row.integer()?,
        received_at_seconds: row.integer()?,
        taken_at_seconds: row.integer()?,
        severity: word(row.integer()?),
        changed: false,
        pushed_by: String::new(),
        ios_per_day: None,
        extra_ios_per_day: None,
    };
    let judgement = row.integer()?;
    report.pushed_by = row.text()?;
    (report.ios_per_day, report.extra_ios_per_day) = (row.real()?, row.real()?);
    Ok((report, judgement))
}

fn reports_of(mut found: Vec<(HostReport, i64)>) -> Vec<HostReport> {
    let before: Vec<_> = found
        .iter()
        .skip(1)
        .map(|(_, judgement)| *judgement)
        .collect();
    for ((report, judgement), before) in found.iter_mut().zip(before) {
        report.changed = *judgement != before;
    }
    found.truncate(REPORTS);
    found.into_iter().map(|(report, _)| report).collect()
}
