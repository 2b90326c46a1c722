//! What is wrong with a host now: replaced by each report, with a note of what came and went.

use std::collections::BTreeMap;

use super::add::{HostRow, NewReport};
use super::database::{FleetDatabase, RowReader, SqlValue};
use super::tables::{CHANGE, CLAIM, DEVICE, FINDING, insert};
use super::waive::{self, FleetWaiver};
use super::{BAD, rank};
use crate::error::FleetResult;
use crate::judged::JudgedFinding;

/// By what a finding is known over time: an offset that changes is a change.
type FindingKey = (String, String, Option<i64>, Option<i64>);

/// What was said before.
struct FormerFinding {
    severity: i64,
    since: i64,
    extra: Option<f64>,
}

/// Makes the report the present state of its host.
pub(super) fn replace(
    database: &mut dyn FleetDatabase,
    host: &HostRow,
    judgement: i64,
    report: &NewReport,
    waivers: &[FleetWaiver],
) -> FleetResult<()> {
    let is_same = host.judgement == Some(judgement);
    if !is_same {
        disks(database, host, report)?;
    }
    update(database, host.id, judgement, report)?;
    if !is_same || report.judged.ios_per_day.is_some() {
        findings(database, host, report, waivers)?;
        count(database, "WHERE id = $1", &[host.id.into()])?;
    }
    Ok(())
}

fn findings(
    database: &mut dyn FleetDatabase,
    host: &HostRow,
    report: &NewReport,
    waivers: &[FleetWaiver],
) -> FleetResult<()> {
    let mut former = match host.judgement {
        Some(_) => former(database, host.id)?,
        None => BTreeMap::new(),
    };
    let mut rows = Vec::new();
    let mut changes = Vec::new();
    for finding in &report.judged.findings {
        let before = former.remove(&key(finding));
        if before.is_none() && rank(finding.severity) >= BAD {
            let severity = rank(finding.severity);
            changes.push(change(
                host.id,
                report,
                true,
                &finding.rule,
                &finding.layer,
                severity,
            ));
        }
        rows.push(row(host.id, report, finding, before.as_ref(), waivers));
    }
    for ((rule, layer, ..), gone) in former.iter().filter(|(_, gone)| gone.severity >= BAD) {
        changes.push(change(host.id, report, false, rule, layer, gone.severity));
    }
    if host.judgement.is_some() {
        database.execute("DELETE FROM finding WHERE host_id = $1", &[host.id.into()])?;
    }
    insert(database, FINDING, &rows)?;
    insert(database, CHANGE, &changes)
}

fn key(finding: &JudgedFinding) -> FindingKey {
    let (rule, layer) = (finding.rule.clone(), finding.layer.clone());
    (rule, layer, finding.unit_bytes, finding.offset_bytes)
}

fn former(
    database: &mut dyn FleetDatabase,
    host: i64,
) -> FleetResult<BTreeMap<FindingKey, FormerFinding>> {
    let sql = "SELECT rule, layer, unit_bytes, offset_bytes, severity, since, extra_ios_per_day
        FROM finding WHERE host_id = $1";
    let mut found = BTreeMap::new();
    for row in database.query(sql, &[host.into()])? {
        let mut row = RowReader::new(row);
        let key = (
            row.text()?,
            row.text()?,
            row.maybe_integer()?,
            row.maybe_integer()?,
        );
        let finding = FormerFinding {
            severity: row.integer()?,
            since: row.integer()?,
            extra: row.real()?,
        };
        found.insert(key, finding);
    }
    Ok(found)
}

