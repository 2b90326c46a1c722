//! Old reports go when a host has more than are kept.
//!
//! Reports are counted, not dated: a clock that jumps forward deletes nothing.

use std::num::NonZeroU32;

use super::database::{FleetDatabase, RowReader, first_number};
use crate::error::FleetResult;

/// Deletes the reports of a host before its last `keep`, the documents that no other report has, and the changes of
/// the time before.
pub(super) fn forget(
    database: &mut dyn FleetDatabase,
    host: i64,
    keep: NonZeroU32,
) -> FleetResult<()> {
    let sql = "SELECT id FROM report WHERE host_id = $1 ORDER BY id DESC LIMIT 1 OFFSET $2";
    let found = database.query(sql, &[host.into(), i64::from(keep.get()).into()])?;
    let Some(last) = first_number(&found) else {
        return Ok(());
    };
    let old = [host.into(), last.into()];
    let sql = "SELECT DISTINCT judgement_id FROM report WHERE host_id = $1 AND id <= $2";
    let judgements = database.query(sql, &old)?;
    database.execute("DELETE FROM report WHERE host_id = $1 AND id <= $2", &old)?;
    for row in judgements {
        let judgement = RowReader::new(row).integer()?;
        let sql = "DELETE FROM judgement
            WHERE id = $1 AND NOT EXISTS (SELECT 1 FROM report WHERE judgement_id = $1)";
        database.execute(sql, &[judgement.into()])?;
    }
    let sql = "DELETE FROM change
        WHERE host_id = $1 AND at < (SELECT min(received_at) FROM report WHERE host_id = $1)";
    database.execute(sql, &[host.into()]).map(|_| ())
}
