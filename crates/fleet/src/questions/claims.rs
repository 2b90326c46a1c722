//! Which disks lie about themselves.

use serde::Serialize;

use super::{limit, rows};
use crate::error::FleetResult;
use crate::store::FleetStore;

/// A size that a kind of disk reports and that was not believed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LyingClaim {
    /// The model; the maker in clouds; `null`: not known.
    pub model: Option<String>,
    /// Its firmware.
    pub firmware: Option<String>,
    /// `nvme`, `usb`, `virtio`.
    pub transport: Option<String>,
    /// What the size is said to be: `optimal-io`, `physical-block`.
    pub kind: String,
    /// The size.
    pub size_bytes: i64,
    /// Hosts on which it was not believed.
    pub hosts: i64,
    /// Hosts where that model reports something of that kind, believed or not; without a model those of `hosts`.
    pub hosts_of_model: i64,
    /// Why it was not believed, on one of them.
    pub why: Option<String>,
}

/// Which claims lie: by model, firmware and transport?
///
/// # Errors
/// When the store does not answer.
pub fn lies(store: &mut FleetStore, most: u32) -> FleetResult<Vec<LyingClaim>> {
    let sql = "SELECT model, firmware, transport, kind, size_bytes, hosts,
            CASE WHEN model IS NULL THEN hosts ELSE (SELECT count(DISTINCT host_id) FROM claim AS all_of
                WHERE all_of.kind = lie.kind AND all_of.model = lie.model) END,
            (SELECT max(why) FROM claim AS one WHERE one.id = lie.example)
        FROM (SELECT model, firmware, transport, kind, size_bytes, count(DISTINCT host_id) AS hosts, max(id) AS example
            FROM claim WHERE trusted = 0
            GROUP BY model, firmware, transport, kind, size_bytes
            ORDER BY 6 DESC, model, kind, size_bytes LIMIT $1) AS lie
        ORDER BY hosts DESC, model, kind, size_bytes";
    rows(
        store.database()?.query(sql, &[limit(most).into()])?,
        |row| {
            Ok(LyingClaim {
                model: row.maybe_text()?,
                firmware: row.maybe_text()?,
                transport: row.maybe_text()?,
                kind: row.text()?,
                size_bytes: row.integer()?,
                hosts: row.integer()?,
                hosts_of_model: row.integer()?,
                why: row.maybe_text()?,
            })
        },
    )
}