/// A profile that came with an earlier push still says what a finding costs that is still there.
fn row(
    host: i64,
    report: &NewReport,
    finding: &JudgedFinding,
    before: Option<&FormerFinding>,
    waivers: &[FleetWaiver],
) -> Vec<SqlValue> {
    let carried = before.and_then(|before| before.extra);
    let carried = carried.filter(|_| report.judged.ios_per_day.is_none());
    vec![
        host.into(),
        finding.rule.as_str().into(),
        finding.layer.as_str().into(),
        rank(finding.severity).into(),
        finding.model.clone().into(),
        finding.firmware.clone().into(),
        finding.unit_bytes.into(),
        finding.offset_bytes.into(),
        finding.straddle_ratio.into(),
        finding.extra_ios_per_day.or(carried).into(),
        finding.fixable.into(),
        finding.disks.as_str().into(),
        finding.why.as_str().into(),
        before
            .map_or(report.received_at, |before| before.since)
            .into(),
        waive::until(waivers, &report.host, finding).into(),
    ]
}

fn change(
    host: i64,
    report: &NewReport,
    appeared: bool,
    rule: &str,
    layer: &str,
    severity: i64,
) -> Vec<SqlValue> {
    vec![
        report.received_at.into(),
        host.into(),
        appeared.into(),
        rule.into(),
        layer.into(),
        severity.into(),
    ]
}

fn disks(database: &mut dyn FleetDatabase, host: &HostRow, report: &NewReport) -> FleetResult<()> {
    if host.judgement.is_some() {
        database.execute("DELETE FROM device WHERE host_id = $1", &[host.id.into()])?;
        database.execute("DELETE FROM claim WHERE host_id = $1", &[host.id.into()])?;
    }
    let host = host.id;
    let devices = report.judged.devices.iter().map(|device| {
        vec![
            host.into(),
            device.name.as_str().into(),
            device.model.clone().into(),
            device.firmware.clone().into(),
            device.transport.clone().into(),
            device.size_bytes.into(),
        ]
    });
    insert(database, DEVICE, &devices.collect::<Vec<_>>())?;
    let claims = report.judged.claims.iter().map(|claim| {
        vec![
            host.into(),
            claim.device.name.as_str().into(),
            claim.device.model.clone().into(),
            claim.device.firmware.clone().into(),
            claim.device.transport.clone().into(),
            claim.kind.as_str().into(),
            claim.size_bytes.into(),
            claim.source.as_str().into(),
            claim.trusted.into(),
            claim.why.clone().into(),
        ]
    });
    insert(database, CLAIM, &claims.collect::<Vec<_>>())
}

fn update(
    database: &mut dyn FleetDatabase,
    host: i64,
    judgement: i64,
    report: &NewReport,
) -> FleetResult<()> {
    let is_unknown = report.judged.verdict == ioalign_core::Severity::Unknown;
    let sql = "UPDATE host SET name = $1, last_seen = $2, reports = reports + 1, judgement_id = $3, unread = $4,
            ios_per_day = COALESCE($5, ios_per_day)
        WHERE id = $6";
    let parameters = [
        crate::judged::short(&report.host).into(),
        report.received_at.into(),
        judgement.into(),
        is_unknown.into(),
        report.judged.ios_per_day.into(),
        host.into(),
    ];
    database.execute(sql, &parameters).map(|_| ())
}

/// Counts what is wrong with the hosts that `which` selects, without what is waived. Findings above the same disks share
/// their I/Os: the worst of them counts.
pub(super) fn count(
    database: &mut dyn FleetDatabase,
    which: &str,
    parameters: &[SqlValue],
) -> FleetResult<()> {
    let counted = "FROM finding WHERE finding.host_id = host.id AND waived_until IS NULL AND finding.severity";
    let sql = format!(
        "UPDATE host SET
            findings = (SELECT count(*) {counted} >= {BAD}),
            waived = (SELECT count(*) FROM finding
                WHERE finding.host_id = host.id AND waived_until IS NOT NULL AND finding.severity >= {BAD}),
            severity = COALESCE((SELECT max(finding.severity) {counted} > 1), 2 * unread),
            extra_ios_per_day = (SELECT sum(worst) FROM
                (SELECT max(finding.extra_ios_per_day) AS worst {counted} >= {BAD} GROUP BY disks) AS by_disks)
        {which}"
    );
    database.execute(&sql, parameters).map(|_| ())
}
