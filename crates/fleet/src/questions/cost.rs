//! What misalignment costs: findings times profiles.

use serde::Serialize;

use super::overview::{HOST, WorstHost, host};
use super::{limit, rows};
use crate::error::FleetResult;
use crate::store::{BAD, FleetStore, word};

/// A misaligned host that is busy.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BusyHost {
    /// The host.
    #[serde(flatten)]
    pub host: WorstHost,
    /// Share of its I/Os that became two.
    pub extra_ratio: Option<f64>,
}

/// What a fix saves.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FixGain {
    /// The host.
    pub host_id: String,
    /// Its name.
    pub host: String,
    /// The rule.
    pub rule: String,
    /// How bad.
    pub severity: &'static str,
    /// The layer.
    pub layer: String,
    /// The disks below it.
    pub disks: String,
    /// The grid.
    pub unit_bytes: Option<i64>,
    /// I/Os a day that are saved.
    pub saved_ios_per_day: Option<f64>,
    /// The finding's sentence.
    pub why: String,
}

/// Which hosts are misaligned and busy?
///
/// # Errors
/// When the store does not answer.
pub fn busy(store: &mut FleetStore, most: u32) -> FleetResult<Vec<BusyHost>> {
    let sql = format!(
        "SELECT {HOST} FROM host WHERE extra_ios_per_day > 0 ORDER BY extra_ios_per_day DESC, name LIMIT $1"
    );
    rows(
        store.database()?.query(&sql, &[limit(most).into()])?,
        |row| {
            let host = host(row)?;
            let share = host.extra_ios_per_day.zip(host.ios_per_day);
            Ok(BusyHost {
                extra_ratio: share
                    .filter(|(_, ios)| *ios > 0.0)
                    .map(|(extra, ios)| extra / ios),
                host,
            })
        },
    )
}

/// Which fixes gain most? Only what `ioalign fix` moves in place, on hosts with a profile.
///
/// # Errors
/// When the store does not answer.
pub fn gains(store: &mut FleetStore, most: u32) -> FleetResult<Vec<FixGain>> {
    let sql = format!(
        "SELECT machine, name, rule, finding.severity, layer, disks, unit_bytes, finding.extra_ios_per_day, why
        FROM finding JOIN host ON host.id = finding.host_id
        WHERE fixable = 1 AND finding.extra_ios_per_day > 0 AND waived_until IS NULL AND finding.severity >= {BAD}
        ORDER BY finding.extra_ios_per_day DESC LIMIT $1"
    );
    rows(
        store.database()?.query(&sql, &[limit(most).into()])?,
        |row| {
            Ok(FixGain {
                host_id: row.text()?,
                host: row.text()?,
                rule: row.text()?,
                severity: word(row.integer()?),
                layer: row.text()?,
                disks: row.text()?,
                unit_bytes: row.maybe_integer()?,
                saved_ios_per_day: row.real()?,
                why: row.text()?,
            })
        },
    )
}
