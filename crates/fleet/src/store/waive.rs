//! Waivers: somebody's decision that a finding does not count until a day.

use ioalign_core::day::Day;
use serde::{Deserialize, Serialize};

use super::database::{FleetDatabase, RowReader, SqlValue, transaction};
use super::{FleetStore, state};
use crate::error::{FleetError, FleetResult};
use crate::judged::{JudgedFinding, short};

/// A waiver that is asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewWaiver {
    /// The rule, in full.
    pub rule: String,
    /// The host's name; empty: all hosts.
    #[serde(default)]
    pub host: String,
    /// The layer, as findings name it; empty: all layers.
    #[serde(default)]
    pub layer: String,
    /// Why it is accepted.
    pub reason: String,
    /// The last day, `YYYY-MM-DD`.
    pub expires: String,
}

/// A waiver in the store.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FleetWaiver {
    /// Its number.
    pub id: i64,
    /// The rule.
    pub rule: String,
    /// The host's name; empty: all.
    pub host: String,
    /// The layer; empty: all.
    pub layer: String,
    /// Whose token it was.
    pub owner: String,
    /// Why.
    pub reason: String,
    /// The last day.
    pub expires: String,
    /// When it was made.
    pub created_at_seconds: i64,
}

const COLUMNS: &str = "id, rule, host, layer, owner, reason, expires, created_at";

impl NewWaiver {
    fn check(&self, today: &str) -> FleetResult<()> {
        let wrong = if self.rule.trim().is_empty() {
            "it names no rule"
        } else if self.reason.trim().is_empty() {
            "it gives no reason"
        } else if self.expires.parse::<Day>().is_err() {
            "its last day is not written YYYY-MM-DD"
        } else if self.expires.as_str() < today {
            "its last day is over"
        } else {
            return Ok(());
        };
        Err(FleetError::Refused(format!("no waiver: {wrong}")))
    }
}

impl FleetStore {
    /// Makes a waiver; it holds at once.
    ///
    /// # Errors
    /// When a field is wrong, or the store does not answer.
    pub fn waive(
        &mut self,
        waiver: &NewWaiver,
        owner: &str,
        (now, today): (i64, &str),
    ) -> FleetResult<i64> {
        waiver.check(today)?;
        transaction(self.database()?, |database| {
            let sql = "INSERT INTO waiver (rule, host, layer, owner, reason, expires, created_at)
                VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING id";
            let texts =
                [&waiver.rule, &waiver.host, &waiver.layer].map(|text| short(text.trim()).into());
            let more = [
                short(owner).into(),
                short(&waiver.reason).into(),
                waiver.expires.as_str().into(),
            ];
            let parameters: Vec<SqlValue> =
                texts.into_iter().chain(more).chain([now.into()]).collect();
            let id = super::add::only(database.query(sql, &parameters)?)?.integer()?;
            apply(database, today)?;
            Ok(id)
        })
    }

    /// Takes a waiver back; whether there was one.
    ///
    /// # Errors
    /// When the store does not answer.
    pub fn unwaive(&mut self, id: i64, today: &str) -> FleetResult<bool> {
        transaction(self.database()?, |database| {
            let gone = database.execute("DELETE FROM waiver WHERE id = $1", &[id.into()])?;
            apply(database, today)?;
            Ok(gone > 0)
        })
    }

    /// All waivers, also those that ran out: the last to run out first.
    ///
    /// # Errors
    /// When the store does not answer.
    pub fn waivers(&mut self) -> FleetResult<Vec<FleetWaiver>> {
        let sql = format!("SELECT {COLUMNS} FROM waiver ORDER BY expires DESC, id DESC LIMIT 1000");
        read(self.database()?.query(&sql, &[])?)
    }
}

/// Those that hold.
pub(super) fn valid(
    database: &mut dyn FleetDatabase,
    today: &str,
) -> FleetResult<Vec<FleetWaiver>> {
    let sql = format!("SELECT {COLUMNS} FROM waiver WHERE expires >= $1");
    read(database.query(&sql, &[today.into()])?)
}

fn read(rows: Vec<super::SqlRow>) -> FleetResult<Vec<FleetWaiver>> {
    let one = |row| {
        let mut row = RowReader::new(row);
        Ok(FleetWaiver {
            id: row.integer()?,
            rule: row.text()?,
            host: row.text()?,
            layer: row.text()?,
            owner: row.text()?,
            reason: row.text()?,
            expires: row.text()?,
            created_at_seconds: row.integer()?,
        })
    };
    rows.into_iter().map(one).collect()
}

/// The last day for which a finding is waived.
pub(super) fn until(
    waivers: &[FleetWaiver],
    host: &str,
    finding: &JudgedFinding,
) -> Option<String> {
    let fits = |waiver: &&FleetWaiver| {
        waiver.rule == finding.rule
            && (waiver.host.is_empty() || waiver.host == host)
            && (waiver.layer.is_empty() || waiver.layer == finding.layer)
    };
    let last = waivers
        .iter()
        .filter(fits)
        .map(|waiver| &waiver.expires)
        .max();
    last.cloned()
}

/// Takes back what ran out before `today`.
pub(super) fn settle(database: &mut dyn FleetDatabase, today: &str) -> FleetResult<()> {
    let sql = "SELECT count(*) FROM finding WHERE waived_until < $1";
    let over = super::add::only(database.query(sql, &[today.into()])?)?.integer()?;
    if over > 0 {
        apply(database, today)
    } else {
        Ok(())
    }
}

/// Marks every finding again, and counts the hosts that are concerned.
fn apply(database: &mut dyn FleetDatabase, today: &str) -> FleetResult<()> {
    let holds = "FROM waiver WHERE waiver.rule = finding.rule AND waiver.expires >= $1
        AND (waiver.host = '' OR waiver.host = (SELECT name FROM host WHERE host.id = finding.host_id))
        AND (waiver.layer = '' OR waiver.layer = finding.layer)";
    let concerned = "SELECT host_id FROM finding
        WHERE waived_until IS NOT NULL OR rule IN (SELECT rule FROM waiver WHERE expires >= $1)";
    let hosts = format!(
        "CREATE TEMPORARY TABLE concerned AS {}",
        concerned.replace("$1", &quoted(today))
    );
    database.batch("DROP TABLE IF EXISTS concerned")?;
    database.batch(&hosts)?;
    let mark = format!(
        "UPDATE finding SET waived_until = (SELECT max(waiver.expires) {holds})
        WHERE host_id IN (SELECT host_id FROM concerned)"
    );
    database.execute(&mark, &[today.into()])?;
    state::count(database, "WHERE id IN (SELECT host_id FROM concerned)", &[])?;
    database.batch("DROP TABLE concerned")
}

/// A date as a literal: a statement that makes a table takes no parameters.
fn quoted(day: &str) -> String {
    let plain: String = day
        .chars()
        .filter(|letter| letter.is_ascii_digit() || *letter == '-')
        .collect();
    format!("'{plain}'")
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn a_literal_is_a_day_and_no_statement() {
        assert_eq!(quoted("2026-11-25"), "'2026-11-25'");
        assert_eq!(quoted("2026'; DROP TABLE host"), "'2026'");
    }
}
