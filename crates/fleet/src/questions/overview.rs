//! The first page: how the fleet is, and its worst hosts.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{limit, rows};
use crate::error::FleetResult;
use crate::store::{FleetStore, RowReader, word};

/// A host that was silent for longer is counted, in seconds: two pushes of a daily timer were lost.
pub const SILENT_SECONDS: i64 = 2 * 86_400;

/// The fleet in numbers.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct FleetOverview {
    /// Hosts that ever pushed.
    pub hosts: i64,
    /// Their pushes.
    pub reports: i64,
    /// Hosts by their worst severity; what is waived does not count.
    pub hosts_by_severity: BTreeMap<&'static str, i64>,
    /// Hosts of which nothing was heard for two days.
    pub silent_hosts: i64,
    /// When the last push came.
    pub last_seen_seconds: Option<i64>,
    /// Hosts with a profile: of others the cost is not known.
    pub profiled_hosts: i64,
    /// I/Os a day that became two, on all profiled hosts.
    pub extra_ios_per_day: Option<f64>,
}

/// A host in a list.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WorstHost {
    /// By which it is asked for.
    pub host_id: String,
    /// Its name.
    pub host: String,
    /// Its worst severity.
    pub severity: &'static str,
    /// Bad findings that count.
    pub findings: i64,
    /// Bad findings that are waived.
    pub waived: i64,
    /// I/Os a day; `null`: no profile.
    pub ios_per_day: Option<f64>,
    /// I/Os a day that became two; `null`: not known.
    pub extra_ios_per_day: Option<f64>,
    /// Its last push.
    pub last_seen_seconds: i64,
}

/// Columns of a [`WorstHost`].
pub(super) const HOST: &str =
    "machine, name, severity, findings, waived, ios_per_day, extra_ios_per_day, last_seen";

/// How is the fleet? `now` in seconds since 1970.
///
/// # Errors
/// When the store does not answer.
pub fn overview(store: &mut FleetStore, now: i64) -> FleetResult<FleetOverview> {
    let sql =
        "SELECT severity, count(*), CAST(COALESCE(sum(reports), 0) AS BIGINT), max(last_seen),
            CAST(COALESCE(sum(CASE WHEN last_seen < $1 THEN 1 ELSE 0 END), 0) AS BIGINT),
            count(ios_per_day), sum(extra_ios_per_day)
        FROM host GROUP BY severity";
    let silent = now.saturating_sub(SILENT_SECONDS);
    let mut found = FleetOverview::default();
    for row in store.database()?.query(sql, &[silent.into()])? {
        let mut row = RowReader::new(row);
        let (severity, hosts) = (row.integer()?, row.integer()?);
        found.hosts += hosts;
        found.hosts_by_severity.insert(word(severity), hosts);
        found.reports += row.integer()?;
        found.last_seen_seconds = found.last_seen_seconds.max(row.maybe_integer()?);
        found.silent_hosts += row.integer()?;
        found.profiled_hosts += row.integer()?;
        if let Some(extra) = row.real()? {
            *found.extra_ios_per_day.get_or_insert(0.0) += extra;
        }
    }
    Ok(found)
}

/// Which hosts are worst?
///
/// # Errors
/// When the store does not answer.
pub fn worst(store: &mut FleetStore, most: u32) -> FleetResult<Vec<WorstHost>> {
    let sql =
        format!("SELECT {HOST} FROM host ORDER BY severity DESC, findings DESC, name LIMIT $1");
    rows(store.database()?.query(&sql, &[limit(most).into()])?, host)
}

pub(super) fn host(row: &mut RowReader) -> FleetResult<WorstHost> {
    Ok(WorstHost {
        host_id: row.text()?,
        host: row.text()?,
        severity: word(row.integer()?),
        findings: row.integer()?,
        waived: row.integer()?,
        ios_per_day: row.real()?,
        extra_ios_per_day: row.real()?,
        last_seen_seconds: row.integer()?,
    })
}
