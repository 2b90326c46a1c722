//! Hosts by a part of their name, a rule, or the model of a disk.

use serde::Serialize;

use super::overview::{WorstHost, host};
use super::{limit, rows};
use crate::error::FleetResult;
use crate::store::FleetStore;

/// A host, and what was found of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FoundHost {
    /// The host.
    #[serde(flatten)]
    pub host: WorstHost,
    /// `name`, `rule` or `model`.
    pub by: &'static str,
}

const COLUMNS: &str = "machine, name, host.severity, findings, waived, ios_per_day, host.extra_ios_per_day, last_seen";

/// Which hosts have `text` in their name, a finding of the rule `text`, or a disk with `text` in its model? Capital letters
/// do not matter.
///
/// # Errors
/// When the store does not answer.
pub fn search(store: &mut FleetStore, text: &str, most: u32) -> FleetResult<Vec<FoundHost>> {
    let text = text.trim().to_lowercase();
    if text.is_empty() {
        return Ok(Vec::new());
    }
    let part = format!("%{}%", escaped(&text));
    let questions = [
        ("name", "lower(name) LIKE $1 ESCAPE '\\'", &part),
        (
            "rule",
            "id IN (SELECT host_id FROM finding WHERE rule = $1)",
            &text,
        ),
        (
            "model",
            "id IN (SELECT host_id FROM device WHERE model IN
                (SELECT model FROM device WHERE lower(model) LIKE $1 ESCAPE '\\' GROUP BY model))",
            &part,
        ),
    ];
    let mut found: Vec<FoundHost> = Vec::new();
    for (by, condition, parameter) in questions {
        let sql = format!(
            "SELECT {COLUMNS} FROM host WHERE {condition} ORDER BY severity DESC, findings DESC, name LIMIT $2"
        );
        let parameters = [parameter.as_str().into(), limit(most).into()];
        for host in rows(store.database()?.query(&sql, &parameters)?, host)? {
            if found.iter().all(|known| known.host.host_id != host.host_id) {
                found.push(FoundHost { host, by });
            }
        }
    }
    found.truncate(usize::try_from(limit(most)).unwrap_or(usize::MAX));
    Ok(found)
}

/// Its signs stand for themselves.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\")
        .replace('%', "\\%")
        .replace('_', "\\_")
}
