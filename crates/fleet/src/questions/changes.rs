//! What changed since a moment: findings that came and went, hosts that are new or silent.

use serde::Serialize;

use super::{limit, rows};
use crate::error::FleetResult;
use crate::store::{BAD, FleetStore, RowReader, SqlValue, word};

/// Since a moment.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct FleetChanges {
    /// The moment.
    pub since_seconds: i64,
    /// By rule.
    pub rules: Vec<ChangedRule>,
    /// Hosts that pushed for the first time.
    pub new_hosts: i64,
    /// Hosts whose last push is older than the moment.
    pub silent_hosts: i64,
    /// The latest changes, newest first.
    pub latest: Vec<FleetChange>,
}

/// How often a rule came and went.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ChangedRule {
    /// The rule.
    pub rule: String,
    /// The worst severity among them.
    pub severity: &'static str,
    /// Findings that came.
    pub appeared: i64,
    /// Findings that went.
    pub gone: i64,
}

/// One finding that came or went.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FleetChange {
    /// When it was received.
    pub at_seconds: i64,
    /// The host.
    pub host_id: String,
    /// Its name.
    pub host: String,
    /// It came; otherwise it went.
    pub appeared: bool,
    /// The rule.
    pub rule: String,
    /// The layer.
    pub layer: String,
    /// How bad.
    pub severity: &'static str,
}

/// What changed since `since`, in seconds since 1970?
///
/// # Errors
/// When the store does not answer.
pub fn changes(store: &mut FleetStore, since: i64, most: u32) -> FleetResult<FleetChanges> {
    let database = store.database()?;
    let by_rule = format!(
        "SELECT rule, max(severity), CAST(sum(appeared) AS BIGINT), CAST(sum(1 - appeared) AS BIGINT)
        FROM change WHERE at >= $1 AND severity >= {BAD} GROUP BY rule ORDER BY 3 DESC, 4 DESC, rule"
    );
    let parameter = [SqlValue::Integer(since)];
    let rules = rows(database.query(&by_rule, &parameter)?, |row| {
        Ok(ChangedRule {
            rule: row.text()?,
            severity: word(row.integer()?),
            appeared: row.integer()?,
            gone: row.integer()?,
        })
    })?;
    let hosts = "SELECT (SELECT count(*) FROM host WHERE first_seen >= $1),
        (SELECT count(*) FROM host WHERE last_seen < $1)";
    let mut hosts = crate::store::add::only(database.query(hosts, &parameter)?)?;
    let latest = "SELECT at, machine, name, appeared, rule, layer, change.severity
        FROM change JOIN host ON host.id = change.host_id
        WHERE at >= $1 ORDER BY at DESC, change.id DESC LIMIT $2";
    let latest = database.query(latest, &[since.into(), limit(most).into()])?;
    Ok(FleetChanges {
        since_seconds: since,
        rules,
        new_hosts: hosts.integer()?,
        silent_hosts: hosts.integer()?,
        latest: rows(latest, change)?,
    })
}

fn change(row: &mut RowReader) -> FleetResult<FleetChange> {
    Ok(FleetChange {
        at_seconds: row.integer()?,
        host_id: row.text()?,
        host: row.text()?,
        appeared: row.integer()? != 0,
        rule: row.text()?,
        layer: row.text()?,
        severity: word(row.integer()?),
    })
}
