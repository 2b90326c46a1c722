//! Findings by rule, by model, by age.

use serde::Serialize;

use super::{limit, rows};
use crate::error::FleetResult;
use crate::store::{BAD, FleetStore, word};

/// Findings of one rule.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RuleShare {
    /// The rule.
    pub rule: String,
    /// The worst severity among them.
    pub severity: &'static str,
    /// Hosts that have it.
    pub hosts: i64,
    /// Findings, several a host.
    pub findings: i64,
    /// How many of these are waived; they are not in the other numbers.
    pub waived: i64,
    /// I/Os a day that became two; `null`: not known.
    pub extra_ios_per_day: Option<f64>,
}

/// Bad findings on one model of disk.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ModelShare {
    /// The model; `null`: the disk has none, or the layer lies on several kinds.
    pub model: Option<String>,
    /// Its firmware.
    pub firmware: Option<String>,
    /// The worst severity.
    pub severity: &'static str,
    /// Hosts.
    pub hosts: i64,
    /// Findings.
    pub findings: i64,
    /// I/Os a day that became two; `null`: not known.
    pub extra_ios_per_day: Option<f64>,
}

/// Bad findings of one age.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AgeShare {
    /// Days since they were first seen, at least.
    pub from_days: i64,
    /// And less than that; `null`: any age above.
    pub below_days: Option<i64>,
    /// The severity.
    pub severity: &'static str,
    /// Hosts.
    pub hosts: i64,
    /// Findings.
    pub findings: i64,
}

/// Ages in days at which a new row begins.
const AGES: [i64; 5] = [0, 1, 7, 30, 90];

/// Which rules are broken most?
///
/// # Errors
/// When the store does not answer.
pub fn by_rule(store: &mut FleetStore) -> FleetResult<Vec<RuleShare>> {
    let sql = "SELECT rule, max(severity), CAST(sum(CASE WHEN found > 0 THEN 1 ELSE 0 END) AS BIGINT),
            CAST(sum(found) AS BIGINT), CAST(sum(waived) AS BIGINT), sum(extra)
        FROM (SELECT rule, host_id, count(*) - count(waived_until) AS found, count(waived_until) AS waived,
                max(CASE WHEN waived_until IS NULL THEN severity ELSE 0 END) AS severity,
                max(CASE WHEN waived_until IS NULL THEN extra_ios_per_day END) AS extra
            FROM finding GROUP BY rule, host_id) AS by_host
        GROUP BY rule ORDER BY 2 DESC, 3 DESC, rule";
    rows(store.database()?.query(sql, &[])?, |row| {
        Ok(RuleShare {
            rule: row.text()?,
            severity: word(row.integer()?),
            hosts: row.integer()?,
            findings: row.integer()?,
            waived: row.integer()?,
            extra_ios_per_day: row.real()?,
        })
    })
}

/// Which models of disks are concerned most?
///
/// # Errors
/// When the store does not answer.
pub fn by_model(store: &mut FleetStore, most: u32) -> FleetResult<Vec<ModelShare>> {
    let sql = format!(
        "SELECT model, firmware, max(severity), count(*), CAST(sum(found) AS BIGINT), sum(extra)
        FROM (SELECT model, firmware, host_id, count(*) AS found, max(severity) AS severity,
                max(extra_ios_per_day) AS extra
            FROM finding WHERE severity >= {BAD} AND waived_until IS NULL
            GROUP BY model, firmware, host_id) AS by_host
        GROUP BY model, firmware ORDER BY 4 DESC, 3 DESC, model LIMIT $1"
    );
    rows(
        store.database()?.query(&sql, &[limit(most).into()])?,
        |row| {
            Ok(ModelShare {
                model: row.maybe_text()?,
                firmware: row.maybe_text()?,
                severity: word(row.integer()?),
                hosts: row.integer()?,
                findings: row.integer()?,
                extra_ios_per_day: row.real()?,
            })
        },
    )
}

/// How old are the findings? `now` in seconds since 1970.
///
/// # Errors
/// When the store does not answer.
pub fn by_age(store: &mut FleetStore, now: i64) -> FleetResult<Vec<AgeShare>> {
    let cases: String = AGES
        .iter()
        .rev()
        .map(|days| {
            let begin = now.saturating_sub(days.saturating_mul(86_400));
            format!("WHEN since <= {begin} THEN {days} ")
        })
        .collect();
    // A clock that was set back makes a finding of the future: it is new.
    let sql = format!(
        "SELECT CAST(days AS BIGINT), severity, count(*), CAST(sum(found) AS BIGINT)
        FROM (SELECT CASE {cases}ELSE 0 END AS days, severity, host_id, count(*) AS found
            FROM finding WHERE severity >= {BAD} AND waived_until IS NULL
            GROUP BY 1, severity, host_id) AS by_host
        GROUP BY days, severity ORDER BY days DESC, severity DESC"
    );
    rows(store.database()?.query(&sql, &[])?, |row| {
        let from = row.integer()?;
        Ok(AgeShare {
            from_days: from,
            below_days: AGES.iter().copied().find(|days| *days > from),
            severity: word(row.integer()?),
            hosts: row.integer()?,
            findings: row.integer()?,
        })
    })
}
